//! Requests beyond the filter: registers, fixed inputs and outputs, inputs to keep; and filters at the limits
//! of the machine.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crate::compiled::{compiled, file, record, refusal, request};
use kalg::backend::array::compile::OptimizeRequest;
use kalg::backend::array::machine::Division;
use kalg::budget::Budget;
use kalg::report::OptimizeRecord;
use kalg::syntax::Source;

/// Search nodes that suffice for each filter here.
const NODES: u64 = 400;

fn text(text: &str) -> OptimizeRequest {
    request(Source::new("test.sexp", text), "bus", NODES)
}

fn one(kernel: &str) -> OptimizeRequest {
    text(&format!("(filter test (inputs image) (output out {kernel}))"))
}

fn names(registers: &[&str]) -> Vec<String> {
    registers.iter().map(|r| (*r).to_owned()).collect()
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(port, register)| ((*port).to_owned(), (*register).to_owned())).collect()
}

fn places(ports: &[kalg::report::Port]) -> Vec<&str> {
    ports.iter().map(|p| p.register.as_deref().unwrap()).collect()
}

fn cycles(record: &OptimizeRecord) -> u32 {
    record.cycles.unwrap()
}

#[test]
fn inputs_are_kept_where_that_is_asked() {
    for (isa, nodes) in [("bus", NODES), ("macro", NODES), ("basic", 2000)] {
        for path in ["classic/prewitt-x.sexp", "classic/row-121.sexp", "classic/roberts-pair.sexp"] {
            let mut request = request(file(path), isa, nodes);
            request.keep_input = true;
            // `compiled` checks that the input is still there.
            let record = compiled(&request);
            assert!(record.keep_input);
            let input = record.inputs[0].register.clone();
            assert!(record.outputs.iter().all(|o| o.register != input), "{path}");
        }
    }
}

#[test]
fn inputs_and_outputs_are_where_they_are_wanted() {
    let mut request = request(file("classic/roberts-pair.sexp"), "bus", NODES);
    let outputs: Vec<String> = record(&request).outputs.iter().map(|o| o.name.clone()).collect();
    request.inputs = pairs(&[("image", "D")]);
    request.outputs = pairs(&[(&outputs[0], "F"), (&outputs[1], "B")]);
    let found = compiled(&request);
    assert_eq!((places(&found.inputs), places(&found.outputs)), (vec!["D"], vec!["F", "B"]));
    request.outputs = pairs(&[(&outputs[1], "F")]);
    assert_eq!(places(&compiled(&request).outputs)[1], "F");
}

#[test]
fn an_output_in_the_register_of_a_kept_input_is_refused() {
    let mut request = request(file("classic/prewitt-x.sexp"), "bus", 100);
    request.keep_input = true;
    request.outputs = pairs(&[("out", "A")]);
    let said = refusal(&request);
    assert!(said.contains("`image` is to be kept") && said.contains("`out`"), "{said}");
}

#[test]
fn only_the_registers_named_are_used() {
    let mut request = request(file("classic/sobel-x.sexp"), "bus", NODES);
    request.registers = Some(names(&["F", "C", "A"]));
    // `compiled` checks that no other register occurs in the program.
    let record = compiled(&request);
    assert_eq!(record.registers, ["F", "C", "A"]);
    assert_eq!(places(&record.inputs), ["F"]);
}

#[test]
fn a_filter_that_does_not_fit_says_how_many_registers_would_do() {
    let mut request = request(file("classic/gauss-5.sexp"), "macro", NODES);
    request.registers = Some(names(&["A", "B"]));
    request.keep_input = true;
    let none = record(&request).no_program.expect("the filter and its input do not fit two registers");
    assert!(none.reason.contains("with at most 2 registers"), "{}", none.reason);
    let fewest = none.fewest_registers.expect("some number of registers does") as usize;
    assert!((3..=6).contains(&fewest), "{fewest}");
    request.registers = Some(names(&["A", "B", "C", "D", "E", "F"][..fewest]));
    // The stated number comes from a longer search than that of the request.
    request.budget = Budget::of_work(10 * NODES);
    compiled(&request);
}

#[test]
fn more_outputs_than_registers_are_counted() {
    let mut request = request(file("classic/roberts-pair.sexp"), "bus", NODES);
    request.registers = Some(names(&["A", "B"]));
    request.keep_input = true;
    let none = record(&request).no_program.expect("three values do not fit two registers");
    assert!(none.reason.starts_with("3 values must be held at the end in 2 registers"), "{}", none.reason);
    assert!(none.fewest_registers.is_some_and(|n| n >= 3), "{none:?}");
}

#[test]
fn mistakes_in_a_request_are_named_all_at_once() {
    let mut request = one("(kernel (1 0 -1))");
    request.registers = Some(names(&["A", "B", "G", "B"]));
    request.inputs = pairs(&[("picture", "A")]);
    request.outputs = pairs(&[("out", "C")]);
    let said = refusal(&request);
    for part in
        ["`G` is not a general register", "`B` is named twice", "no input `picture`", "`C` is not among"]
    {
        assert!(said.contains(part), "no {part:?} in:\n{said}");
    }
    let mut request = one("(kernel (1 0 -1))");
    request.isa = "vector".to_owned();
    assert!(refusal(&request).contains("`vector`"));
}

#[test]
fn two_channels_are_two_registers() {
    let mut request = text(
        "(filter test (inputs left right)
           (output sum (add (from left (kernel (1 2 1))) (from right (kernel (1 0 -1)))))
           (output left-again (from left (id))))",
    );
    let record = compiled(&request);
    assert_eq!(places(&record.inputs), ["A", "B"]);
    request.inputs = pairs(&[("right", "A")]);
    assert_eq!(places(&compiled(&request).inputs), ["B", "A"]);
    request.keep_input = true;
    compiled(&request);
}

#[test]
fn a_filter_that_is_its_input_takes_no_cycles() {
    assert_eq!(cycles(&compiled(&one("(id)"))), 0);
    assert!(cycles(&compiled(&one("(neg (id))"))) <= 1);
}

#[test]
fn zero_is_a_filter() {
    for isa in ["bus", "macro"] {
        let mut request = one("(kernel (0 0 0))");
        request.isa = isa.to_owned();
        assert!(compiled(&request).instructions.unwrap() <= 1);
    }
    compiled(&text(
        "(filter test (inputs image) (output zero (kernel (0))) (output edge (kernel (1 0 -1))))",
    ));
}

#[test]
fn inputs_that_are_outputs_change_places() {
    for (isa, swap, rotation) in [("bus", 4, 6), ("macro", 3, 4), ("basic", 3, 4)] {
        let mut request =
            text("(filter test (inputs r g) (output x (from g (id))) (output y (from r (id))))");
        request.isa = isa.to_owned();
        request.inputs = pairs(&[("r", "A"), ("g", "B")]);
        request.outputs = pairs(&[("x", "A"), ("y", "B")]);
        assert_eq!(compiled(&request).instructions, Some(swap), "{isa}");
        let mut request = text(
            "(filter test (inputs r g b) (output x (from g (id))) (output y (from b (id))) (output z (from r (kernel (1)))))",
        );
        request.isa = isa.to_owned();
        request.inputs = pairs(&[("r", "A"), ("g", "B"), ("b", "C")]);
        request.outputs = pairs(&[("x", "A"), ("y", "B"), ("z", "C")]);
        assert_eq!(compiled(&request).instructions, Some(rotation), "{isa}");
    }
}

/// Instructions that would write what they read write elsewhere, and a copy follows.
#[test]
fn results_may_replace_their_input() {
    for (coefficient, isa, instructions) in
        [("-1", "bus", 3), ("-1", "macro", 2), ("-1", "basic", 2), ("-1/3", "bus", 3), ("-1/2", "bus", 3)]
    {
        let mut request = one(&format!("(kernel ({coefficient}))"));
        request.isa = isa.to_owned();
        request.inputs = pairs(&[("image", "A")]);
        request.outputs = pairs(&[("out", "A")]);
        assert_eq!(compiled(&request).instructions, Some(instructions), "{coefficient} {isa}");
    }
}

#[test]
fn an_output_can_be_wanted_twice() {
    let record = compiled(&text(
        "(filter test (inputs image) (output a (kernel (1 0 -1))) (output b (kernel (1 0 -1)))
           (output c (scale -1 (kernel (1 0 -1)))))",
    ));
    let mut registers = places(&record.outputs);
    registers.sort_unstable();
    registers.dedup();
    assert_eq!(registers.len(), 3);
}

#[test]
fn thirds_are_made_where_values_can_be_split_in_three() {
    let mut request = one("(scale 1/9 (kernel (1 1 1) (1 1 1) (1 1 1)))");
    request.division = Some(Division::Quick);
    let record = compiled(&request);
    let program = record.program.clone().unwrap();
    assert!(program.iter().any(|line| line.starts_with("bus3(")), "{program:?}");
}

#[test]
fn a_fifth_is_refused_with_what_there_is_instead() {
    for isa in ["bus", "macro"] {
        let mut request = one("(kernel (1/5 1 1/5))");
        request.isa = isa.to_owned();
        let said = refusal(&request);
        assert!(said.contains("`out` has the coefficient 1/5") && said.contains("halvings"), "{said}");
    }
}

#[test]
fn thirds_are_refused_where_nothing_makes_them() {
    let mut request = one("(scale 1/3 (kernel (1 1 1)))");
    request.isa = "macro".to_owned();
    let said = refusal(&request);
    assert!(said.contains("`out` has the coefficient 1/3"), "{said}");
}

#[test]
fn the_budget_of_nodes_is_kept() {
    for nodes in [0, 1, 2, 57] {
        let record = record(&request(file("classic/gauss-3.sexp"), "bus", nodes));
        assert!(record.nodes_searched <= Some(nodes + 1), "{:?} nodes, not {nodes}", record.nodes_searched);
    }
}

/// The e-graph does not grow further once no program can be cheaper.
#[test]
fn what_is_proved_optimal_ends_the_search() {
    let record = compiled(&one("(scale 1/8 (kernel (1 2 1) (2 4 2) (1 2 1)))"));
    assert_eq!(record.optimal, Some(true));
    assert!(record.egraph.nodes.unwrap() < 50_000, "{:?}", record.egraph);
}
