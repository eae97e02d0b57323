//! What the search costs: states per second and bytes per state, saturation, symbolic evaluation. Run with
//! `cargo bench --bench search`; divan's table gives items (states, e-nodes, instructions) per second, and under
//! `max alloc` the bytes that were held at once, of which the states' share is that over the number of states.

use std::sync::Arc;
use std::time::Duration;

use divan::counter::ItemsCount;
use divan::{AllocProfiler, Bencher};
use kalg::backend::array::compile::{OptimizeRequest, optimize};
use kalg::backend::array::machine::{State, Target, builtin_names};
use kalg::rule::RuleSet;
use kalg::saturate::{Limits, saturate};
use kalg::syntax::Source;
use kalg::term::{filter_placed, read_filter};

#[global_allocator]
static ALLOCATIONS: AllocProfiler = AllocProfiler::system();

fn main() {
    divan::main();
}

fn target() -> Target {
    Target::builtin(builtin_names()[0]).expect("a built-in target")
}

fn source(name: &str) -> Source {
    let path = format!("{}/corpus/classic/{name}.sexp", env!("CARGO_MANIFEST_DIR"));
    Source::new(name, std::fs::read_to_string(path).expect("a file of the corpus"))
}

/// States of the search that are expanded, on one thread; without rules, so that nothing but the search is measured.
#[divan::bench(args = [("gauss-3", "bus"), ("gauss-3", "macro"), ("gauss-5", "bus")], sample_count = 5)]
fn states(bencher: Bencher, (name, isa): (&str, &str)) {
    const STATES: u64 = 4_000;
    let request = OptimizeRequest {
        nodes: Some(STATES),
        ..OptimizeRequest::new(
            source(name),
            Arc::new(target()),
            isa,
            RuleSet::default(),
            Arc::new(|| Duration::ZERO),
        )
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let run = || pool.install(|| optimize(&request, &mut |_| {})).expect("a filter of the corpus compiles");
    let searched = run().nodes_searched.unwrap_or(0);
    bencher.counter(ItemsCount::new(searched)).bench_local(run);
}

/// E-nodes that saturation adds.
#[divan::bench(args = ["gauss-5", "gauss-7", "log-5"], sample_count = 5)]
fn saturation(bencher: Bencher, name: &str) {
    let filter = read_filter(&source(name)).expect("a filter of the corpus");
    let outputs = filter_placed(&filter).expect("finite kernels");
    let (rules, limits) = (RuleSet::builtin(), Limits { nodes: 10_000, ..Limits::default() });
    let run = || saturate(&outputs, &rules, &limits).expect("the built-in rules are sound");
    bencher.counter(ItemsCount::new(run().statistics().nodes)).bench_local(run);
}

/// Instructions that are evaluated symbolically, all registers exactly: a blur and its derivative over and over, from the
/// start each time, so that coefficients stay within their range.
#[divan::bench]
fn evaluation(bencher: Bencher) {
    const ROUND: &str = "movx(B, A, east); add(A, A, B); movx(C, A, north); sub(B, C, A); divq(A, B);
        movx(B, A, west); add(A, A, B); movx(C, A, south); add(B, C, A); divq(A, B);";
    let target = target();
    let program = target.parse(&Source::new("round", ROUND)).expect("a program").program;
    let steps = program.steps(&target).expect("macros expand");
    bencher.counter(ItemsCount::new(program.instructions.len())).bench_local(|| {
        let mut state = State::identity(target.registers.len());
        state.apply_all(&steps);
        state
    });
}
