//! Checks the book: runs the tutorials as printed, and checks that their commands are accepted.

#![expect(clippy::unwrap_used, reason = "in a test a panic is the report")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::scratch::Scratch;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A folder with the corpus in it, like the reader's.
struct Folder(Scratch);

impl Folder {
    fn new(name: &str) -> Self {
        let scratch = Scratch::new(name);
        std::os::unix::fs::symlink(root().join("corpus"), scratch.at("corpus")).unwrap();
        Self(scratch)
    }

    /// Runs a command as a shell would that knows only `kalg`.
    fn run(&self, line: &str) -> Output {
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(words[0], "kalg", "{line}");
        Command::new(env!("CARGO_BIN_EXE_kalg"))
            .args(&words[1..])
            .current_dir(self.0.folder())
            .output()
            .unwrap()
    }

    fn write(&self, name: &str, text: &str) {
        self.0.file(name, text);
    }
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The contents of the fenced blocks of a page.
fn blocks_of(page: &Path) -> Vec<String> {
    let text = fs::read_to_string(page).unwrap();
    let inside = text.split("```").skip(1).step_by(2);
    inside.map(|block| block.split_once('\n').map_or("", |(_, lines)| lines).to_owned()).collect()
}

/// The contents of a chapter's fenced blocks.
fn blocks(chapter: &str) -> Vec<String> {
    blocks_of(&root().join("docs").join(chapter))
}

/// The commands in all blocks of a page, without the comments behind them.
fn commands_of(page: &Path) -> Vec<String> {
    let lines =
        blocks_of(page).into_iter().flat_map(|block| block.lines().map(str::to_owned).collect::<Vec<_>>());
    let lines = lines.map(|line| line.replace("cargo run --release --", "kalg"));
    let alone = |line: String| line.split(" # ").next().unwrap_or_default().trim_end().to_owned();
    lines.filter(|line| line.starts_with("kalg ")).map(alone).collect()
}

/// The commands in all blocks of a chapter.
fn commands(chapter: &str) -> Vec<String> {
    commands_of(&root().join("docs").join(chapter))
}

#[test]
fn the_tutorial_on_rules_goes_as_it_says() {
    let folder = Folder::new("rules");
    let made = folder.run("kalg rules new square-of-sum -o my.rules");
    assert!(made.status.success() && folder.0.at("my.rules").exists(), "{made:?}");
    let blocks = blocks("write-a-rule.md");
    let [wrong, counterexample, mended, _, examples] = &blocks[..] else { panic!("{} blocks", blocks.len()) };
    folder.write("my.rules", wrong);
    let refuted = folder.run("kalg rules check my.rules");
    assert_eq!(refuted.status.code(), Some(1));
    assert!(
        text(&refuted).contains("refuted") && text(&refuted).contains(counterexample),
        "{}",
        text(&refuted)
    );
    // The right side is replaced by the printed one, and the examples go before the end.
    let (before, _) = wrong.split_once(" => ").unwrap();
    let doc = before.replace("a ∘ a + b ∘ b", "a ∘ a + 2·(a ∘ b) + b ∘ b");
    let right = mended.trim();
    folder.write("my.rules", &format!("{doc} {right}\n{examples})"));
    let proved = folder.run("kalg rules check my.rules");
    let said = text(&proved);
    assert!(proved.status.success() && said.contains("proved") && said.contains("(more)"), "{said}");
    assert!(said.contains("2 of 2 examples work"), "{said}");
    for command in commands("write-a-rule.md") {
        let output = folder.run(&command);
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
        let expected = match command.split_whitespace().nth(1) {
            Some("explain") => "«",
            Some("bench") => "`− mine` never changes a result",
            _ => "square-of-sum",
        };
        assert!(text(&output).contains(expected), "{command}: {}", text(&output));
    }
    // The rule is refuted where it does not hold: claimed for max-plus.
    folder.write("my.rules", &format!("{doc} {right} (semirings plus-times max-plus))"));
    assert_eq!(folder.run("kalg rules check my.rules").status.code(), Some(1));
}

#[test]
fn the_chapter_on_machines_with_memory_goes_as_it_says() {
    let folder = Folder::new("memory");
    let mut picture = b"P5\n31 29\n255\n".to_vec();
    picture.extend((0..31 * 29).map(|i: u32| (i * 37 % 251) as u8));
    folder.0.file("in.png", picture);
    let mut run = 0;
    // Measurements on large images are left to `kalg bench` itself.
    for command in commands("scan-order.md").iter().filter(|command| !command.starts_with("kalg bench")) {
        let few = if command.contains(" run ") { "" } else { " --nodes 50" };
        let output = folder.run(&format!("{command}{few}"));
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
        run += 1;
    }
    assert!(run >= 3 && folder.0.at("out.png").exists());
    // Machines with memory use the rule of the chapter.
    let blocks = blocks("scan-order.md");
    let rule = blocks.iter().find(|block| block.starts_with("(rule ")).unwrap();
    folder.write("my.rules", rule);
    assert!(folder.run("kalg rules check my.rules").status.success());
    let taps: String = (0..9).map(|n| format!(" (shift {} {} (id))", -n, 2 * n)).collect();
    folder.write("line.sexp", &format!("(filter line (output out (add{taps})))"));
    let output = folder.run("kalg optimize line.sexp --cost ops --extra-rules my.rules --json");
    assert!(text(&output).contains("\"window-knight\""), "{}", text(&output));
}

/// What stands for the reader's own files, and a file to try it with. The first that occurs in a command holds.
const FILES: &[(&str, &str, &str)] = &[
    ("kalg optimize P", "P", "corpus/handwritten/sobel-x-bus.scamp"),
    ("--host n=3", "P", "moved.cpp"),
    ("--function main", "P", "corpus/handwritten/two-stages-main.cpp"),
    ("pipeline.sexp", "P", "corpus/handwritten/median-3.cpp"),
    ("kalg check P", "P", "corpus/handwritten/sobel-x-bus.scamp"),
    ("kalg run P", "P", "corpus/handwritten/sobel-x-bus.scamp"),
    ("PROGRAM", "PROGRAM", "corpus/handwritten/sobel-x-bus.scamp"),
    ("Q", "Q", "corpus/handwritten/class-sobel.cpp"),
    (" F ", "F", "corpus/classic/sobel-x.sexp"),
    ("pipeline.sexp", "pipeline.sexp", "corpus/handwritten/median-3.sexp"),
    ("f.cc", "f.cc", "corpus/handwritten-aie/gauss-3-rows.cc"),
    ("red=F", "FILE…", "edge.sexp"),
    ("rules check", "FILE", "rules/share.rules"),
    ("FILE", "FILE…", "corpus/classic/gauss-3.sexp"),
    ("FILE", "FILE", "corpus/classic/sobel-x.sexp"),
    ("FILTER", "FILTER", "corpus/classic/sobel-x.sexp"),
    ("DIR", "DIR", "corpus/cnn"),
    ("MACHINE", "MY-MACHINE.sexp", "rules/scamp5/target.sexp"),
    ("machine", "my-machine.sexp", "rules/scamp5/target.sexp"),
    ("NAME", "NAME", "my-rule"),
    ("SHELL", "SHELL", "zsh"),
];

/// A command with files in the place of names, and with a budget. Measurements and enumerations take too long here, and have tests of
/// their own.
fn ready(command: &str) -> Option<String> {
    if command.starts_with("kalg bench")
        || command == "kalg rules infer"
        || command.ends_with(" corpus/classic")
    {
        return None;
    }
    let command = command.split(" > ").next().unwrap_or(command);
    let filled: Vec<&str> = command
        .split(' ')
        .map(|word| {
            FILES.iter().find(|(of, name, _)| command.contains(of) && word == *name).map_or(word, |f| f.2)
        })
        .collect();
    let searches = command.starts_with("kalg optimize") || command.starts_with("kalg explain");
    let free = !command.contains("--nodes") && !command.contains("pipelines/");
    let few = if searches && free { " --nodes 20" } else { "" };
    Some(filled.join(" ") + few)
}

/// The tutorials above run what needs an order; this runs all others, each by itself.
#[test]
fn every_command_in_a_block_runs() {
    let folder = Folder::new("all");
    std::os::unix::fs::symlink(root().join("rules"), folder.0.at("rules")).unwrap();
    let mut picture = b"P5\n256 256\n255\n".to_vec();
    picture.extend((0..256 * 256).map(|i: u32| (i * 37 % 251) as u8));
    folder.0.file("in.png", picture);
    folder.write(
        "cain.json",
        r#"{"filter": {"A": {"depth": -4, "array": [[1, 2, 1], [2, 4, 2], [1, 2, 1]]}}}"#,
    );
    folder.write(
        "edge.sexp",
        "(filter edge (inputs red blue) (output edge (sub (from red (id)) (from blue (id)))))",
    );
    let moved = "for (int i = 0; i < n; i++) { movx(A, A, east); } mov(dst, A);";
    folder.write("moved.cpp", &format!("scamp5_kernel_begin(); {moved} scamp5_kernel_end();"));
    let chapters = fs::read_dir(root().join("docs")).unwrap().flatten().map(|entry| entry.path());
    let others = |path: &PathBuf| {
        path.extension().is_some_and(|e| e == "md")
            && !["write-a-rule.md", "scan-order.md"].iter().any(|tutorial| path.ends_with(tutorial))
    };
    let mut pages: Vec<PathBuf> = chapters.filter(others).collect();
    pages.extend(["README.md", "rules/README.md"].map(|page| root().join(page)));
    let mut run = 0;
    for (page, command) in
        pages.iter().flat_map(|page| commands_of(page).into_iter().map(move |of| (page, of)))
    {
        let Some(line) = ready(&command) else { continue };
        let output = folder.run(&line);
        // No program within so small a budget is an answer, too; a command that cannot be used is none.
        let answered = matches!(output.status.code(), Some(0 | 1));
        assert!(answered, "{}: `{line}`: {}", page.display(), String::from_utf8_lossy(&output.stderr));
        run += 1;
    }
    assert!(run > 45, "only {run} commands");
}

/// The picture of the README is what kalg draws.
#[test]
fn the_picture_of_the_readme_is_new() {
    let folder = Folder::new("picture");
    let drawn = folder.run("kalg optimize corpus/classic/sobel-x.sexp --cost scamp5 --nodes 300 --emit svg");
    let path = root().join("docs/sobel-x.svg");
    assert!(text(&drawn) == fs::read_to_string(&path).unwrap(), "draw {} anew", path.display());
}

/// Chapters also name commands in their text: each of them exists, with the named options.
#[test]
fn commands_that_chapters_name_exist() {
    let mut checked = 0;
    for entry in fs::read_dir(root().join("docs")).unwrap().flatten() {
        let path = entry.path();
        if path.extension().is_none_or(|e| e != "md") {
            continue;
        }
        let chapter = fs::read_to_string(&path).unwrap();
        for command in chapter.split(['`', '\n']).filter(|text| text.starts_with("kalg ")) {
            let words: Vec<&str> = command.split_whitespace().skip(1).collect();
            let plain = |word: &&&str| word.chars().all(|c| c.is_ascii_lowercase());
            let names: Vec<&str> = words.iter().take(2).take_while(plain).copied().collect();
            let help = [
                "rules",
                "optimize",
                "check",
                "run",
                "bench",
                "explain",
                "approx",
                "import",
                "completions",
                "man",
            ];
            let Some(first) = names.first().filter(|first| help.contains(first)) else { continue };
            let of = if *first == "rules" && names.len() > 1 { &names[..2] } else { &names[..1] };
            let output = Command::new(env!("CARGO_BIN_EXE_kalg")).args(of).arg("--help").output().unwrap();
            assert!(output.status.success(), "{}: `{command}`", path.display());
            let help = text(&output);
            for option in words.iter().filter(|word| word.starts_with("--")) {
                let option = option.split('=').next().unwrap().trim_end_matches([',', '.', ':', ';']);
                assert!(help.contains(option), "{}: `{command}` has no {option}", path.display());
            }
            checked += 1;
        }
    }
    assert!(checked > 15, "only {checked} commands");
}
