//! Proofs against brute force: the optima that kalg proves on a tiny machine are those found by enumerating all its programs.
//!
//! The enumeration is separate and shares nothing with kalg: rows of integers, breadth first, state by state.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;

use crate::compiled::{recheck, record, request};
use kalg::backend::array::compile::OptimizeRequest;
use kalg::backend::array::machine::read_target;
use kalg::syntax::Source;

/// Two registers and one that neighbours can read, negated sums of at most two, and a negated half.
const MACHINE: &str = r#"
(target tiny
  (doc "a machine for tests")
  (image 32 32)
  (range -128 127)
  (cycle (microseconds 1) (microjoules 1))
  (brackets start stop)
  (direction east 1 0)
  (direction west -1 0)
  (registers general A B)
  (registers link N)
  (view XE N east)
  (view XW N west)
  (operand-rules each-operand-once written-not-read)
  (isa all quick "everything")
  (operation sum (destinations 1) (sources 1 2) (weights -1) (cycles 1) (in all))
  (operation half (destinations 1) (sources 1 1) (weights -1/2) (cycles 1) (in all)))
"#;

/// All programs up to this cost are enumerated.
const DEPTH: usize = 4;
/// The number of kernels compiled.
const KERNELS: usize = 200;

/// Offsets -REACH..=REACH; a program of `DEPTH` operations moves less.
const REACH: i32 = 4;
const WIDTH: usize = 2 * REACH as usize + 1;
/// The unit of coefficients is 2^-DEPTH.
const ONE: i32 = 1 << DEPTH;

/// A kernel on the line.
type Row = [i32; WIDTH];

/// The contents of A, B and N; `None` if unknown.
type State = [Option<Row>; 3];

const A: usize = 0;
const B: usize = 1;
const N: usize = 2;

/// The value of the element `by` steps to the east.
fn seen(row: &Row, by: i32) -> Row {
    let mut moved = [0; WIDTH];
    for (place, tap) in row.iter().enumerate().filter(|(_, tap)| **tap != 0) {
        moved[(place as i32 + by) as usize] = *tap;
    }
    moved
}

/// All states after one operation.
fn successors(state: &State) -> Vec<State> {
    let mut found = Vec::new();
    for (to, moved) in [(A, 0), (B, 0), (N, 0), (N, 1), (N, -1)] {
        // A written register is not read, in any view.
        let mut sources: Vec<Row> = Vec::new();
        for from in [A, B].into_iter().filter(|from| *from != to) {
            sources.extend(state[from]);
        }
        if to != N
            && let Some(link) = &state[N]
        {
            sources.extend([0, 1, -1].map(|by| seen(link, by)));
        }
        let mut write = |value: Row| {
            let mut next = *state;
            // Written into a neighbour: this element receives the value that the opposite neighbour wrote.
            next[to] = Some(seen(&value, -moved));
            found.push(next);
        };
        for (index, first) in sources.iter().enumerate() {
            write(first.map(|tap| -tap));
            if first.iter().all(|tap| tap % 2 == 0) {
                write(first.map(|tap| -tap / 2));
            }
            for second in &sources[index + 1..] {
                let mut sum = *first;
                sum.iter_mut().zip(second).for_each(|(tap, other)| *tap = -(*tap + other));
                write(sum);
            }
        }
    }
    found
}

/// The minimum number of operations that leave a kernel in A or B, for all that need at most `DEPTH`.
fn optima() -> BTreeMap<Row, usize> {
    let mut image = [0; WIDTH];
    image[REACH as usize] = ONE;
    let mut level: Vec<State> = vec![[Some(image), None, None]];
    let mut met: HashSet<State> = level.iter().copied().collect();
    let mut least = BTreeMap::from([(image, 0)]);
    for depth in 1..=DEPTH {
        let mut next = Vec::new();
        for state in level.iter().flat_map(successors) {
            for row in state[..N].iter().flatten() {
                least.entry(*row).or_insert(depth);
            }
            if depth < DEPTH && met.insert(state) {
                next.push(state);
            }
        }
        level = next;
    }
    least
}

/// A kernel file.
fn filter(row: &Row) -> Source {
    let mut taps = String::new();
    for tap in row {
        write!(taps, " {tap}").unwrap();
    }
    Source::new(
        "row.sexp",
        format!("(filter row (inputs image) (output out (scale 1/{ONE} (kernel ({taps})))))"),
    )
}

#[test]
fn proved_optima_are_those_of_an_enumeration_of_all_programs() {
    let target = read_target(&Source::new("tiny.sexp", MACHINE)).unwrap();
    let least = optima();
    let of_depth = |depth: usize| -> Vec<Row> {
        least.iter().filter(|(_, d)| **d == depth).map(|(row, _)| *row).collect()
    };
    // Every short one, and as many longer ones as needed to make up the number, spread evenly.
    let mut rows: Vec<Row> = (0..3).flat_map(of_depth).take(KERNELS / 4).collect();
    for depth in 3..=DEPTH {
        let all = of_depth(depth);
        let wanted = (KERNELS - rows.len()) / (DEPTH + 1 - depth);
        assert!(all.len() >= wanted, "{} kernels of {depth} operations", all.len());
        rows.extend((0..wanted).map(|index| all[index * all.len() / wanted]));
    }
    assert_eq!(rows.len(), KERNELS);
    for row in rows {
        let request =
            OptimizeRequest { target: target.clone().into(), ..request(filter(&row), "all", 4_000) };
        let record = record(&request);
        assert!(record.program.is_some(), "no program for {row:?}");
        recheck(&request, &record);
        let cost = record.cycles.unwrap() as usize;
        assert!(cost >= least[&row], "{row:?} takes {} operations, not {cost}", least[&row]);
        assert_eq!(record.optimal, Some(true), "{row:?}: {cost}, at least {:?}", record.lower_bound);
        assert_eq!(cost, least[&row], "{row:?}: {:?}", record.program);
    }
}

#[test]
fn what_takes_longer_than_everything_enumerated_is_never_claimed_to_be_shorter() {
    let target = read_target(&Source::new("tiny.sexp", MACHINE)).unwrap();
    let least = optima();
    // Three taps with small weights, chosen by a small generator.
    let mut state = 1u64;
    let mut weight = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as i32 % 4 - 1
    };
    let mut checked = 0;
    for _ in 0..120 {
        let mut row = [0; WIDTH];
        row[3..6].fill_with(|| ONE * weight());
        if least.contains_key(&row) || row.iter().all(|tap| *tap == 0) {
            continue;
        }
        checked += 1;
        let request =
            OptimizeRequest { target: target.clone().into(), ..request(filter(&row), "all", 4_000) };
        let record = record(&request);
        assert!(record.cycles.is_none_or(|cycles| cycles as usize > DEPTH), "{row:?}: {:?}", record.program);
    }
    assert!(checked > 5, "{checked} kernels");
}
