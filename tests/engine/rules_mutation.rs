//! Mutated rules: every shipped rewrite and fifty sound rules, each changed in ten ways, judged by the checker and by an
//! independent oracle. The oracle must not refute a proved rule; a refuted rule must fail at the stated counterexample.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![allow(clippy::print_stdout, reason = "the share of what is unknown is told")]

use std::collections::BTreeMap;

use kalg::rule::{Action, Refutation, RuleSet, Verdict, check};
use kalg::syntax::Source;

use super::rules_oracle::{Env, Kernel, Q, RINGS, Ring, Rule, Sexp, Value};

/// The number of random kernels of the checker for each mutant, and of the oracle for mutants that the checker did not refute.
const TRIALS: usize = 100;
const PROBES: usize = 40;

const WAYS: usize = 10;

/// splitmix64.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// A rule as written in its file, in all its semirings.
struct Original {
    name: String,
    rings: Vec<&'static str>,
    lhs: Sexp,
    rhs: Sexp,
    conditions: Vec<Sexp>,
}

fn originals() -> Vec<Original> {
    let folder = env!("CARGO_MANIFEST_DIR");
    let files = ["rules/algebra.rules", "rules/factor.rules", "rules/scan.rules", "tests/rules/sound.rules"];
    let text = files.map(|file| std::fs::read_to_string(format!("{folder}/{file}")).unwrap()).join("\n");
    // Quoted texts contain parentheses, but nothing relevant here.
    let unquoted: String = text.split('"').step_by(2).collect();
    Sexp::all(&unquoted).iter().filter(|sexp| sexp.head() == "rule").map(original).collect()
}

fn original(sexp: &Sexp) -> Original {
    let items = sexp.items();
    let arrow = items.iter().position(|item| item.atom() == "=>").unwrap();
    let clause =
        |name: &str| items.iter().find(|item| item.head() == name).map(|item| item.items()[1..].to_vec());
    let rings = clause("semirings").unwrap_or_else(|| vec![Sexp::Atom("plus-times".to_owned())]);
    let known = |ring: &Sexp| RINGS.iter().find(|(name, _)| *name == ring.atom()).unwrap().0;
    Original {
        name: items[1].atom().to_owned(),
        rings: rings.iter().map(known).collect(),
        lhs: items[arrow - 1].clone(),
        rhs: items[arrow + 1].clone(),
        conditions: clause("when").unwrap_or_default(),
    }
}

/// The places of terms in a right side, as paths of indices; kernels and numbers are not entered.
fn places(sexp: &Sexp, here: &mut Vec<usize>, found: &mut Vec<Vec<usize>>) {
    if !sexp.atom().ends_with("...") {
        found.push(here.clone());
    }
    let first = match sexp.head() {
        "add" | "sub" | "compose" | "neg" => 1,
        "scale" => 2,
        "shift" => sexp.items().len() - 1,
        _ => sexp.items().len(),
    };
    for i in first..sexp.items().len() {
        here.push(i);
        places(&sexp.items()[i], here, found);
        here.pop();
    }
}

fn at<'s>(sexp: &'s mut Sexp, place: &[usize]) -> &'s mut Sexp {
    place.iter().fold(sexp, |sexp, i| match sexp {
        Sexp::List(items) => &mut items[*i],
        Sexp::Atom(_) => unreachable!("a place leads through lists"),
    })
}

fn wrapped(sexp: &mut Sexp, before: &str, after: &str) {
    *sexp = Sexp::all(&format!("({before} {sexp}{after})")).remove(0);
}

/// Changes one random atom in `sexp` for which `change` returns another.
fn change_atom(sexp: &mut Sexp, dice: &mut Dice, change: &impl Fn(&str) -> Option<String>) -> bool {
    fn atoms<'s>(sexp: &'s mut Sexp, found: &mut Vec<&'s mut String>) {
        match sexp {
            Sexp::Atom(text) => found.push(text),
            Sexp::List(items) => items.iter_mut().for_each(|item| atoms(item, found)),
        }
    }
    let mut all = Vec::new();
    atoms(sexp, &mut all);
    let mut able: Vec<&mut String> = all.into_iter().filter(|text| change(text).is_some()).collect();
    if able.is_empty() {
        return false;
    }
    let chosen = dice.below(able.len());
    *able[chosen] = change(able[chosen]).unwrap();
    true
}

/// The rule in one semiring, changed in one of the ten ways.
fn mutant(rule: &Original, way: usize, dice: &mut Dice) -> (&'static str, Sexp, Sexp, Vec<Sexp>) {
    let (mut ring, mut rhs, mut conditions) =
        (*dice.pick(&rule.rings), rule.rhs.clone(), rule.conditions.clone());
    let mut all = Vec::new();
    places(&rhs, &mut Vec::new(), &mut all);
    let place = dice.pick(&all).clone();
    let increment = |text: &str| text.parse::<i64>().ok().map(|n| (n + 1).to_string());
    match way {
        // A sign.
        0 => wrapped(at(&mut rhs, &place), "neg", ""),
        // An offset.
        1 => wrapped(at(&mut rhs, &place), "shift 1 0", ""),
        // A factor.
        2 => wrapped(at(&mut rhs, &place), "scale 3", ""),
        // A factor of one, which is not the unit of every semiring.
        3 => wrapped(at(&mut rhs, &place), "scale 1", ""),
        // Another semiring.
        4 => {
            let others: Vec<&'static str> = RINGS
                .iter()
                .map(|(name, _)| *name)
                .filter(|name| rule.rings.len() == 4 || !rule.rings.contains(name))
                .collect();
            ring = *dice.pick(&others);
        }
        // A dropped condition, otherwise a doubled term.
        5 if conditions.is_empty() => {
            let term = at(&mut rhs, &place).to_string();
            wrapped(at(&mut rhs, &place), "add", &format!(" {term}"));
        }
        5 => {
            conditions.remove(dice.below(conditions.len()));
        }
        // A variable in place of another.
        6 => {
            let variables: Vec<String> = kernels(rule);
            let other =
                variables.get(dice.below(1 + variables.len())).map_or("(id)", String::as_str).to_owned();
            let change =
                |text: &str| (variables.iter().any(|v| v == text) && text != other).then(|| other.clone());
            if !change_atom(&mut rhs, dice, &change) {
                wrapped(at(&mut rhs, &place), "compose", " (kernel (0 1 0))");
            }
        }
        // An operator.
        7 => {
            let pairs =
                [("compose", "add"), ("add", "compose"), ("+", "*"), ("*", "+"), ("/", "*"), ("sub", "add")];
            let change =
                |text: &str| pairs.iter().find(|(from, _)| *from == text).map(|(_, to)| (*to).to_owned());
            if !change_atom(&mut rhs, dice, &change) {
                wrapped(at(&mut rhs, &place), "add", " (id)");
            }
        }
        // A number, otherwise a kernel with zeros.
        8 => {
            if !change_atom(&mut rhs, dice, &increment) {
                wrapped(at(&mut rhs, &place), "compose (kernel (0 1 0))", "");
            }
        }
        // A changed condition, otherwise an additional one.
        _ => {
            let numbers: Vec<String> = numbers(rule);
            let swap = [
                ("equal", "different"),
                ("less", "divisible"),
                ("divisible", "less"),
                ("different", "equal"),
            ];
            let change =
                |text: &str| swap.iter().find(|(from, _)| *from == text).map(|(_, to)| (*to).to_owned());
            let changed = conditions.first_mut().is_some_and(|first| change_atom(first, dice, &change));
            match numbers.first() {
                _ if changed => {}
                Some(number) => {
                    conditions.extend(Sexp::all(&format!("(equal {number} (eval (+ 2 3)))")));
                    wrapped(at(&mut rhs, &place), "scale (eval (/ 2 (* 1 2)))", "");
                }
                None => {
                    let first = kernels(rule).into_iter().next();
                    conditions
                        .extend(first.and_then(|first| Sexp::all(&format!("(single-tap {first})")).pop()));
                    wrapped(at(&mut rhs, &place), "scale (eval (+ 1 (/ 1)))", "");
                }
            }
        }
    }
    // Text that was inserted is parsed again.
    (ring, rule.lhs.clone(), Sexp::all(&rhs.to_string()).remove(0), conditions)
}

fn kernels(rule: &Original) -> Vec<String> {
    named(rule, 'k')
}

fn numbers(rule: &Original) -> Vec<String> {
    named(rule, 'n')
}

fn named(rule: &Original, sort: char) -> Vec<String> {
    let variables = in_ring(rule, "plus-times").variables();
    let of_sort = variables.iter().filter(|(_, found)| **found == sort);
    of_sort.map(|(name, _)| format!("?{name}")).collect()
}

fn in_ring(rule: &Original, ring: &str) -> Rule {
    let (lhs, rhs) = (rule.lhs.clone(), rule.rhs.clone());
    Rule { ring: Ring::named(ring), lhs, rhs, conditions: rule.conditions.clone() }
}

/// A kernel with few taps; sometimes one of a special form, or one similar to a known kernel.
fn kernel(rule: &Rule, known: &[Kernel], dice: &mut Dice) -> Kernel {
    let value = |dice: &mut Dice| match (rule.ring, dice.below(6)) {
        (Ring::OrAnd, _) => Q::whole(1),
        (ring, 0 | 1) => ring.one(),
        (_, 2) => Q::new(dice.below(9) as i128 - 4, 2).unwrap(),
        (_, 3) => Q::whole(21),
        _ => Q::whole(dice.below(9) as i128 - 4),
    };
    let mut fresh = Kernel::new();
    let many = [1, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 55][dice.below(12)];
    let side = if many > 9 { 9 } else { 3 };
    while fresh.len() < many {
        let value = value(dice);
        if !rule.ring.is_zero(value) {
            fresh.insert((dice.below(side) as i32 - 1, dice.below(side) as i32 - 1), value);
        }
    }
    let turned =
        |kernel: &Kernel| kernel.iter().map(|((x, y), value)| ((1 - x, -y), *value)).collect::<Kernel>();
    let made = match (dice.below(6), known.last()) {
        (0, Some(last)) => Some(last.clone()),
        (1, Some(last)) => {
            let moved: Kernel = last.iter().map(|((x, y), value)| ((x + 1, *y), *value)).collect();
            let by = if rule.ring == Ring::PlusTimes { *dice.pick(&[-1, 1, 2]) } else { 0 };
            if rule.ring == Ring::PlusTimes { rule.scaled(&moved, Q::whole(by)) } else { Some(moved) }
        }
        (2, _) => {
            let mut both = turned(&fresh);
            both.extend(turned(&both));
            Some(both)
        }
        _ => None,
    };
    made.filter(|kernel| !kernel.is_empty()).unwrap_or(fresh)
}

/// Random values for the variables of a rule; numbers often satisfy its conditions.
fn environment(rule: &Rule, dice: &mut Dice) -> Env {
    let mut env = Env::new();
    let mut known = Vec::new();
    let text = format!("{} {} {:?}", rule.lhs, rule.rhs, rule.conditions);
    let mut pool: Vec<Q> =
        text.split(|c: char| !c.is_ascii_digit() && c != '-').filter_map(Q::read).collect();
    pool.extend([-3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 12, 14, -7].map(Q::whole));
    pool.push(Q::new(1, 2).unwrap());
    pool.retain(|number| !rule.ring.is_zero(*number) && (rule.ring != Ring::OrAnd || *number == Q::whole(1)));
    for (name, sort) in rule.variables() {
        let value = match sort {
            'n' => Value::Number(*dice.pick(&pool)),
            's' => Value::Many((0..dice.below(3)).map(|_| kernel(rule, &known, dice)).collect()),
            _ => {
                known.push(kernel(rule, &known, dice));
                Value::One(known.last().unwrap().clone())
            }
        };
        env.insert(name, value);
    }
    // An equation determines a number.
    for condition in &rule.conditions {
        let items = condition.items();
        if let ("equal", Some(name)) = (condition.head(), items[1].atom().strip_prefix('?'))
            && let Some(value) = rule.number(&items[2], &env)
        {
            env.insert(name.to_owned(), Value::Number(value));
        }
    }
    env
}

/// Values for which the sides differ, if the oracle finds any.
fn oracle_refutes(rule: &Rule, dice: &mut Dice) -> Option<Env> {
    (0..PROBES).map(|_| environment(rule, dice)).find(|env| rule.holds(env) == Some(false))
}

/// The values of the variables in a stated counterexample; `None` for kernels of several channels.
fn stated(rule: &Rule, values: &[(String, Vec<String>)]) -> Option<Env> {
    let sorts = rule.variables();
    let read = |(name, texts): &(String, Vec<String>)| {
        let name = name.trim_start_matches('?');
        let kernels = || texts.iter().map(|text| printed(text)).collect::<Option<Vec<_>>>();
        let value = match sorts[name] {
            'n' => Value::Number(Q::read(texts[0].trim())?),
            's' => Value::Many(kernels()?),
            _ => Value::One(kernels()?.remove(0)),
        };
        Some((name.to_owned(), value))
    };
    values.iter().map(read).collect()
}

/// A kernel in the form of messages: a box with its position, or a matrix around the origin.
fn printed(text: &str) -> Option<Kernel> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    if text.contains("channel") || text.contains("corner") {
        return None;
    }
    let ends = |line: &str, axis: &str| -> Option<(i32, i32)> {
        let (_, after) = line.split_once(axis)?;
        let (low, high) = after.split(',').next()?.split_once("..")?;
        Some((low.trim().parse().ok()?, high.trim().parse().ok()?))
    };
    let (low, high, rows) = match lines.split_first() {
        Some((first, rows)) if first.starts_with("x =") => {
            (ends(first, "x =")?.0, ends(first, "y =")?.1, rows)
        }
        _ => {
            let width = lines.first()?.split_whitespace().count();
            (-(width as i32 / 2), lines.len() as i32 / 2, &lines[..])
        }
    };
    let mut kernel = Kernel::new();
    for (i, row) in rows.iter().enumerate() {
        for (j, cell) in row.trim_matches(['[', ']']).split_whitespace().enumerate() {
            if let Some(value) = Q::read(cell) {
                kernel.insert((low + j as i32, high - i as i32), value);
            }
        }
    }
    // A box shows zeros at empty places.
    let boxed = lines[0].starts_with("x =");
    kernel.retain(|_, value| !boxed || *value != Q::whole(0));
    Some(kernel)
}

#[derive(Default)]
struct Tally {
    counts: BTreeMap<&'static str, usize>,
    wrong: Vec<String>,
    missed: Vec<String>,
}

/// Judges a rule in one semiring with checker and oracle.
fn judge(text: &str, rule: &Rule, dice: &mut Dice, tally: &mut Tally) -> Option<Verdict> {
    let Ok(read) = RuleSet::from_sources(vec![Source::new("mutant.rules", text)]) else {
        *tally.counts.entry("no rule").or_default() += 1;
        return None;
    };
    assert!(matches!(read.rules()[0].action, Action::Rewrite(_)));
    let verdict = check(&read.rules()[0], TRIALS, 1);
    let word = match &verdict {
        Verdict::Proved => {
            if !rule.has_meaning() {
                tally.wrong.push(format!("proved, but it cannot be written in its semiring: {text}"));
            } else if let Some(env) = oracle_refutes(rule, dice) {
                tally.wrong.push(format!("falsely proved: {text}\n  {env:?}"));
            }
            "proved"
        }
        Verdict::Refuted(refutation) => {
            let fails = match &**refutation {
                Refutation::Meaningless { .. } => !rule.has_meaning(),
                Refutation::CounterExample(example) => match stated(rule, &example.values) {
                    Some(env) => rule.holds(&env) == Some(false),
                    None => oracle_refutes(rule, dice).is_some(),
                },
            };
            if !fails {
                tally.wrong.push(format!("falsely refuted: {text}\n{refutation}"));
            }
            "refuted"
        }
        Verdict::Unknown => {
            if rule.has_meaning() && oracle_refutes(rule, dice).is_some() {
                tally.missed.push(text.to_owned());
            }
            "unknown"
        }
    };
    *tally.counts.entry(word).or_default() += 1;
    Some(verdict)
}

fn text(ring: &str, lhs: &Sexp, rhs: &Sexp, conditions: &[Sexp]) -> String {
    let conditions: Vec<String> = conditions.iter().map(Sexp::to_string).collect();
    let when =
        if conditions.is_empty() { String::new() } else { format!(" (when {})", conditions.join(" ")) };
    format!("(rule m (semirings {ring}) {lhs} => {rhs}{when})")
}

/// No rule that holds is refuted, and all are proved except those that hold only because of their conditions.
#[test]
fn sound_rules_are_not_refuted() {
    let (mut tally, mut dice) = (Tally::default(), Dice(7));
    let mut unknown = Vec::new();
    let originals = originals();
    assert!(originals.len() >= 70, "{}", originals.len());
    for original in &originals {
        for name in &original.rings {
            let rule = in_ring(original, name);
            let text = text(name, &original.lhs, &original.rhs, &original.conditions);
            match judge(&text, &rule, &mut dice, &mut tally) {
                Some(Verdict::Refuted(_)) | None => panic!("{text}"),
                Some(Verdict::Unknown) => unknown.push(original.name.clone()),
                Some(Verdict::Proved) => {}
            }
        }
    }
    assert_eq!(tally.wrong, [""; 0]);
    assert_eq!(tally.missed, [""; 0]);
    println!("sound rules: {:?}; unknown: {unknown:?}", tally.counts);
    assert_eq!(unknown, ["greater-factor", "smaller-factor"]);
}

#[test]
fn mutated_rules_are_judged_rightly() {
    let mut tally = Tally::default();
    for (i, original) in originals().iter().enumerate() {
        for way in 0..WAYS {
            let mut dice = Dice((i * WAYS + way) as u64);
            let (name, lhs, rhs, conditions) = mutant(original, way, &mut dice);
            let text = text(name, &lhs, &rhs, &conditions);
            let rule = Rule { ring: Ring::named(name), lhs, rhs, conditions };
            judge(&text, &rule, &mut dice, &mut tally);
        }
    }
    let of = |word: &str| tally.counts.get(word).copied().unwrap_or(0);
    let judged = of("proved") + of("refuted") + of("unknown");
    println!(
        "{judged} mutants: {} proved, {} refuted, {} unknown ({:.1} %), of which the oracle refutes {}; {} are no rules",
        of("proved"),
        of("refuted"),
        of("unknown"),
        100.0 * of("unknown") as f64 / judged as f64,
        tally.missed.len(),
        of("no rule")
    );
    println!("{}", tally.missed.join("\n"));
    assert!(tally.wrong.is_empty(), "{}", tally.wrong.join("\n\n"));
    assert!(judged > 550, "{judged}");
    assert!(20 * of("unknown") <= judged && 100 * tally.missed.len() <= judged);
}
