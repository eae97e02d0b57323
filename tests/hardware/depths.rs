//! Delay lines are no longer than they must be: with a word less in any of them, simulated frames take longer or never end.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crate::designs::{compiled, corpus};

/// Simulates a pipeline with a word less in each of its delay lines, and says how many there are.
fn each_line_is_least(name: &str, size: [usize; 2], lanes: usize) -> usize {
    let made = compiled(&corpus(name), size, lanes, true).unwrap_or_else(|why| panic!("{why}"));
    let json: serde_json::Value = serde_json::from_str(&made.emit("json").unwrap()).unwrap();
    let lines = json["memory"]["lines"].as_array().unwrap();
    let padded: Vec<usize> = (0..2).map(|axis| json["padded"][axis].as_u64().unwrap() as usize).collect();
    let table = made.emit("depths").unwrap();
    // At full length, a word goes through in each clock.
    let clocks = 2 * padded[0] * padded[1] / lanes;
    assert!(table.starts_with(&format!("{clocks} clocks for two frames\n")), "{name} {lanes}: {table}");
    let mut found = 0;
    for line in table.lines().skip(1).take(lines.len()) {
        let (depth, outcome) = line.split_once(": ").unwrap().1.split_once(" word").unwrap();
        let outcome = outcome.trim_start_matches('s').strip_prefix("; with ").unwrap();
        let record = &lines[found]["clocks"];
        let own: u64 = record.as_array().unwrap().iter().map(|part| part.as_u64().unwrap()).sum();
        // A line may go on to the end of a row that its cell reads itself.
        let is_row = own as usize <= padded[0] / lanes;
        let depth: u64 = depth.parse().unwrap();
        assert!(depth == own || depth < own && is_row, "{name} {lanes}: {line}");
        let (_, outcome) = outcome.split_once(", ").unwrap();
        let longer = outcome.strip_suffix(" clocks").map(|count| count.parse::<usize>().unwrap());
        let is_least = outcome.starts_with("the results stop") || longer.is_some_and(|count| count > clocks);
        assert!(is_least, "{name} with {lanes} pixels in a clock: {line}");
        found += 1;
    }
    assert!(table.contains(&format!("\n{found} delay lines: ")), "{table}");
    found
}

#[test]
fn a_word_less_in_a_delay_line_takes_time_or_stops_everything() {
    let mut lines = 0;
    for name in [
        "binomial",
        "blur",
        "camera",
        "conv2d",
        "convolution-layer",
        "erosion",
        "fanout",
        "gaussian",
        "haar",
        "harris",
        "local-contrast",
        "heat3d",
        "jacobi2d",
        "jacobi3d",
        "median",
        "morphological-gradient",
        "seidel2d",
        "sobel2d",
        "unsharp",
    ] {
        for lanes in [1, 2] {
            lines += each_line_is_least(name, [24, 4], lanes);
        }
    }
    assert!(lines > 300, "{lines}");
}

#[test]
fn what_is_too_much_to_simulate_has_no_table() {
    let made = compiled(&corpus("camera"), [1920, 1080], 1, true).unwrap_or_else(|why| panic!("{why}"));
    assert!(made.emit("depths").is_none());
    let why = made.no_form("depths").unwrap().to_string();
    assert!(why.contains("use a smaller --width and --height"), "{why}");
}
