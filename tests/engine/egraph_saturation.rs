//! The e-graph as its users see it: it finds decompositions, stays small, is deterministic, and stops at an
//! unsound rule.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::Arc;
use std::time::Duration;

use kalg::algebra::{Label, Placed, Random, Rational, Shape};
use kalg::budget::{Budget, Clock};
use kalg::rule::propose::Proposer;
use kalg::rule::{Action, Bounds, Propose, Rule, RuleSet};
use kalg::saturate::{EXTRACTION, Limits, SaturateError, Saturated, StopReason, saturate};
use kalg::syntax::Source;
use kalg::term::{Decomposition, Definition, filter_placed, precedes, print_equal, read_filter, written};

fn square(side: usize, taps: &[i64]) -> Placed {
    let low = -((side / 2) as i32);
    Placed::from_dense(1, [low, low, 0], [side, side, 1], taps, Rational::ONE).unwrap()
}

fn row(taps: &[i64]) -> Shape {
    Placed::from_dense(1, [0; 3], [taps.len(), 1, 1], taps, Rational::ONE).unwrap().shape
}

fn gauss3() -> Placed {
    square(3, &[1, 2, 1, 2, 4, 2, 1, 2, 1])
}

/// Distinct coefficients in no obvious order: 37 generates the residues of 101.
fn distinct(side: usize) -> Placed {
    let taps: Vec<i64> = (0..side * side).map(|i| (i as i64 * 37 + 11) % 101 + 1).collect();
    square(side, &taps)
}

/// The built-in rules of machines without memory.
fn finite() -> RuleSet {
    RuleSet::builtin().filtered(Rule::is_finite)
}

fn run(kernels: &[Placed], rules: &RuleSet, limits: &Limits) -> Saturated {
    let roots: Vec<_> = kernels.iter().enumerate().map(|(i, k)| (format!("out{i}"), k.clone())).collect();
    saturate(&roots, rules, limits).unwrap()
}

fn additions(found: &Saturated) -> u64 {
    found.extract(&Budget::of_work(EXTRACTION)).additions()
}

fn term(found: &Saturated) -> String {
    found.extract(&Budget::of_work(EXTRACTION)).text(&[])
}

fn rules(text: &str) -> RuleSet {
    RuleSet::from_sources(vec![Source::new("test.rules", text)]).unwrap()
}

fn proposers(all: Vec<Arc<dyn Proposer>>) -> RuleSet {
    RuleSet::new(all.into_iter().map(|proposer| {
        let name = proposer.name();
        let action = Action::Propose(Propose { proposer, bounds: Bounds::default() });
        Rule { group: "test".to_owned(), ..Rule::new(name, action) }
    }))
}

/// Splits every kernel of more than one tap into its first tap and the rest.
struct Peel;

impl Proposer for Peel {
    fn name(&self) -> &'static str {
        "peel"
    }
    fn doc(&self) -> &'static str {
        "K = t + R"
    }
    fn propose(&self, shape: &Shape, _most: usize, _budget: &Budget) -> Vec<Decomposition> {
        let mut taps: Vec<_> = shape.taps().map(|(c, o, t)| (c, o, Rational::integer(t))).collect();
        if taps.len() < 2 {
            return Vec::new();
        }
        let first = taps.remove(0);
        let parts = [&[first][..], &taps[..]].map(|taps| Placed::from_taps(shape.channels(), taps).unwrap());
        vec![Decomposition::Sum(parts.map(|part| (part.label, part.shape)).to_vec())]
    }
}

/// Claims that every kernel is its own square, and that it is made of itself.
struct Liar(bool);

impl Proposer for Liar {
    fn name(&self) -> &'static str {
        "liar"
    }
    fn doc(&self) -> &'static str {
        "K = K ∘ K"
    }
    fn propose(&self, shape: &Shape, _most: usize, _budget: &Budget) -> Vec<Decomposition> {
        let [outer, inner] = [shape.clone(), if self.0 { shape.clone() } else { Shape::delta(0, 1) }];
        vec![Decomposition::Compose { label: Label::IDENTITY, outer, inner }]
    }
}

#[test]
fn known_factorisations_are_found() {
    let limits = Limits { nodes: 1000, ..Limits::default() };
    let found = run(&[gauss3()], &finite(), &limits);
    assert_eq!(additions(&found), 4, "{}", term(&found));
    let sobel = square(3, &[-1, 0, 1, -2, 0, 2, -1, 0, 1]);
    assert_eq!(additions(&run(&[sobel], &finite(), &limits)), 3);
    let box5 = run(&[square(5, &[1; 25])], &finite(), &limits);
    assert_eq!(additions(&box5), 6, "{}", term(&box5));
}

#[test]
fn every_decomposition_denotes_its_kernel_and_descends() {
    let outputs = [gauss3(), square(3, &[1, 2, 1, 0, 0, 0, -1, -2, -1])];
    let found = run(&outputs, &finite(), &Limits { nodes: 3000, ..Limits::default() });
    assert!(found.decompositions().len() > 100);
    for (shape, ways) in found.decompositions().iter() {
        for (way, provenance) in ways {
            let placed = Placed { label: Label::IDENTITY, shape: shape.clone() };
            assert_eq!(way.denote(shape.channels()), Some(placed));
            assert!(way.parts().iter().all(|part| precedes(part, shape)));
            assert!(found.decompositions().contains(way.parts()[0]));
            assert!(!found.decompositions().provenance(*provenance).rule.is_empty());
            let Decomposition::Sum(terms) = way else { continue };
            let powers =
                terms.iter().all(|(label, _)| label.scale.numerator().unsigned_abs().is_power_of_two());
            assert!(powers, "{way:?}");
        }
    }
}

#[test]
fn equal_kernels_of_different_form_share_their_parts() {
    let moved = gauss3().apply(Label::new(Rational::new(-1, 4).unwrap(), [5, 0, 0])).unwrap();
    let limits = Limits { nodes: 3000, ..Limits::default() };
    let alone = run(&[gauss3()], &finite(), &limits);
    let both = run(&[gauss3(), moved], &finite(), &limits);
    assert_eq!(additions(&alone), additions(&both));
    assert_eq!(alone.statistics().nodes, both.statistics().nodes);
}

#[test]
fn an_empty_rule_set_leaves_the_kernels_as_they_are() {
    let found = run(&[gauss3()], &RuleSet::default(), &Limits::default());
    let statistics = found.statistics();
    assert_eq!((statistics.nodes, statistics.classes, statistics.iterations), (1, 1, 0));
    assert_eq!(statistics.stop_reason, StopReason::Saturated);
    assert!(found.decompositions().is_empty() && found.decompositions().contains(&gauss3().shape));
    assert_eq!(
        term(&found),
        "(output out0\n  (shift -1 -1\n    (kernel\n      (origin 0 2)\n      (1 2 1)\n      (2 4 2)\n      (1 2 1))))"
    );
}

/// The best decomposition of every filter in the corpus, as the symbolic expression that users of egg read, is also a kernel file
/// for that filter.
#[test]
fn the_best_terms_of_the_corpus_read_back_to_their_filters() {
    let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let mut checked = 0;
    for folder in ["classic", "cnn", "papers"] {
        for entry in std::fs::read_dir(corpus.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let read = |text: String| read_filter(&Source::new(path.to_string_lossy(), text));
            let Ok(filter) = read(std::fs::read_to_string(&path).unwrap()) else { continue };
            let Ok(placed) = filter_placed(&filter) else { continue };
            let limits = Limits { nodes: 300, ..Limits::default() };
            let found = saturate(&placed, &finite(), &limits).unwrap();
            let extracted = found.extract(&Budget::of_work(EXTRACTION));
            let text = print_equal(&filter, &extracted.forms(&filter.inputs));
            assert_eq!(symbolic_expressions::parser::parse_str(&text).unwrap().to_string(), text.trim_end());
            assert!(text.parse::<egg::RecExpr<egg::SymbolLang>>().is_ok(), "{text}");
            let again = read(text.clone()).and_then(|again| filter_placed(&again));
            assert_eq!(again.as_ref(), Ok(&placed), "{}: {text}", path.display());
            checked += 1;
        }
    }
    assert!(checked >= 30, "only {checked} files of the corpus were compared");
}

/// Rules for associativity and commutativity would need 3^25 nodes here; n-ary canonical sums need two per tap.
#[test]
fn twenty_five_distinct_taps_do_not_blow_up() {
    let limits = Limits { iterations: 100, ..Limits::default() };
    let found = run(&[distinct(5)], &proposers(vec![Arc::new(Peel)]), &limits);
    let statistics = found.statistics();
    assert_eq!(statistics.stop_reason, StopReason::Saturated);
    assert!(statistics.nodes <= 3 * 25, "{} nodes", statistics.nodes);
    let flat = "(rule flat (add ?a (add ?b ?s...)) => (add ?a ?b ?s...))";
    let with_rule = RuleSet::new(
        rules(flat).rules().iter().cloned().chain(proposers(vec![Arc::new(Peel)]).rules().iter().cloned()),
    );
    let found = run(&[distinct(5)], &with_rule, &limits);
    assert_eq!(found.statistics().stop_reason, StopReason::Saturated);
    assert!(found.statistics().nodes <= 25 * 25, "{} nodes", found.statistics().nodes);
}

#[test]
fn limits_are_kept() {
    for nodes in [1, 50, 1000] {
        let limits = Limits { nodes, ..Limits::default() };
        let found = run(&[distinct(5)], &finite(), &limits);
        // The last decomposition may add a few parts.
        assert!(found.statistics().nodes <= nodes + 16, "{} of {nodes}", found.statistics().nodes);
        assert_eq!(found.statistics().stop_reason, StopReason::Nodes(nodes));
    }
    let classes = run(&[distinct(5)], &finite(), &Limits { classes: 40, ..Limits::default() });
    assert_eq!(classes.statistics().stop_reason, StopReason::Classes(40));
    let iterations = run(&[distinct(5)], &finite(), &Limits { iterations: 1, ..Limits::default() });
    assert_eq!(iterations.statistics().stop_reason, StopReason::Iterations(1));
    let ticks = std::sync::atomic::AtomicU64::new(0);
    let clock: Clock =
        Arc::new(move || Duration::from_millis(ticks.fetch_add(1, std::sync::atomic::Ordering::Relaxed)));
    let until = Duration::from_millis(100);
    let limits =
        Limits { budget: Budget::unlimited().with_clock(&clock).until(Some(until)), ..Limits::default() };
    let stopped = run(&[distinct(5)], &finite(), &limits);
    assert!(matches!(stopped.statistics().stop_reason, StopReason::Time(_)));
}

/// A kernel of pseudo-random coefficients without repetition.
fn random(side: usize, most: i64) -> Placed {
    let mut random = Random::new(3);
    let taps: Vec<i64> = (0..side * side).map(|_| random.integer(-most, most)).collect();
    square(side, &taps)
}

#[test]
fn work_is_bounded_however_large_the_kernels_are() {
    const WORK: u64 = 1 << 20;
    let many: Vec<Placed> = (0..24).map(|n| random(9 + n % 3, 99)).collect();
    for kernels in [vec![random(31, 99)], vec![random(48, 99)], vec![random(63, 1 << 30)], many] {
        let bounded = || {
            let limits = Limits { budget: Budget::of_work(WORK), ..Limits::default() };
            let found = run(&kernels, &finite(), &limits);
            (found.statistics().clone(), limits.budget.spent())
        };
        let (statistics, spent) = bounded();
        assert_eq!(statistics.stop_reason, StopReason::Work);
        // A few proposals begin before the first of them is counted.
        let largest = kernels.iter().map(|kernel| kernel.shape.dense().len() as u64).max().unwrap();
        assert!(spent < 5 * WORK + 32 * 500 * largest, "{spent}");
        assert_eq!(bounded(), (statistics, spent), "the same work, the same result");
    }
}

#[test]
fn forty_nine_distinct_coefficients_meet_a_limit_and_stay_small() {
    let limits = Limits::default();
    let found = run(&[distinct(7)], &finite(), &limits);
    let statistics = found.statistics();
    assert!(statistics.nodes <= limits.nodes + 16 && statistics.classes <= limits.classes + 16);
    assert!(!found.decompositions().of(&distinct(7).shape).is_empty());
}

#[test]
fn two_runs_give_the_same_bytes_on_any_number_of_threads() {
    let limits = Limits { nodes: 4000, ..Limits::default() };
    let text = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let found = run(&[distinct(5), gauss3()], &finite(), &limits);
            format!("{:?}\n{:?}\n{}", found.decompositions(), found.statistics(), term(&found))
        })
    };
    let once = text(1);
    assert!(once == text(1) && once == text(3));
}

#[test]
fn growing_goes_on_where_the_first_run_ended() {
    let mut found = run(&[gauss3()], &finite(), &Limits { nodes: 300, ..Limits::default() });
    let before = found.statistics().nodes;
    let met = square(3, &[1, 2, 1, 2, 4, 2, 1, 2, 3]).shape;
    found.grow(std::slice::from_ref(&met), &Limits { nodes: 300, ..Limits::default() }).unwrap();
    assert!(!found.decompositions().of(&met).is_empty());
    let added = found.statistics().nodes - before;
    assert!((300..=316).contains(&added), "{added}");
    assert!(found.explain(&met).is_empty(), "what a search asks for is a root");
}

#[test]
fn outputs_are_made_from_one_another() {
    let mut other = [1, 2, 1, 2, 4, 2, 1, 2, 1];
    other[8] = 2;
    let found = run(&[gauss3(), square(3, &other)], &rules("(proposer pairs)"), &Limits::default());
    let ways = found.decompositions().of(&square(3, &other).shape);
    assert!(ways.iter().any(|(way, _)| way.parts().contains(&&gauss3().shape)), "{ways:?}");
}

#[test]
fn an_explanation_leads_from_an_output_to_its_part() {
    let found = run(&[gauss3()], &finite(), &Limits::default());
    let steps = found.explain(&row(&[1, 1]));
    assert!(!steps.is_empty());
    assert_eq!(steps[0].from, gauss3().shape);
    assert_eq!(steps[steps.len() - 1].to, row(&[1, 1]));
    assert!(steps.windows(2).all(|pair| pair[0].to == pair[1].from));
    assert!(found.explain(&row(&[7, 77, 777])).is_empty());
}

#[test]
fn statistics_add_up() {
    let found = run(&[gauss3()], &finite(), &Limits { nodes: 2000, ..Limits::default() });
    let statistics = found.statistics();
    assert_eq!(statistics.rules.iter().map(|rule| rule.classes).sum::<usize>(), statistics.classes - 1);
    assert_eq!(statistics.rules.iter().map(|rule| rule.nodes).sum::<usize>(), statistics.nodes - 1);
    assert!(statistics.rules.iter().all(|rule| rule.seconds == 0.0), "no clock was given");
}

fn unsound(rules: &RuleSet, kernel: Placed) -> SaturateError {
    match saturate(&[("out".to_owned(), kernel)], rules, &Limits::default()) {
        Ok(_) => panic!("an unsound rule went through"),
        Err(error) => error,
    }
}

/// Finds a column and a row, and then adds them instead of composing them.
const UNSOUND: &str = "(proposer separable) (rule add-factors (compose ?a ?b) => (add ?a ?b))";

#[test]
fn an_unsound_rule_is_stopped_with_both_kernels() {
    let error = unsound(&rules(UNSOUND), gauss3());
    insta::assert_snapshot!(error);
    let SaturateError::Unsound { rule, place, .. } = error;
    assert_eq!(rule, "add-factors");
    let (_, position) = place.split_once(':').unwrap();
    assert_eq!(position, "1:22", "the place of the rule in its file");
}

#[test]
fn an_unsound_proposer_is_stopped_and_a_circular_one_refused() {
    insta::assert_snapshot!(unsound(&proposers(vec![Arc::new(Liar(true))]), gauss3()));
    let found = run(&[gauss3()], &proposers(vec![Arc::new(Liar(false))]), &Limits::default());
    assert!(found.decompositions().of(&gauss3().shape).is_empty());
    assert_eq!(found.statistics().rules[0].refused, 1);
}

#[test]
fn after_an_error_nothing_can_be_read() {
    let kernel = Placed::from_dense(1, [0; 3], [2, 1, 1], &[1, 1], Rational::ONE).unwrap();
    let mut found = run(&[kernel], &rules(UNSOUND), &Limits::default());
    let error = found.grow(&[gauss3().shape], &Limits::default()).unwrap_err();
    assert_eq!(found.grow(&[], &Limits::default()), Err(error));
    assert!(found.decompositions().iter().len() == 0);
}

#[test]
fn sliding_windows_are_nodes_and_scans_are_matched() {
    let row = Placed::from_dense(1, [0; 3], [9, 1, 1], &[1; 9], Rational::ONE).unwrap();
    let limits = Limits { nodes: 300, ..Limits::default() };
    assert_eq!(additions(&run(std::slice::from_ref(&row), &finite(), &limits)), 4);
    // The entering values less the leaving ones, and the scan.
    let found = run(std::slice::from_ref(&row), &RuleSet::builtin(), &limits);
    assert_eq!(additions(&found), 2);
    // A rule may match scans: this one applies the scan first.
    let text =
        "(rule window ?k => (compose (scan west) (sub ?k (shift -1 0 ?k))) (when (taps-at-least ?k 3)))
                (rule table (compose (scan west) ?a) => (compose ?a (scan west)))";
    let rules = RuleSet::from_sources(vec![Source::new("r.rules", text)]).unwrap();
    let found = run(std::slice::from_ref(&row), &rules, &limits);
    let scans_first = found
        .decompositions()
        .of(&row.shape)
        .iter()
        .filter(|(way, _)| matches!(way, Decomposition::Compose { inner, .. } if !inner.is_finite()));
    assert_eq!(scans_first.count(), 1);
}

#[test]
fn what_is_written_with_scans_is_stated() {
    let text = "(filter f (inputs in) (let table (compose (scan x) (scan y)))
                  (output box (compose (sub (id) (shift 4 0 (id))) (sub (id) (shift 0 4 (id))) table)))";
    let filter = read_filter(&Source::new("f.sexp", text)).unwrap();
    let stated = written(&filter).unwrap();
    let infinite = stated.iter().filter(|definition| !definition.is_finite());
    assert!(infinite.count() >= 2, "the table, and what reads it: {stated:?}");
    for Definition { whole, way, .. } in &stated {
        let whole = Placed { label: Label::IDENTITY, shape: whole.clone() };
        assert_eq!(way.denote(1), Some(whole));
    }
}
