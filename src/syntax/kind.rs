//! What a file seems to be, for messages about files of the wrong kind.

use super::{BYTE_ORDER_MARK, Diagnostic, Diagnostics, Source, Span};

/// A kind of file, as its beginning shows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// `(filter …)`.
    Filter,
    /// `(pipeline …)`.
    Pipeline,
    /// `(convolution …)`.
    Convolution,
    /// `(rule …)` and what else is in rule files.
    Rules,
    /// The description of a machine.
    Machine,
    /// `(certificate …)`.
    Certificate,
    /// C++ with vector intrinsics.
    VectorCode,
    /// A list of calls without C++ around them.
    Listing,
    /// Any other C or C++.
    Code,
    /// Rows of numbers.
    Matrix,
    /// JSON other than a matrix.
    Json,
    /// PNG or PGM.
    Picture,
    /// A NumPy array in its own format.
    NumpyArray,
}

/// Parts of names that only C++ for vector machines has.
const VECTOR_TYPES: [&str; 3] = ["v8int", "v16int", "v32int"];

/// The kinds of files of symbolic expressions, by their first words.
const HEADS: [(Kind, &[&str]); 6] = [
    (Kind::Filter, &["filter", "equal"]),
    (Kind::Pipeline, &["pipeline"]),
    (Kind::Convolution, &["convolution"]),
    (Kind::Rules, &["rule", "proposer", "include", "phase"]),
    (Kind::Machine, &["target", "machine", "stream-machine", "stream-hardware"]),
    (Kind::Certificate, &["certificate"]),
];

/// The kinds of other files that are known by their first bytes; those of PNG and NPY files are not UTF-8.
const BEGINNINGS: [(Kind, &str); 4] = [
    (Kind::Picture, "\u{FFFD}PNG"),
    (Kind::Picture, "P2\n"),
    (Kind::Picture, "P5\n"),
    (Kind::NumpyArray, "\u{FFFD}NUMPY"),
];

impl Kind {
    /// What a source seems to be; `None` if that is not clear.
    pub fn of(source: &Source) -> Option<Self> {
        let text = source.text();
        let start = BEGINNINGS.iter().find(|(_, start)| text.starts_with(start));
        if let Some((kind, _)) = start {
            return Some(*kind);
        }
        if source.defect().is_some() {
            return None;
        }
        if let Some(head) = head(text) {
            return HEADS.iter().find(|(_, heads)| heads.contains(&head)).map(|(kind, _)| *kind);
        }
        if is_json(text) {
            return Some(Self::Json);
        }
        if is_matrix(text) { Some(Self::Matrix) } else { code(text) }
    }

    /// The name of the kind, with an article.
    pub fn noun(self) -> &'static str {
        self.texts().0
    }

    /// What to do with a file of this kind.
    pub fn advice(self, file: &str) -> String {
        self.texts().1.replace("FILE", file)
    }

    /// What the kind is called, and what to do with a file of it, whose name stands for `FILE`.
    fn texts(self) -> (&'static str, &'static str) {
        match self {
            Self::Filter => (
                "a kernel file",
                "`kalg optimize FILE --cost MACHINE` compiles it, and `kalg check PROGRAM --against FILE` compares a program with it",
            ),
            Self::Pipeline => (
                "a pipeline of stages",
                "`kalg run` executes pipelines, `kalg explain` shows their stages, and `kalg optimize` compiles them for machines with \
                 memory and as circuits",
            ),
            Self::Convolution => (
                "a convolution of tensors",
                "`kalg optimize FILE --cost MACHINE` compiles it for a vector machine",
            ),
            Self::Rules => (
                "a rule file",
                "`kalg rules check FILE` checks its rules, and `--extra-rules FILE` adds them to those of other commands",
            ),
            Self::Machine => (
                "the description of a machine",
                "`--target FILE` goes with `kalg optimize`, `check` and `run`, beside the file to compile, check or run",
            ),
            Self::Certificate => ("a certificate", "`kalg check --replay FILE` checks it"),
            Self::VectorCode => (
                "C++ for a vector machine",
                "`kalg check FILE --target MACHINE` says what it computes, and compares it with the kernel file of `--against`",
            ),
            Self::Listing => (
                "a program for an array of pixel processors",
                "`kalg check FILE` says what it computes, `kalg run FILE` runs it, and `kalg optimize FILE --cost MACHINE` makes it shorter",
            ),
            Self::Code => (
                "C or C++",
                "`kalg check FILE` says what programs in it compute, `kalg run FILE` runs them, and `kalg optimize FILE --cost MACHINE` \
                 makes them shorter",
            ),
            Self::Matrix => ("a matrix of numbers", "`kalg import FILE` writes it as a kernel file"),
            Self::Json => (
                "JSON",
                "`kalg import` takes configurations of Cain, `kalg explain --replay` the output of `kalg explain --json`, and `kalg bench \
                 --against` programs to compare with; no command takes other records of kalg",
            ),
            Self::Picture => {
                ("a picture", "`kalg run PROGRAM --image FILE --out RESULT` applies a program to it")
            }
            Self::NumpyArray => (
                "an array of NumPy",
                "write a matrix as text with `numpy.savetxt`, or give the array to `kalg.Filter.of` in Python; `kalg run PROGRAM --image \
                 FILE` takes pictures",
            ),
        }
    }
}

/// The faults `found` in a source in which one of the kinds `wanted` was expected; if it clearly is of another kind, only that it
/// is. The first of `wanted` is the one to name.
pub fn of_other_kind(source: &Source, wanted: &[Kind], found: Diagnostics) -> Diagnostics {
    other_kind(source, wanted).map_or(found, Diagnostics::from)
}

/// Says what a source is, if it clearly is of none of the kinds `wanted`, and which command takes it.
pub fn other_kind(source: &Source, wanted: &[Kind]) -> Option<Diagnostic> {
    let kind = Kind::of(source).filter(|kind| !wanted.contains(kind))?;
    let message = format!("the file seems to be {}", kind.noun());
    let place = source.text().len() - source.text().trim_start().len();
    let expected = wanted.first().map_or_else(String::new, |wanted| format!("expected {}", wanted.noun()));
    let other = Diagnostic::error("other-kind", message).label(Span::at(place), expected);
    Some(other.help(kind.advice(source.name())))
}

/// The first word of the first symbolic expression of a text, if it begins with one.
pub fn head(text: &str) -> Option<&str> {
    let mut rest = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text).trim_start();
    while let Some(comment) = rest.strip_prefix(';') {
        rest = comment.split_once('\n').map_or("", |(_, next)| next.trim_start());
    }
    let list = rest.strip_prefix('(')?.trim_start();
    let end = list.find(|c: char| !c.is_alphanumeric() && c != '-').unwrap_or(list.len());
    Some(&list[..end])
}

fn is_json(text: &str) -> bool {
    let text = text.trim_start();
    let inside = text.strip_prefix('{').map(|rest| rest.trim_start().starts_with(['"', '}']));
    inside.unwrap_or_else(|| text.strip_prefix('[').is_some_and(|rest| rest.trim_start().starts_with('{')))
}

/// Whether a text holds several numbers and what may be between them, but nothing else.
fn is_matrix(text: &str) -> bool {
    let rows = || text.lines().filter(|line| !line.trim_start().starts_with('#'));
    let part = |c: char| c.is_ascii_digit() || c.is_whitespace() || "+-./eE,;[]".contains(c);
    let between = |c: char| c.is_whitespace() || ",;[]".contains(c);
    let numbers = rows().flat_map(|row| row.split(between)).filter(|number| !number.is_empty());
    let are_numbers = numbers.clone().all(|number| number.contains(|c: char| c.is_ascii_digit()));
    rows().all(|row| row.chars().all(part)) && are_numbers && numbers.take(2).count() == 2
}

/// Which kind of code a text is, if it is any.
fn code(text: &str) -> Option<Kind> {
    let mut rest = text.trim_start();
    loop {
        let end = if rest.starts_with("//") {
            rest.split_once('\n')
        } else if rest.starts_with("/*") {
            rest.split_once("*/")
        } else {
            break;
        };
        rest = end.map_or("", |(_, next)| next.trim_start());
    }
    let directives = ["#include", "#define", "#pragma", "#if"];
    let is_directive = directives.iter().any(|directive| rest.starts_with(directive));
    let is_call =
        rest.lines().next().is_some_and(|line| line.contains('=') && line.trim_end().ends_with(')'));
    let is_statement = rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && (is_call || rest.contains('{') || rest.contains(");"));
    if !is_directive && !is_statement {
        return None;
    }
    if VECTOR_TYPES.iter().any(|part| text.contains(part)) {
        return Some(Kind::VectorCode);
    }
    let mut lines = rest.lines().map(|line| line.split("//").next().unwrap_or_default());
    let is_listing = !is_directive && !lines.any(|line| line.contains(['{', '=', '#']));
    Some(if is_listing { Kind::Listing } else { Kind::Code })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_told_by_how_files_begin() {
        for (text, kind) in [
            ("; a comment\n\n( filter f)", Some(Kind::Filter)),
            ("\u{FEFF}(pipeline p)", Some(Kind::Pipeline)),
            ("(pipelines p)", None),
            ("(include \"a.rules\")", Some(Kind::Rules)),
            ("1 2 1\n2 4 2", Some(Kind::Matrix)),
            ("# a blur\n1/16, -2.5e-1\n", Some(Kind::Matrix)),
            ("[[1, 2],\n [3, 4]]", Some(Kind::Matrix)),
            ("5", None),
            ("e e", None),
            ("{\n \"filter\": {}}", Some(Kind::Json)),
            ("[{\"a\": 1}]", Some(Kind::Json)),
            ("{ A = B; }", None),
            ("P5\n1 1\n255\nx", Some(Kind::Picture)),
            ("// made by hand\nmov(A, B);", Some(Kind::Listing)),
            ("// a filter with the comments of C\n(filter f)", None),
            ("#include \"a.h\"\nvoid f(v16int16 *in) {}", Some(Kind::VectorCode)),
            ("B = north(A)\nA = add(A, B)\n", Some(Kind::Code)),
            ("/* C */ int f(int a) { return a; }", Some(Kind::Code)),
            ("filter f (inputs a)", None),
            ("", None),
        ] {
            assert_eq!(Kind::of(&Source::new("x", text)), kind, "{text}");
        }
        let of_bytes = |bytes: &[u8]| Kind::of(&Source::from_bytes("x", bytes.to_vec()));
        assert_eq!(of_bytes(b"\x89PNG\r\n\x1a\n"), Some(Kind::Picture));
        assert_eq!(of_bytes(b"\x93NUMPY\x01"), Some(Kind::NumpyArray));
        assert_eq!(of_bytes(b"(filter \xFF"), None);
    }

    #[test]
    fn only_files_of_other_kinds_have_a_signpost() {
        let missing = || Diagnostics::from(Diagnostic::error("missing", "a mistake"));
        let told = |text: &str| {
            let source = Source::new("a.txt", text);
            of_other_kind(&source, &[Kind::Filter], missing()).to_string()
        };
        assert_eq!(told("(filter f)"), "a mistake");
        assert_eq!(told("(fliter f)"), "a mistake");
        assert_eq!(
            told("1 2\n3 4"),
            "the file seems to be a matrix of numbers (`kalg import a.txt` writes it as a kernel file)"
        );
    }
}
