//! The time and memory of search, saturation and symbolic evaluation. Run with `cargo bench --bench search`. Each
//! name states how many items (states, e-nodes, instructions) a run has, and its peak memory in bytes.

use std::sync::Arc;

use brunch::{Bench, Benches};
use kalg::backend::array::compile::{OptimizeRequest, optimize};
use kalg::backend::array::machine::{State, Target, builtin_names};
use kalg::budget::Budget;
use kalg::rule::RuleSet;
use kalg::saturate::{Limits, saturate};
use kalg::syntax::Source;
use kalg::term::{filter_placed, read_filter};

fn target() -> Target {
    Target::builtin(builtin_names()[0]).expect("a built-in target")
}

fn source(name: &str) -> Source {
    let path = format!("{}/corpus/classic/{name}.sexp", env!("CARGO_MANIFEST_DIR"));
    Source::new(name, std::fs::read_to_string(path).expect("a file of the corpus"))
}

/// A benchmark whose name states the memory of one run, which is measured separately from its time.
fn bench<T>(name: &str, mut run: impl FnMut() -> T) -> Bench {
    let held = allocation_counter::measure(|| drop(run())).bytes_max;
    Bench::new(format!("{name}, {} kB", held / 1000)).with_samples(100).run(run)
}

/// Expanded states of the search, on one thread, and without rules so that only the search is measured.
fn states(name: &str, isa: &str) -> Bench {
    const STATES: u64 = 4_000;
    let request = OptimizeRequest {
        budget: Budget::of_work(STATES),
        ..OptimizeRequest::new(source(name), Arc::new(target()), isa, RuleSet::default())
    };
    let run = || optimize(&request, &mut |_| {}).expect("a filter of the corpus compiles");
    let searched = run().nodes_searched.unwrap_or(0);
    bench(&format!("search {name} in {isa}, {searched} states"), run)
}

/// E-nodes added by saturation.
fn saturation(name: &str) -> Bench {
    let filter = read_filter(&source(name)).expect("a filter of the corpus");
    let outputs = filter_placed(&filter).expect("finite kernels");
    let (rules, limits) = (RuleSet::builtin(), Limits { nodes: 10_000, ..Limits::default() });
    let run = || saturate(&outputs, &rules, &limits).expect("the built-in rules are sound");
    let nodes = run().statistics().nodes;
    bench(&format!("saturate {name}, {nodes} e-nodes"), run)
}

/// Instructions evaluated symbolically, all registers exactly: a blur and its derivative, repeated, each time
/// from the start so that coefficients stay in range.
fn evaluation() -> Bench {
    const ROUND: &str = "movx(B, A, east); add(A, A, B); movx(C, A, north); sub(B, C, A); divq(A, B);
        movx(B, A, west); add(A, A, B); movx(C, A, south); add(B, C, A); divq(A, B);";
    let target = target();
    let program = target.parse(&Source::new("round", ROUND)).expect("a program").program;
    let transfers = program.transfers(&target).expect("macros expand");
    bench(&format!("evaluate {} instructions", program.instructions.len()), || {
        let mut state = State::identity(target.registers.len());
        state.apply_all(&transfers);
        state
    })
}

fn all() -> Benches {
    let mut all = Benches::default();
    all.extend(
        [("gauss-3", "bus"), ("gauss-3", "macro"), ("gauss-5", "bus")].map(|(name, isa)| states(name, isa)),
    );
    all.extend(["gauss-5", "gauss-7", "log-5"].map(saturation));
    all.push(evaluation());
    all
}

fn main() {
    // Memory is counted per thread, so everything runs on one.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().expect("a thread");
    pool.install(all).finish();
}
