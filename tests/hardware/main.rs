//! Line-buffered hardware: designs pass their own checks, and what cannot be built is refused. What is emitted is run by the long tests.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod designs;
mod refused;

use designs::{THINNED, TOYS, compiled, in_clocks, record, record_with, toy, with_border};

/// Every design is compared with the reference when it is compiled, on whole pictures and clock by clock.
#[test]
fn designs_pass_their_checks() {
    for (name, _) in TOYS {
        for (lanes, halo) in [(1, false), (2, true), (4, false), (3, true)] {
            if THINNED.contains(name) && lanes == 3 {
                continue;
            }
            let found = record(&toy(name), [24, 6], lanes, halo);
            assert!(found["checked"]["pixels"].as_u64() > Some(0), "{name}");
        }
    }
}

/// Margins that mirror pictures are made, in words of one pixel and of several, and where a pixel takes several clocks.
#[test]
fn designs_mirror_pictures() {
    for border in ["reflect", "reflect101"] {
        for (number, (name, _)) in TOYS.iter().enumerate().filter(|(_, (name, _))| !THINNED.contains(name)) {
            let lanes = [1, 4, 3][number % 3];
            let found = record(&with_border(&toy(name), border), [24, 24], lanes, false);
            assert!(found["checked"]["pixels"].as_u64() > Some(0), "{name}");
        }
        record_with(&with_border(&toy("sought"), border), in_clocks([12, 6], 3, false));
    }
}

/// Frames with mirrored margins follow one another at once: two rows more are kept than are read again before and after a picture.
#[test]
fn mirrored_margins_keep_few_rows_and_take_no_clocks() {
    const TEXT: &str = "(pipeline p (inputs (a uint8)) (border reflect101) (output out (filter (kernel (origin 0 3) (1) (2) (3) (4) (5)) a)))";
    let found = record(TEXT, [100, 20], 1, false);
    // Three rows before the first, one after the last.
    assert_eq!(found["memory"]["margin_bits"], 6 * 100 * 8);
    let replicated = record(&with_border(TEXT, "replicate"), [100, 20], 1, false);
    assert_eq!(found["clocks"], replicated["clocks"]);
    // What reads no other pixel has no margins, and keeps nothing for them.
    let point = record(&with_border(&toy("point"), "reflect101"), [100, 20], 1, false);
    assert_eq!([&point["memory"]["margin_bits"], &point["memory"]["block_rams"]], [0, 0]);
}

/// Of values of which one row in three matters, a row is kept where the next but two is read, and not three.
#[test]
fn values_of_few_rows_are_kept_a_row_at_a_time() {
    let thinned = record(&toy("thinned"), [120, 6], 1, false);
    let number = |name: &str| thinned["memory"][name].as_u64().unwrap();
    let row = thinned["padded"][0].as_u64().unwrap() * 7;
    let kept = number("line_bits") + number("row_bits");
    assert!((2 * row..2 * row + 100).contains(&kept), "{thinned}");
}

/// Of values of which one column in eight matters, one in eight is kept.
#[test]
fn values_of_few_columns_are_kept_a_pixel_at_a_time() {
    const TEXT: &str = "(pipeline p (inputs (a uint8)) (border replicate)
        (output out (filter (kernel (1) (1) (1)) (down 8 1 (max a (at a 1 0))))))";
    let kept = |lanes: usize| {
        let found = record(TEXT, [128, 6], lanes, false);
        [found["memory"]["line_bits"].as_u64().unwrap(), found["padded"][0].as_u64().unwrap()]
    };
    let [bits, columns] = kept(1);
    // Two rows of 8 bits.
    assert!((2 * columns..2 * columns + 40).contains(&bits), "{bits}");
    // Of longer words, a pixel of each, or as many as matter.
    let [bits, columns] = kept(2);
    assert!((8 * columns..8 * columns + 40).contains(&bits), "{bits}");
    let [bits, columns] = kept(16);
    assert!((2 * columns..4 * columns).contains(&bits), "{bits}");
}

/// The report says what the text has: the memories of lines, and of rows of values that are held or summed along rows. Those of one
/// length that advance together are one.
#[test]
fn memories_are_counted() {
    let memory = |line: &str| -> Option<[u64; 2]> {
        let parameter = |name: &str| -> Option<u64> {
            let (_, rest) = line.split_once(&format!(".{name}("))?;
            rest.split_once(')')?.0.parse().ok()
        };
        let is_one = line.trim_start().starts_with("kalg_memory #");
        is_one.then(|| [parameter("WIDTH").unwrap(), parameter("LENGTH").unwrap()])
    };
    for (name, lanes, count) in [("point", 1, 0), ("pooled", 1, 3), ("pooled", 2, 2), ("binned", 2, 4)] {
        let made = compiled(&toy(name), [120, 6], lanes, false).unwrap_or_else(|why| panic!("{why}"));
        let json: serde_json::Value = serde_json::from_str(&made.emit("json").unwrap()).unwrap();
        let text = made.emit("systemverilog").unwrap();
        let found: Vec<[u64; 2]> = text.lines().filter_map(memory).collect();
        assert_eq!(found.len(), count, "{name}: {found:?}");
        let number = |field: &str| json["memory"][field].as_u64().unwrap();
        let bits: u64 = found.iter().map(|[width, length]| width * length).sum();
        assert_eq!(number("memory_bits") + number("row_bits"), bits, "{name} with {lanes} lanes");
        // Halves of 512 words of 36 bits would do, but a memory has a block RAM of its own.
        let wide: u64 = found.iter().map(|[width, _]| width.div_ceil(36)).sum();
        let margins = u64::from(number("margin_bits") > 0);
        assert_eq!(number("block_rams"), wide + margins, "{name} with {lanes} lanes");
        let said =
            made.text(false).contains("rows of values that are held, summed or read backwards along rows");
        assert_eq!(said, number("row_bits") > 0, "{name}");
    }
}
