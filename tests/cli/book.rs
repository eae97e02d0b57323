//! Checks the book: runs the tutorials as printed, and checks that their commands are accepted.

#![expect(clippy::unwrap_used, reason = "in a test a panic is the report")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A folder with the corpus in it, like the reader's; removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("kalg-book-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        std::os::unix::fs::symlink(root().join("corpus"), folder.join("corpus")).unwrap();
        Self(folder)
    }

    /// Runs a command as a shell would that knows only `kalg`.
    fn run(&self, line: &str) -> Output {
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(words[0], "kalg", "{line}");
        Command::new(env!("CARGO_BIN_EXE_kalg")).args(&words[1..]).current_dir(&self.0).output().unwrap()
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.join(name), text).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The contents of a chapter's fenced blocks.
fn blocks(chapter: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join("docs").join(chapter)).unwrap();
    let inside = text.split("```").skip(1).step_by(2);
    inside.map(|block| block.split_once('\n').map_or("", |(_, lines)| lines).to_owned()).collect()
}

/// The commands in all blocks.
fn commands(chapter: &str) -> Vec<String> {
    let lines =
        blocks(chapter).into_iter().flat_map(|block| block.lines().map(str::to_owned).collect::<Vec<_>>());
    lines.filter(|line| line.starts_with("kalg ")).collect()
}

#[test]
fn the_tutorial_on_rules_goes_as_it_says() {
    let folder = Folder::new("rules");
    let made = folder.run("kalg rules new square-of-sum -o my.rules");
    assert!(made.status.success() && folder.0.join("my.rules").exists(), "{made:?}");
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
    fs::write(folder.0.join("in.png"), picture).unwrap();
    let mut run = 0;
    // Measurements on large images are left to `kalg bench` itself.
    for command in commands("scan-order.md").iter().filter(|command| !command.starts_with("kalg bench")) {
        let few = if command.contains(" run ") { "" } else { " --nodes 50" };
        let output = folder.run(&format!("{command}{few}"));
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
        run += 1;
    }
    assert!(run >= 3 && folder.0.join("out.png").exists());
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
            let help = ["rules", "optimize", "check", "run", "bench", "explain", "approx", "import"];
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
