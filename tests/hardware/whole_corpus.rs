//! Designs of the whole corpus of pipelines, which take long.

use kalg::backend::option::OptionValues;
use kalg::backend::{Registry, Request};
use kalg::syntax::Source;

/// Every design is compared with the reference when it is compiled, in small pictures that are sent with what is around them.
#[test]
fn designs_of_the_whole_corpus_pass_their_checks() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/pipelines");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let machine = Registry::default().builtin("fpga").unwrap();
    let mut refused = Vec::new();
    let mut simulated = 0;
    for path in &paths {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let source = Source::new(&name, std::fs::read_to_string(path).unwrap());
        // Cells of 8×8 pixels and 64 disparities make thousands of values.
        let is_large = ["bilateral-grid", "stereo"].contains(&name.as_str());
        let all_lanes: &[&str] = if is_large { &["2"] } else { &["1", "8"] };
        for lanes in all_lanes {
            let options = OptionValues::default()
                .with("width", ["96"])
                .with("height", ["16"])
                .with("pixels-per-clock", [*lanes])
                .with("halo", [""; 0]);
            match machine.compile(&Request { options, ..Request::new(source.clone()) }, &|_| {}) {
                Ok(made) => {
                    let json: serde_json::Value = serde_json::from_str(&made.emit("json").unwrap()).unwrap();
                    assert!(json["checked"]["pixels"].as_u64() > Some(0), "{name}");
                    // Where that is not too much to simulate, no delay line is longer than it must be.
                    if let Some(table) = made.emit("depths") {
                        assert!(!table.contains("nothing changes"), "{name}: {table}");
                        simulated += 1;
                    }
                }
                Err(why) => refused.push(format!("{name} {lanes}: {}", why.describe(&source))),
            }
        }
    }
    let of = |what: &str| refused.iter().filter(|why| why.contains(what)).count();
    assert_eq!([of("outputs of several rates"), refused.len()], [2, 2], "{refused:?}");
    assert!(paths.len() > 20);
    assert!(simulated > 40, "{simulated}");
}
