//! Waveforms: what they show is what the pipeline says.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeMap;

use kalg::pipeline::{Data, Image, execute, read_pipeline};
use kalg::syntax::Source;

use crate::designs::{TOYS, compiled, corpus, toy};

/// The words that change hands at each of two ports, in a value change dump.
fn words(text: &str) -> [Vec<u128>; 2] {
    let mut names: BTreeMap<&str, &str> = BTreeMap::new();
    let mut now: BTreeMap<&str, &str> = BTreeMap::new();
    let mut found = [Vec::new(), Vec::new()];
    for line in text.lines() {
        let parts: Vec<&str> = line.split_whitespace().collect();
        match parts[0] {
            "$var" => {
                assert!(names.insert(parts[3], parts[4]).is_none(), "{line}");
            }
            "0!" => {
                for (found, port) in found.iter_mut().zip(["s_axis", "m_axis"]) {
                    let is = |signal: &str| now[format!("{port}_{signal}").as_str()] == "1";
                    if is("tvalid") && is("tready") {
                        let word = now[format!("{port}_tdata").as_str()];
                        found.push(u128::from_str_radix(word, 2).unwrap());
                    }
                }
            }
            vector if vector.starts_with('b') => {
                now.insert(names[parts[1]], &vector[1..]);
            }
            scalar if scalar.starts_with(['0', '1', 'x']) => {
                let (value, code) = scalar.split_at(1);
                now.insert(names[code], value);
            }
            _ => assert!(line.starts_with(['#', '$']), "{line}"),
        }
    }
    found
}

/// The pictures in the words of a port, whose pixels have these bits.
pub(crate) fn pictures(words: &[u128], bits: &[(u32, bool)], lanes: usize, size: [usize; 2]) -> Vec<Image> {
    let mut all = vec![Vec::new(); bits.len()];
    for word in words {
        let mut at = 0;
        for _ in 0..lanes {
            for (values, (bits, signed)) in all.iter_mut().zip(bits) {
                let value = (word >> at & ((1 << bits) - 1)) as i128;
                values.push(if *signed && value >> (bits - 1) == 1 { value - (1 << bits) } else { value });
                at += bits;
            }
        }
    }
    all.into_iter()
        .map(|values| Image { width: size[0], height: size[1], data: Data::Exact(values) })
        .collect()
}

#[test]
fn waveforms_show_frames_and_their_results() {
    let toys = ["fanout", "gradient", "table", "pooled"].map(|name| (toy(name), 2));
    assert!(TOYS.len() > toys.len());
    for (text, lanes) in toys.into_iter().chain([(corpus("harris"), 1)]) {
        let pipeline = read_pipeline(&Source::new("p.sexp", &*text)).unwrap();
        let size = [12, 6];
        let made = compiled(&text, size, lanes, false).unwrap_or_else(|why| panic!("{why}"));
        let [sent, given] = words(&made.emit("vcd").unwrap());
        let inputs: Vec<(u32, bool)> = pipeline
            .inputs
            .iter()
            .map(|port| (port.pixel.bits(), port.pixel.limits().unwrap()[0] < 0))
            .collect();
        let outputs: Vec<(u32, bool)> = pipeline
            .outputs
            .iter()
            .map(|port| (port.pixel.bits(), port.pixel.limits().unwrap()[0] < 0))
            .collect();
        let count = size[0] * size[1] / lanes;
        assert_eq!([sent.len(), given.len()], [2 * count; 2], "{}", pipeline.name);
        for (sent, given) in sent.chunks(count).zip(given.chunks(count)) {
            let wanted = execute(&pipeline, &pictures(sent, &inputs, lanes, size)).unwrap();
            for (wanted, found) in wanted.iter().zip(pictures(given, &outputs, lanes, size)) {
                assert_eq!(wanted.data, found.data, "{}", pipeline.name);
            }
        }
    }
    let large = compiled(&corpus("harris"), [640, 100], 1, false).unwrap_or_else(|why| panic!("{why}"));
    assert!(large.emit("vcd").is_none() && large.emit("svg").is_none());
    assert!(format!("{:?}", large.no_form("vcd")).contains("use a smaller --width and --height"));
}

/// The words in hexadecimal of a row of a picture that stands at this height, and whether the row has an unknown one.
fn boxes(picture: &str, y: usize) -> (Vec<u128>, bool) {
    let at = format!("\" y=\"{y}\">");
    let shown = picture.lines().filter_map(|line| line.split_once(&at)?.1.strip_suffix("</text>"));
    let unknown =
        picture.lines().any(|line| line.contains(&format!("y=\"{}\"", y - 13)) && line.contains("#ccc"));
    (shown.filter_map(|word| u128::from_str_radix(word, 16).ok()).collect(), unknown)
}

#[test]
fn pictures_of_waves_show_the_words_of_the_dump() {
    let made = compiled(&corpus("fanout"), [8, 2], 2, false).unwrap_or_else(|why| panic!("{why}"));
    let [sent, given] = words(&made.emit("vcd").unwrap());
    let picture = made.emit("svg").unwrap();
    // Rows stand 28 apart; the clock is the first, and words are written 5 above its lower edge.
    for (row, words) in [(3, sent), (7, given)] {
        let (mut shown, unknown) = boxes(&picture, 20 + row * 28 + 18 - 5);
        assert!(unknown && shown.len() >= 4, "{row}: {shown:?}");
        shown.dedup();
        let mut all = words;
        all.dedup();
        let first = all.windows(shown.len()).any(|window| window == shown);
        assert!(first, "{shown:?} is not in {all:?}");
    }
    // Every port has its row.
    for name in ["clk", "s_axis_tvalid", "s_axis_tready", "m_axis_tvalid", "m_axis_tready", "m_axis_tlast"] {
        assert!(picture.contains(&format!(">{name}</text>")), "{name}");
    }
    let drawn = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/fanout.svg")).unwrap();
    assert!(drawn == picture, "draw docs/fanout.svg anew");
}
