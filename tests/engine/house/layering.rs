//! Checks that `src/` obeys the layers of docs/architecture.md, and the back ends their internal separation.
//!
//! All rules follow where paths lead, not how they are written: `self`, `super`, `crate`, imports and re-exports are resolved to
//! the defining module, and every module passed on the way counts.

use std::collections::{BTreeMap, BTreeSet};

use super::source::{Kind, Module, Reference, Sources, root};

/// A layer, and the layers above it in the table that it must not use.
type Layer = (String, Vec<String>);

/// The classes of machines, which must not use each other.
const BACKENDS: [&str; 4] = ["array", "vector", "scan", "hardware"];

/// The parts of a back end that searches and checks share.
const SHARED: [&str; 4] = ["machine", "program", "read", "workload"];

/// The parts that judge programs; they and the parts that make programs must not use each other.
const JUDGES: [&str; 2] = ["simulate", "verify"];
const MAKERS: [&str; 2] = ["search", "schedule"];

/// The table of layers in the document.
fn layers() -> Vec<Layer> {
    let document = std::fs::read_to_string(root().join("docs/architecture.md")).expect("the page is there");
    layers_of(&document)
}

fn layers_of(document: &str) -> Vec<Layer> {
    let table = document.split("\n## Layers\n").nth(1).expect("the document has the layers");
    let rows = table.lines().skip_while(|line| !line.starts_with("|---")).skip(1);
    rows.take_while(|line| line.starts_with('|'))
        .map(|row| {
            let mut cells = row.split('|').skip(1).map(|cell| cell.trim().replace('`', ""));
            let (layer, _, not) =
                (cells.next().expect("a layer"), cells.next(), cells.next().expect("a list"));
            (layer, not.split_whitespace().map(str::to_owned).collect())
        })
        .collect()
}

/// Why `user` may not use `used`; `None` if it may.
fn refusal(layers: &[Layer], user: &str, used: &str) -> Option<String> {
    let place = |name: &str| layers.iter().position(|(layer, _)| layer == name);
    let (from, to) = (place(user)?, place(used)?);
    if to > from {
        Some(format!("`{user}` comes before `{used}`"))
    } else if layers[from].1.iter().any(|not| not == used) {
        Some(format!("`{user}` must stay independent of `{used}`"))
    } else {
        None
    }
}

/// Every use of one module by another that is refused, with the reason.
fn refused(sources: &Sources, refusal: impl Fn(&Module, &Module) -> Option<String>) -> Vec<String> {
    let mut faults = BTreeSet::new();
    for reference in &sources.references {
        let from = &sources.modules[reference.module];
        for to in sources.resolve(reference.module, &reference.path).all() {
            if let Some(reason) = refusal(from, &sources.modules[to]) {
                faults.insert(format!(
                    "{}: `{}`, but {reason}",
                    place(sources, reference),
                    reference.path.join("::")
                ));
            }
        }
    }
    faults.into_iter().collect()
}

/// The file and line of a path.
fn place(sources: &Sources, reference: &Reference) -> String {
    format!("{}:{}", sources.file(reference.module).path, reference.line)
}

/// The back end of a module, and its part in it.
fn room(module: &Module) -> Option<(&str, &str)> {
    match module.path.as_slice() {
        [first, own, rest @ ..] if first == "backend" && BACKENDS.contains(&own.as_str()) => {
            Some((own, rest.first().map_or("", String::as_str)))
        }
        _ => None,
    }
}

fn against_layers(sources: &Sources, layers: &[Layer]) -> Vec<String> {
    refused(sources, |from, to| refusal(layers, from.path.first()?, to.path.first()?))
}

fn across_backends(sources: &Sources) -> Vec<String> {
    refused(sources, |from, to| {
        let ((own, _), (other, _)) = (room(from)?, room(to)?);
        (own != other).then(|| format!("`{own}` and `{other}` are back ends apart"))
    })
}

fn across_rooms(sources: &Sources) -> Vec<String> {
    refused(sources, |from, to| {
        let ((own, user), (other, used)) = (room(from)?, room(to)?);
        // The root of a back end only re-exports what its parts define.
        let own_or_shared = used.is_empty() || user == used || SHARED.contains(&used);
        let allowed = match user {
            user if SHARED.contains(&user) || MAKERS.contains(&user) => own_or_shared,
            user if JUDGES.contains(&user) => own_or_shared || JUDGES.contains(&used),
            _ => true,
        };
        (own == other && !allowed).then(|| format!("`{user}` shares nothing with `{used}`"))
    })
}

/// Paths that hide what they use: whole layers, whole crates and glob re-exports.
fn hidden(sources: &Sources) -> Vec<String> {
    let mut faults = Vec::new();
    for reference in &sources.references {
        let named = sources.resolve(reference.module, &reference.path).modules;
        let broad = named.iter().any(|module| sources.modules[*module].path.len() < 2);
        let within = sources.modules[reference.module].inline;
        let what = match reference.kind {
            Kind::GlobExport => "a glob re-export of",
            Kind::GlobImport if broad && !within => "a glob import of",
            Kind::Import | Kind::Export if named.contains(&0) => "another name for",
            _ => continue,
        };
        faults.push(format!("{}: {what} `{}`", place(sources, reference), reference.path.join("::")));
    }
    faults
}

/// The uses between nodes of one folder: from, to, and where.
type Uses = BTreeMap<(String, String), String>;

/// The nodes of each folder and their uses.
///
/// The nodes of a folder are its files and its subfolders, each subfolder as a whole; `mod.rs` is a node as well. A uses B if
/// something in A names an item defined in B, whatever re-exports lie between. Nothing therefore uses a `mod.rs` that only
/// re-exports, and a re-export is not a use. Tests may use anything. If no folder has a cycle,
/// a reader who goes through the files of a folder in the right order meets nothing before its definition, and can read the
/// contents of a folder before or after its neighbours.
fn uses_of_folders(sources: &Sources) -> BTreeMap<String, Uses> {
    let mut folders: BTreeMap<String, Uses> = BTreeMap::new();
    for reference in &sources.references {
        if reference.test || matches!(reference.kind, Kind::Export | Kind::GlobExport) {
            continue;
        }
        let from = file_module(sources, reference.module);
        for to in sources.resolve(reference.module, &reference.path).defined {
            let to = file_module(sources, to);
            let common = from.iter().zip(to).take_while(|(a, b)| a == b).count();
            let node = |path: &[String]| path[..path.len().min(common + 1)].join("::");
            if from != to {
                let uses = folders.entry(from[..common].join("::")).or_default();
                let why = || format!("{}: `{}`", place(sources, reference), reference.path.join("::"));
                uses.entry((node(from), node(to))).or_insert_with(why);
            }
        }
    }
    folders
}

/// The path of the file that contains a module.
fn file_module(sources: &Sources, mut module: usize) -> &[String] {
    while sources.modules[module].inline {
        let path = &sources.modules[module].path;
        module = sources.resolve(module, &["super".to_owned()]).modules[0];
        debug_assert!(sources.modules[module].path.len() < path.len());
    }
    &sources.modules[module].path
}

/// The nodes reachable from each node.
fn reached<'a>(uses: &'a Uses, from: &'a str) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut open = vec![from];
    while let Some(node) = open.pop() {
        for (user, used) in uses.keys() {
            if user == node && found.insert(used.as_str()) {
                open.push(used);
            }
        }
    }
    found
}

/// The uses on cycles within a folder.
fn cycles(sources: &Sources) -> Vec<String> {
    let mut faults = Vec::new();
    for (_, uses) in uses_of_folders(sources) {
        for ((user, used), place) in &uses {
            if reached(&uses, used).contains(user.as_str()) {
                faults.push(format!("{user} -> {used}  ({place})"));
            }
        }
    }
    faults
}

fn report(faults: Vec<String>, what_to_do: &str) {
    assert!(faults.is_empty(), "\n{}\n{what_to_do}\n", faults.join("\n"));
}

#[test]
fn modules_are_layered() {
    let sources = Sources::library();
    let layers = layers();
    let library = std::fs::read_to_string(root().join("src/lib.rs")).unwrap();
    let declared: Vec<&str> =
        library.lines().filter_map(|l| l.strip_prefix("pub mod ")?.strip_suffix(';')).collect();
    let expected: Vec<&str> = layers.iter().map(|(layer, _)| layer.as_str()).collect();
    assert_eq!(declared, expected, "src/lib.rs declares the layers in the order of docs/architecture.md");
    report(
        against_layers(&sources, &layers),
        "move what both need to a layer above, or a test that joins two layers to tests/",
    );
    report(hidden(&sources), "name what is used, from `crate::`");
    report(across_backends(&sources), "what two back ends need belongs to a layer above them");
    report(across_rooms(&sources), "a check that shares the emitter's assumptions checks nothing");
    report(cycles(&sources), "move what both need to a file of its own, or one file into the other");
}

/// Words of one class of machines that no file outside its folder may use, in any letter case. No file may use names of
/// targets.
const WORDS: &[(&str, &[&str])] = &[
    ("array", &["scamp", "news", "dnews", "xe", "xn", "xw", "fpsp"]),
    ("vector", &["mac16", "mul16", "lmac8", "lmul8", "mac8", "mul8", "acc48", "srs", "ups", "upd", "chess"]),
    ("scan", &["stdint", "fmin", "fmax"]),
    ("hardware", &["tdata", "tvalid", "tready", "genvar"]),
];

/// The only file that names targets.
const REGISTRY: &str = "src/backend/builtin.rs";

/// Uses of machines' words outside their place.
fn words_out_of_place(sources: &Sources, targets: &[String]) -> Vec<String> {
    let mut faults = Vec::new();
    for file in sources.files.iter().filter(|file| file.path != REGISTRY) {
        let foreign = |(own, _): &&(&str, &[&str])| !file.path.starts_with(&format!("src/backend/{own}/"));
        let machines = WORDS.iter().filter(foreign).flat_map(|(_, words)| words.iter().copied());
        let machines: Vec<&str> = machines.chain(targets.iter().map(String::as_str)).collect();
        for (text, line) in &file.words {
            for word in machines.iter().filter(|word| has_word(text, word)) {
                faults.push(format!("{}:{line}: `{word}`", file.path));
            }
        }
    }
    faults
}

/// Whether `text` contains `word` with no letter or digit on either side.
fn has_word(text: &str, word: &str) -> bool {
    let open = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    text.match_indices(word)
        .any(|(i, _)| open(text[..i].chars().next_back()) && open(text[i + word.len()..].chars().next()))
}

#[test]
fn words_of_machines_stay_with_them() {
    let mut targets: Vec<String> = Vec::new();
    for entry in std::fs::read_dir(root().join("rules")).into_iter().flatten().flatten() {
        if entry.path().join("target.sexp").exists() {
            targets.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    assert!(targets.len() > 2, "{targets:?}");
    report(
        words_out_of_place(&Sources::library(), &targets),
        "what a target needs stands in rules/<target>/, what a class of machines needs in its folder; take names from the registry",
    );
}

/// Parts of the standard library that reach outside the process, and macros that print.
const OUTSIDE: [&str; 9] =
    ["fs", "env", "net", "process", "stdout", "stderr", "stdin", "Instant", "SystemTime"];
const PRINTING: [&str; 5] = ["print", "println", "eprint", "eprintln", "dbg"];

/// Places where code outside the command line prints, or accesses files, the environment or the clock.
fn outside(sources: &Sources) -> Vec<String> {
    let mut faults = Vec::new();
    for reference in sources.references.iter().filter(|reference| !reference.test) {
        let library = sources.modules[reference.module].path.first().is_some_and(|layer| layer != "cli");
        let names = reference.path.iter().any(|name| OUTSIDE.contains(&name.as_str()));
        if library && names && reference.path[0] == "std" {
            faults.push(format!("{}: uses `{}`", place(sources, reference), reference.path.join("::")));
        }
    }
    for file in sources.files.iter().filter(|file| !file.path.starts_with("src/cli/")) {
        for (name, line) in file.macros.iter().filter(|(name, _)| PRINTING.contains(&name.as_str())) {
            faults.push(format!("{}:{line}: uses `{name}!`", file.path));
        }
    }
    faults
}

#[test]
fn only_the_command_line_touches_the_outside() {
    report(
        outside(&Sources::library()),
        "only `cli` prints, reads files, the environment and the clock: return a value, or take a callback",
    );
}

/// Shows that every rule can fail.
mod fixtures {
    use super::*;

    const TABLE: &str = "\n## Layers\n\n| module | holds | not |\n|---|---|---|\n| `syntax` | a | |\n\
                         | `term` | b | `syntax` |\n| `backend` | c | |\n\n";

    fn assert_one(faults: &[String], named: &str) {
        assert!(faults.len() == 1 && faults[0].contains(named), "{faults:?}");
    }

    /// A library of one layer that uses another.
    fn library<'a>(user: &'a str, text: &'a str) -> Sources {
        Sources::of([
            ("src/lib.rs", "pub mod syntax; pub mod term; pub mod backend;"),
            ("src/syntax/mod.rs", "mod span; pub use span::Span;"),
            ("src/syntax/span.rs", "pub struct Span;"),
            ("src/backend/mod.rs", "pub mod array; pub mod vector; pub use crate::syntax::Span as Place;"),
            (
                "src/backend/array/mod.rs",
                "pub mod machine; pub mod search; pub mod verify; pub use search::find;",
            ),
            ("src/backend/array/search.rs", "pub fn find() {}"),
            ("src/backend/vector/mod.rs", "pub struct Bundle;"),
            (user, text),
        ])
    }

    #[test]
    fn a_layer_below_is_refused_by_every_path() {
        let layers = layers_of(TABLE);
        assert_eq!(layers[1], ("term".to_owned(), vec!["syntax".to_owned()]));
        for text in [
            "use crate::backend::vector::Bundle;",
            "use crate::{backend::{vector::{Bundle as B}}};",
            "use super::super::backend as machines;",
            "fn f() -> super::super::backend::vector::Bundle { todo!() }",
            "fn f() { assert!(g(crate::backend::array::find)) }",
            "mod deep { use super::super::super::backend::array; }",
        ] {
            let sources = library("src/term/read.rs", text);
            let faults = against_layers(&sources, &layers);
            assert!(
                faults.iter().all(|fault| fault.contains("`term` comes before `backend`")),
                "{text}: {faults:?}"
            );
            assert!(!faults.is_empty(), "{text}");
        }
        let independent = library("src/term/read.rs", "use crate::syntax::Span;");
        assert_one(&against_layers(&independent, &layers), "must stay independent of `syntax`");
        let allowed =
            library("src/backend/array/machine.rs", "use crate::{syntax::Span, term};\nuse std::fmt;");
        assert!(against_layers(&allowed, &layers).is_empty());
    }

    #[test]
    fn what_is_re_exported_counts_where_it_is_defined() {
        let sources = library("src/term/read.rs", "use crate::backend::Place;");
        let faults = against_layers(&sources, &layers_of(TABLE));
        assert!(faults.iter().any(|fault| fault.contains("independent of `syntax`")), "{faults:?}");
        assert!(faults.iter().any(|fault| fault.contains("comes before `backend`")), "{faults:?}");
    }

    #[test]
    fn back_ends_and_their_rooms_are_kept_apart() {
        let foreign = library("src/backend/array/machine.rs", "use super::super::vector::Bundle;");
        assert_one(&across_backends(&foreign), "`array` and `vector`");
        for user in ["verify", "machine"] {
            let path = format!("src/backend/array/{user}.rs");
            for text in ["use super::search::find;", "use super::find;", "fn f() { super::find() }"] {
                assert_one(
                    &across_rooms(&library(&path, text)),
                    &format!("`{user}` shares nothing with `search`"),
                );
            }
        }
        let sound = library("src/backend/array/verify.rs", "use super::machine;\nuse crate::term;");
        assert!(across_rooms(&sound).is_empty() && across_backends(&sound).is_empty());
    }

    #[test]
    fn names_for_all_of_a_layer_are_refused() {
        for (text, what) in [
            ("use crate::*;", "a glob import of `crate`"),
            ("use crate::syntax::*;", "a glob import of `crate::syntax`"),
            ("pub use crate::syntax::*;", "a glob re-export of `crate::syntax`"),
            ("use crate as kalg;", "another name for `crate`"),
        ] {
            assert_one(&hidden(&library("src/backend/array/machine.rs", text)), what);
        }
        let own = library("src/term/read.rs", "enum A { B }\nuse A::*;\nmod tests { use super::*; }");
        assert!(hidden(&own).is_empty(), "{:?}", hidden(&own));
    }

    #[test]
    fn cycles_are_found_through_re_exports_and_folders() {
        let term = |a: &'static str, b: &'static str, root: &'static str| {
            let (lib, sub) = ("pub mod term;", "pub struct C; pub fn c() {}");
            Sources::of([
                ("src/lib.rs", lib),
                ("src/term/mod.rs", root),
                ("src/term/a.rs", a),
                ("src/term/b/mod.rs", "mod c; pub use c::C;"),
                ("src/term/b/c.rs", if b.is_empty() { sub } else { b }),
            ])
        };
        let root = "mod a; mod b; pub use a::A; pub use b::C;";
        let straight = term("use super::C; pub struct A;", "", root);
        assert!(cycles(&straight).is_empty(), "{:?}", cycles(&straight));
        let round = term("use super::C; pub struct A;", "use crate::term::A; pub struct C;", root);
        assert_eq!(cycles(&round).len(), 2, "{:?}", cycles(&round));
        let inline = term("pub fn a() { super::b::c::c() }", "pub fn c() { super::super::a::a() }", root);
        assert_eq!(cycles(&inline).len(), 2);
        let upwards =
            term("pub fn a() -> super::Top { todo!() }", "", "mod a; pub struct Top; fn f() { a::a(); }");
        assert_eq!(cycles(&upwards).len(), 2);
        let tests = term(
            "use super::C; pub struct A;",
            "pub struct C; #[cfg(test)] mod tests { use crate::term::A; }",
            root,
        );
        assert!(cycles(&tests).is_empty());
    }

    #[test]
    fn words_are_found_in_names_and_texts_but_not_in_comments_and_tests() {
        let targets = ["ops".to_owned()];
        let faults = |path: &str, text: &str| words_out_of_place(&library(path, text), &targets);
        for text in [
            "const A: &str = \"bus(NEWS, A)\";",
            "fn from_news() {}",
            "fn f() { g!(news) }",
            "#[arg(x = \"NEWS\")] struct A;",
        ] {
            assert_one(&faults("src/term/read.rs", text), "read.rs:1: `news`");
        }
        assert_one(&faults("src/backend/array/machine.rs", "fn mac16() {}"), "`mac16`");
        assert_one(
            &faults("src/backend/array/machine.rs", "\nfn f() -> &'static str { \"ops\" }"),
            "machine.rs:2: `ops`",
        );
        for text in [
            "// NEWS",
            "/// NEWS\nfn f() {}",
            "fn newsworthy() {}",
            "use std::ops::Add; type A = std::ops::Range<u8>;",
            "#[cfg(test)] mod tests { fn news() {} }",
        ] {
            assert!(faults("src/term/read.rs", text).is_empty(), "{text}");
        }
        assert!(faults("src/backend/array/machine.rs", "fn news() {}").is_empty());
    }

    #[test]
    fn printing_and_reading_files_are_seen() {
        for text in [
            "use std::fs;",
            "fn f() { let a = std::time::Instant::now(); }",
            "fn f() { println!() }",
            "use std::{env, fmt};",
        ] {
            assert_eq!(outside(&library("src/term/read.rs", text)).len(), 1, "{text}");
            assert!(outside(&library("src/cli/read.rs", text)).is_empty(), "{text}");
        }
        assert!(outside(&library("src/term/read.rs", "fn f() { writeln!(out); my_print!() }")).is_empty());
    }
}
