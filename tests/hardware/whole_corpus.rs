//! Designs of the whole corpus of pipelines, which take long.

use std::path::PathBuf;

use kalg::backend::option::OptionValues;
use kalg::backend::{Registry, Request};
use kalg::syntax::Source;
use rayon::iter::{IndexedParallelIterator as _, IntoParallelRefIterator as _, ParallelIterator as _};

/// Every design is compared with the reference when it is compiled, in small pictures that are sent with what is around them.
#[test]
fn designs_of_the_whole_corpus_pass_their_checks() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/pipelines");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let machine = Registry::default().builtin("fpga").unwrap();
    // Whether a design was simulated, or why it was refused.
    let compiled = |(number, path): (usize, &PathBuf)| -> Result<bool, String> {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let source = Source::new(&name, std::fs::read_to_string(path).unwrap());
        // One number of pixels for each design, the next one for the next.
        let lanes = ["1", "8", "2"][number % 3];
        let options = OptionValues::default()
            .with("width", ["128"])
            .with("height", ["16"])
            .with("pixels-per-clock", [lanes])
            .with("halo", [""; 0]);
        let made = machine.compile(&Request { options, ..Request::new(source.clone()) }, &|_| {});
        let made = made.map_err(|why| format!("{name} {lanes}: {}", why.describe(&source)))?;
        let json: serde_json::Value = serde_json::from_str(&made.emit("json").unwrap()).unwrap();
        assert!(json["checked"]["pixels"].as_u64() > Some(0), "{name}");
        // Where that is not too much to simulate, no delay line is longer than it must be. Every other design is looked at.
        let table = (number % 2 == 0).then(|| made.emit("depths")).flatten();
        assert!(table.iter().all(|table| !table.contains("nothing changes")), "{name}: {table:?}");
        Ok(table.is_some())
    };
    let designs: Vec<_> = paths.par_iter().enumerate().map(compiled).collect();
    let refused: Vec<&String> = designs.iter().filter_map(|design| design.as_ref().err()).collect();
    assert!(refused.is_empty(), "{refused:?}");
    assert!(paths.len() > 20);
    let simulated = designs.iter().filter(|design| matches!(design, Ok(true))).count();
    assert!(simulated > 10, "{simulated}");
}
