//! Merged and simplified pipelines compute what the written ones do, and values stay within their intervals.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use proptest::prelude::*;

use kalg::algebra::{Filter, PlusTimes, Random};
use kalg::pipeline::identity::Identity;
use kalg::pipeline::{Data, Image, Merged, Operation, Output, Pipeline, PixelType, execute, read_pipeline};
use kalg::rule::RuleSet;
use kalg::syntax::{Source, render};

/// The identities of the rules that are built in.
fn builtin() -> Vec<Identity> {
    RuleSet::builtin().identities()
}

fn merge(pipeline: &Pipeline) -> Merged {
    kalg::pipeline::merge(pipeline, &builtin()).unwrap()
}

fn pipeline(items: &str) -> Pipeline {
    let text = format!("(pipeline p (inputs (a uint8) (b uint8)) {items})");
    let source = Source::new("test.sexp", text);
    read_pipeline(&source).unwrap_or_else(|found| panic!("{}", render(&source, &found, false)))
}

/// The kernels of all regions of the merged pipeline, and the operations of its outputs.
fn merged(items: &str) -> (Merged, Vec<Operation>) {
    let merged = merge(&pipeline(items));
    let outputs = merged.pipeline.outputs.iter();
    let operations = outputs.map(|output| merged.pipeline.node(output.node).operation.clone()).collect();
    (merged, operations)
}

/// The columns and coefficients of a kernel of one row.
fn taps(filter: &Filter<PlusTimes>, output: &str, input: &str) -> Vec<(i32, i64)> {
    let kernel = filter.kernel(output, input).unwrap();
    kernel.nonzero_taps().map(|(offset, tap)| (offset[0], tap.numerator())).collect()
}

#[test]
fn linear_stages_become_one_filter_for_each_region() {
    let (merged, _) = merged(
        "(let blur (filter (kernel (1 2 1)) (+ a b)))
         (let gx (filter (kernel (-1 0 1)) blur))
         (let gy (filter (kernel (1) (0) (-1)) blur))
         (output size (max (abs gx) (abs gy)))",
    );
    assert_eq!(merged.absorbed, ["blur"]);
    assert_eq!(merged.regions.len(), 1);
    let filter = &merged.regions[0].filter;
    assert_eq!(
        (filter.inputs(), filter.outputs()),
        (&["a", "b"].map(String::from)[..], &["gx", "gy"].map(String::from)[..])
    );
    assert_eq!(taps(filter, "gx", "b"), [(-2, -1), (-1, -2), (1, 2), (2, 1)]);
}

#[test]
fn linear_stages_move_across_changes_of_rate() {
    // A filter after downsampling reads every second pixel.
    let (down, _) = merged("(output o (filter (kernel (1 1 1)) (down 2 1 (filter (kernel (1 1 0)) a))))");
    assert_eq!(down.regions[0].strides, [[2, 1]]);
    assert_eq!(taps(&down.regions[0].filter, "o", "a"), [-3, -2, -1, 0, 1, 2].map(|x| (x, 1)));
    // A filter on repeated pixels is one filter for each phase: of the even pixels 1 6 1, of the odd ones 4 4.
    let (up, outputs) = merged("(output o (filter (kernel (origin 1 0) (1 3 3 1)) (up 2 1 (down 2 1 a))))");
    assert!(matches!(outputs[0], Operation::Interleave([2, 1], _)), "{outputs:?}");
    let filter = &up.regions[0].filter;
    assert_eq!(filter.inputs(), ["a"]);
    assert_eq!(taps(filter, "o.0", "a"), [(-2, 1), (0, 6), (2, 1)]);
    assert_eq!(taps(filter, "o.1", "a"), [(0, 4), (2, 4)]);
    // What goes up and down again is the pixel itself.
    let (_, outputs) = merged("(output o (down 2 2 (up 2 2 (phase a 1 1))))");
    assert!(matches!(outputs[0], Operation::Down { .. }), "{outputs:?}");
    let all = "(interleave ((phase a 0 0) (phase a 1 0)) ((phase a 0 1) (phase a 1 1)))";
    let (_, outputs) = merged(&format!("(output o {all})"));
    assert!(matches!(outputs[0], Operation::Input(0)), "{outputs:?}");
}

#[test]
fn nothing_is_computed_between_the_pixels_that_are_kept() {
    let smooth = "(filter (compose (kernel (1 4 6 4 1)) (kernel (1) (4) (6) (4) (1))) a)";
    let (level, outputs) = merged(&format!("(output o (down 2 2 (floor-shift 8 (+ {smooth} 128))))"));
    assert!(matches!(outputs[0], Operation::Round(..)), "{outputs:?}");
    let half = kalg::Rational::new(1, 2);
    let mut phases = 0;
    for id in level.pipeline.ids() {
        match &level.pipeline.node(id).operation {
            Operation::Down { .. } => phases += 1,
            Operation::Filter(_, list) => assert_eq!(list.len(), 4),
            Operation::Input(_) | Operation::Constant(_) => continue,
            _ => {}
        }
        assert_eq!(level.pipeline.facts(id).rate.map(|rate| rate.map(Some)), Some([half; 2]));
    }
    assert_eq!(phases, 4);
    // What something needs at the full rate is computed once.
    let (_, outputs) = merged("(let s (abs (- a b))) (output o (down 2 1 s)) (output q s)");
    assert!(matches!(outputs[0], Operation::Down { .. }), "{outputs:?}");
}

#[test]
fn operations_that_never_act_are_left_out() {
    for (expression, name) in [
        ("(clamp 0 255 a)", "least-is-known"),
        ("(max a (- a (abs b)))", "greatest-is-known"),
        ("(abs (+ a 1))", "absolute-of-positive"),
        ("(+ a (select (< (* a b) 65026) a b))", "known-condition-true"),
        ("(+ a (< (* a b) (+ (* a b) 3)))", "less-is-true"),
        ("(+ a (<= (at (* a b) 1 0) (+ (at (* a b) 1 0) 3)))", "at-most-is-true"),
        ("(select (< a b) b (- a (* 0 b)))", "select-less-is-max"),
        ("(quotient (quotient (* a b) 12) 12)", "floor-of-part"),
        ("(quotient (+ (quotient (* a b) 16) b 8) 16)", "floor-of-floor"),
        ("(select (>= (sqrt (* a b)) 9) a 0)", "root-reaches"),
        ("(max (min a b) (min a (* b 3)) (min a (* b b)))", "greatest-of-least"),
        ("(wrap int8 (+ a (wrap int8 (* a b))))", "wrap-of-sum"),
    ] {
        let (merged, _) = merged(&format!("(output o {expression})"));
        assert!(merged.applied.contains_key(name), "{expression}: {:?}", merged.applied);
    }
    let interleaved = "(interleave ((phase (abs (- a b)) 0 0 2 1) (phase (abs (- a b)) 1 0 2 1)))";
    assert!(matches!(merged(&format!("(output o {interleaved})")).1[0], Operation::Absolute(_)));
    let (kept, outputs) = merged("(output o (min (max a b) (+ a 9)))");
    assert!(kept.applied.is_empty() && matches!(&outputs[0], Operation::Minimum(list) if list.len() == 2));
}

#[test]
fn nothing_is_made_twice_to_save_something_else() {
    // Both roundings are outputs, so the least of them is only one operation.
    let (kept, _) = merged(
        "(let s (floor-shift 1 (* a b))) (let t (floor-shift 1 (* b b)))
         (output s s) (output t t) (output o (min s t))",
    );
    assert!(kept.applied.is_empty(), "{:?}", kept.applied);
}

#[test]
fn a_wrong_rule_is_refused_where_it_would_be_used() {
    let text = "(rule wrong (pixel (max ?a ?b)) => (pixel ?a))";
    let rules = RuleSet::from_sources(vec![Source::new("my.rules", text)]).unwrap();
    let refused =
        kalg::pipeline::simplify(&pipeline("(output o (max a b))"), &rules.identities()).unwrap_err();
    assert_eq!(refused.rules, ["wrong"]);
    assert!(kalg::pipeline::simplify(&pipeline("(output o (min a b))"), &rules.identities()).is_ok());
}

#[test]
fn what_the_trials_of_a_rule_overlook_is_seen_on_pictures() {
    // It fails for 151 alone, which the rule does not name.
    let text = "(rule no-square (pixel (= (* ?a ?a) 22801)) => (pixel 0))";
    let rules = RuleSet::from_sources(vec![Source::new("my.rules", text)]).unwrap();
    let identities = rules.identities();
    assert_eq!(identities[0].check(400).refuted, None);
    let refused =
        kalg::pipeline::simplify(&pipeline("(output o (= (* a a) 22801))"), &identities).unwrap_err();
    assert_eq!(refused.rules, ["no-square"]);
    assert!(refused.why.contains("would change from 1 to 0"), "{refused}");
}

/// Random expressions of the full rate, and of half the columns.
struct Writer(Random);

impl Writer {
    fn pick<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.0.integer(0, of.len() as i64 - 1) as usize]
    }

    fn kernel(&mut self) -> String {
        let taps: Vec<String> = (0..3).map(|_| self.0.integer(-3, 3).to_string()).collect();
        let taps = taps.join(" ");
        match self.0.integer(0, 2) {
            0 => format!("(kernel ({taps}))"),
            1 => format!("(kernel {})", taps.split(' ').map(|tap| format!("({tap})")).collect::<String>()),
            _ => format!("(shift 1 -1 (kernel (origin 0 0) ({taps})))"),
        }
    }

    fn full(&mut self, depth: u32) -> String {
        if depth == 0 {
            return self.pick(&["a", "b", "s", "3", "-1"]).to_owned();
        }
        let (d, n) = (depth - 1, self.0.integer(1, 3));
        let form = self.0.integer(0, 25);
        let e = self.full(d);
        match form {
            0 | 1 => format!("(+ {e} {})", self.full(d)),
            2 => format!("(- {e} {})", self.full(d)),
            3 => format!("(* {n} {e})"),
            4 => format!("(floor-shift {n} {e})"),
            5 => format!("(round {} (* 1/3 {e}))", self.pick(&["floor", "ceiling", "zero", "up", "even"])),
            6 => format!("(quotient {e} {})", self.pick(&["3", "-4", "(max 1 a)"])),
            7 => format!("(absdiff {e} {})", self.full(d)),
            8 => format!("({} {e} {})", self.pick(&["min", "max"]), self.full(d)),
            9 => format!("(clamp -20 {}0 {e})", n * 7),
            10 => format!(
                "(select ({} {e} {}) {} a)",
                self.pick(&["<", "<=", "=", "!="]),
                self.full(d),
                self.full(d)
            ),
            11 | 12 => format!("(filter {} {e})", self.kernel()),
            13 => format!(
                "(filter (add (from 1 {}) (from 2 {})) (+ {e} 1) (neg {}))",
                self.kernel(),
                self.kernel(),
                self.full(d)
            ),
            14 => {
                format!("(filter (semiring {}) (kernel (0 1 .)) {e})", self.pick(&["max-plus", "min-plus"]))
            }
            15 => format!("(at {e} {} {n})", self.0.integer(-2, 2)),
            16 => format!("({} {} {e})", self.pick(&["wrap", "saturate"]), self.pick(&["int8", "uint4"])),
            17 | 18 => format!("(up 2 1 {})", self.half(d)),
            19 => format!("(interleave ({} {}))", self.half(d), self.half(d)),
            // Numbers have no edges.
            20 => format!("(border {} (+ (* 0 a) {e}))", self.pick(&["replicate", "zero", "wrap"])),
            21 => format!("(fold {} (d 0 {n}) (+ d (at {e} d 0)))", self.pick(&["add", "min", "argmin"])),
            22 => format!("(table-of x (- (* x x) 5) (clamp 0 7 {e}))"),
            23 => format!("(gather {e} (clamp -1 1 {}) 0)", self.full(d)),
            24 => format!("(* {e} {})", self.full(d)),
            _ => format!("(round (filter (scale 1/5 {}) {e}))", self.kernel()),
        }
    }

    fn half(&mut self, depth: u32) -> String {
        let d = depth.saturating_sub(1);
        let form = if depth == 0 { self.0.integer(0, 1) } else { self.0.integer(0, 6) };
        match form {
            0 => format!("(down 2 1 {})", self.full(d)),
            1 => format!("(phase {} 1 0 2 1)", self.full(d)),
            2 => format!("(+ {} {})", self.half(d), self.half(d)),
            3 => format!("(filter {} {})", self.kernel(), self.half(d)),
            4 => format!("(max {} {})", self.half(d), self.half(d)),
            5 => format!("(floor-shift 1 {})", self.half(d)),
            _ => format!("(gather (histogram 2 1 2 (> {} 9) {}) 0 0 1)", self.full(d), self.full(d)),
        }
    }
}

/// Every exact value that has a rate and no planes, as an output.
fn all_values(mut read: Pipeline) -> Pipeline {
    let seen = |read: &Pipeline, id| {
        let facts = read.facts(id);
        let whole = facts.planes.is_none() && facts.variables.is_empty() && facts.range().is_some();
        facts.rate.filter(|_| whole)
    };
    let outputs = read.ids().filter_map(|node| {
        let (name, span) = (format!("{}", node.index()), read.node(node).span);
        let pixel = PixelType::Integer { bits: 64, signed: true };
        Some(Output { name, span, node, pixel, rate: seen(&read, node)? })
    });
    read.outputs = outputs.collect();
    read
}

fn pictures(random: &mut Random) -> Vec<Image> {
    let mut values = || Data::Exact((0..24).map(|_| random.integer(0, 255).into()).collect());
    (0..2).map(|_| Image { width: 6, height: 4, data: values() }).collect()
}

#[test]
fn a_border_of_a_known_value_begins_where_the_picture_ends() {
    for items in [
        "(let s (wrap uint4 (quotient -1 (max 1 a))))
         (output one (filter (kernel (2) (2) (-2)) (clamp 0 7 (border zero s))))",
        // All cancels in a sum.
        "(let s (* 3 (- (abs (- a a)) 5))) (output one (+ a (filter (kernel (2 -2 -3)) (border zero s))))",
        // Numbers that repeat are left of a sum.
        "(output one (+ a (filter (kernel (1 1 0)) (border zero (+ (* 0 a) (interleave (3 -1)))))))",
        "(output one (+ a (filter (kernel (1 1 0)) (border zero (+ (* 0 a) (border replicate (+ (* 0 a) (interleave (3 -1)))))))))",
    ] {
        let text = format!("(pipeline p (inputs (a uint8)) (border replicate) {items})");
        let read = read_pipeline(&Source::new("known.sexp", text)).unwrap();
        let pictures = pictures(&mut Random::new(1));
        assert_eq!(
            execute(&read, &pictures[..1]).unwrap(),
            execute(&merge(&read).pipeline, &pictures[..1]).unwrap(),
            "{items}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn merging_keeps_values_and_values_keep_to_their_intervals(seed: u64) {
        let mut writer = Writer(Random::new(seed));
        let (stage, one, two) = (writer.full(2), writer.full(4), writer.half(3));
        // The stage does not use itself.
        let stage: String = stage.split_inclusive([' ', ')']).map(|word| match word.trim_end_matches([' ', ')']) {
            "s" => word.replace('s', "b"),
            _ => word.to_owned(),
        }).collect();
        let text = format!("(pipeline p (inputs (a uint8) (b uint8)) (border replicate)
            (let s (+ 0 {stage})) (output one (+ a {one})) (output two {two}))");
        let source = Source::new("random.sexp", text.clone());
        // Some are too wide, or divide by zero: those are refused, for these reasons only.
        let read = match read_pipeline(&source) {
            Ok(read) => read,
            Err(found) => {
                let allowed = ["too-wide", "too-far"];
                prop_assert!(found.iter().all(|d| allowed.contains(&d.id)), "{}", render(&source, &found, false));
                return Ok(());
            }
        };
        let pictures = pictures(&mut writer.0);
        let written = execute(&read, &pictures).unwrap();
        let merged = merge(&read);
        let found = execute(&merged.pipeline, &pictures).unwrap();
        prop_assert_eq!(&written, &found, "{}", text);
        let all = all_values(read);
        for (output, image) in all.outputs.iter().zip(execute(&all, &pictures).unwrap()) {
            let range = all.facts(output.node).range().unwrap();
            let Data::Exact(values) = image.data else { panic!("exact") };
            for value in values {
                prop_assert!(range.least <= value && value <= range.greatest, "{value} in {range}: {text}");
            }
        }
    }
}
