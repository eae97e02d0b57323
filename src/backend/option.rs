//! The options of a class of machines as data. A command line offers them, and refuses those that do not apply to a machine.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::num::{IntErrorKind, ParseIntError};
use std::ops::RangeInclusive;
use std::str::FromStr;

use crate::algebra::Rational;
use crate::syntax::{Fraction, closest};

/// The values that an option accepts.
#[derive(Clone, Debug)]
pub enum Accepts {
    /// No value: the option is a flag.
    Flag,
    /// Any text.
    Any,
    /// One of these names, each with its meaning. The meaning is empty if the name is enough.
    OneOf(Vec<(&'static str, &'static str)>),
    /// Any text that this function does not refuse.
    Checked(fn(&str) -> Result<(), String>),
}

/// How often an option may have a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occurs {
    /// At most once.
    Once,
    /// A list in every use, with commas between the values.
    List,
    /// One value in every use.
    Often,
}

/// An option of a class of machines.
#[derive(Clone, Debug)]
pub struct OptionSpec {
    /// The name, without dashes. If several classes have an option of this name, it is one option.
    pub name: &'static str,
    /// The one-letter name.
    pub short: Option<char>,
    /// Another name.
    pub alias: Option<&'static str>,
    /// The placeholder for the value in help texts.
    pub value_name: &'static str,
    /// The purpose of the option: one sentence without a full stop.
    pub help: String,
    /// The values that it accepts.
    pub accepts: Accepts,
    /// How often it may have a value.
    pub occurs: Occurs,
    /// The default value.
    pub default: Option<&'static str>,
    /// Whether only the long help shows the option.
    pub rare: bool,
    /// Whether a value may begin with a sign.
    pub signed: bool,
    /// The options that it conflicts with.
    pub conflicts: &'static [&'static str],
    /// An option that must also be given.
    pub requires: Option<&'static str>,
    /// Whether only reports show what the option asks for.
    pub reported: bool,
    /// The classes of machines that have the option, as headings, once a registry has collected them.
    pub classes: Vec<&'static str>,
}

impl OptionSpec {
    /// An option without a value.
    pub fn flag(name: &'static str, help: &str) -> Self {
        Self {
            name,
            short: None,
            alias: None,
            value_name: "",
            help: help.to_owned(),
            accepts: Accepts::Flag,
            occurs: Occurs::Once,
            default: None,
            rare: false,
            signed: false,
            conflicts: &[],
            requires: None,
            reported: false,
            classes: Vec::new(),
        }
    }

    /// An option with a value of any kind.
    pub fn value(name: &'static str, value_name: &'static str, help: &str) -> Self {
        Self { value_name, accepts: Accepts::Any, ..Self::flag(name, help) }
    }

    /// Accepts only these names.
    pub fn one_of(self, names: impl IntoIterator<Item = &'static str>) -> Self {
        self.choices(names.into_iter().map(|name| (name, "")))
    }

    /// Accepts only these names, each with its meaning.
    pub fn choices(self, names: impl IntoIterator<Item = (&'static str, &'static str)>) -> Self {
        Self { accepts: Accepts::OneOf(names.into_iter().collect()), ..self }
    }

    /// Accepts only values that `check` does not refuse.
    pub fn checked(self, check: fn(&str) -> Result<(), String>) -> Self {
        Self { accepts: Accepts::Checked(check), ..self }
    }

    /// Accepts a list of values.
    pub fn list(self) -> Self {
        Self { occurs: Occurs::List, ..self }
    }

    /// Shows the option only in the long help.
    pub fn rare(self) -> Self {
        Self { rare: true, ..self }
    }

    /// Marks what only reports show.
    pub fn reported(self) -> Self {
        Self { reported: true, ..self }
    }

    /// Accepts numbers with a sign.
    pub fn signed(self) -> Self {
        Self { signed: true, ..self }
    }

    /// Gives the option another name.
    pub fn alias(self, alias: &'static str) -> Self {
        Self { alias: Some(alias), ..self }
    }

    /// Refuses the option beside these.
    pub fn conflicts(self, conflicts: &'static [&'static str]) -> Self {
        Self { conflicts, ..self }
    }

    /// Refuses the option without this one.
    pub fn requires(self, other: &'static str) -> Self {
        Self { requires: Some(other), ..self }
    }

    /// Sets the default value.
    pub fn default(self, default: &'static str) -> Self {
        Self { default: Some(default), ..self }
    }

    /// Refuses values that the option does not take.
    fn takes(&self, values: &[String]) -> Result<(), String> {
        let name = self.name;
        match &self.accepts {
            Accepts::Flag if values.iter().all(String::is_empty) => return Ok(()),
            Accepts::Flag => return Err(format!("`--{name}` is a flag: it takes no value")),
            _ if values.is_empty() => return Err(format!("`--{name}` needs a value")),
            _ if self.occurs == Occurs::Once && values.len() > 1 => {
                return Err(format!("`--{name}` takes one value, not {}", values.len()));
            }
            _ => {}
        }
        let accepts = |value: &str| match &self.accepts {
            Accepts::OneOf(names) if names.iter().all(|(name, _)| *name != value) => {
                Err(expected(names.iter().map(|(name, _)| *name)))
            }
            Accepts::Checked(check) => check(value),
            _ => Ok(()),
        };
        values.iter().try_for_each(|value| accepts(value).map_err(|why| invalid(value, name, &why)))
    }

    /// Joins two options of one name. The help says what each class means, if they differ. The class that restricts the values decides
    /// about them.
    pub(super) fn joined(mut self, other: Self) -> Self {
        if self.help != other.help {
            let lower = |text: &str| begun(text, char::to_ascii_lowercase);
            if let [class] = self.classes[..] {
                self.help = format!("{class}: {}", lower(&self.help));
            }
            let class = lower(&other.classes.join(", "));
            self.help = format!("{}; {class}: {}", self.help, lower(&other.help));
        }
        if matches!(self.accepts, Accepts::Any) {
            self.accepts = other.accepts;
        }
        self.classes.extend(other.classes);
        self
    }
}

/// The help of two forms of one name: that of both, where it is not the same.
pub(super) fn joined_help(own: String, other: &str) -> String {
    if own == other {
        return own;
    }
    format!("{own}; {}", begun(other, char::to_ascii_lowercase))
}

/// The text with another first letter.
fn begun(text: &str, letter: fn(&char) -> char) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| letter(&first)).into_iter().chain(letters).collect()
}

/// The options that were given, by name, with their values as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OptionValues(BTreeMap<String, Vec<String>>);

impl OptionValues {
    /// Sets the values of an option. A flag has none.
    pub fn with(mut self, name: &str, values: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.0.insert(name.to_owned(), values.into_iter().map(Into::into).collect());
        self
    }

    /// The names of the options that were given.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Whether an option was given.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// The values of an option.
    pub fn all(&self, name: &str) -> &[String] {
        self.0.get(name).map_or(&[], Vec::as_slice)
    }

    /// Those of these options that `keep` accepts.
    pub fn only(mut self, keep: impl Fn(&str) -> bool) -> Self {
        self.0.retain(|name, _| keep(name));
        self
    }

    /// The last value of an option.
    pub fn one(&self, name: &str) -> Option<&str> {
        self.all(name).last().map(String::as_str)
    }

    /// Returns the last value of an option, parsed by `read`.
    ///
    /// # Errors
    /// The text is not a valid value; the message says why.
    pub fn read<T>(&self, name: &str, read: impl Fn(&str) -> Result<T, String>) -> Result<Option<T>, String> {
        Ok(self.list(name, read)?.pop())
    }

    /// Returns all values of an option, parsed by `read`.
    ///
    /// # Errors
    /// See [`OptionValues::read`].
    pub fn list<T>(&self, name: &str, read: impl Fn(&str) -> Result<T, String>) -> Result<Vec<T>, String> {
        let one = |text: &String| read(text).map_err(|why| invalid(text, name, &why));
        self.all(name).iter().map(one).collect()
    }
}

/// Checks values by the options that they are of: each value, how many there are, and which options exclude or need others. `beside`
/// names what is given besides options of machines. Names of no option are not checked.
///
/// # Errors
/// What is wrong with the first wrong option.
pub fn check(options: &[OptionSpec], values: &OptionValues, beside: &[&str]) -> Result<(), String> {
    let is_given = |name: &str| values.has(name) || beside.contains(&name);
    for option in options.iter().filter(|option| values.has(option.name)) {
        option.takes(values.all(option.name))?;
        if let Some(other) = option.conflicts.iter().find(|other| is_given(other)) {
            return Err(format!("`--{}` and `--{other}` exclude one another", option.name));
        }
        if let Some(other) = option.requires.filter(|other| !is_given(other)) {
            return Err(format!("`--{}` is of use only with `--{other}`", option.name));
        }
    }
    Ok(())
}

fn invalid(value: &str, option: &str, why: &str) -> String {
    format!("invalid value `{value}` for `--{option}`: {why}")
}

/// The message for what is none of these names.
pub fn expected(names: impl IntoIterator<Item = &'static str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    match &names[..] {
        [] => "there are none".to_owned(),
        [only] => format!("expected {only}"),
        [others @ .., last] => format!("expected {} or {last}", others.join(", ")),
    }
}

/// Parses a value with [`FromStr`].
///
/// # Errors
/// The text cannot be parsed; the message says why.
pub fn parse<T: FromStr<Err: Display>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|why: T::Err| why.to_string())
}

/// Checks that a value can be parsed.
///
/// # Errors
/// See [`parse`].
pub fn parses<T: FromStr<Err: Display>>(text: &str) -> Result<(), String> {
    parse::<T>(text).map(drop)
}

/// Parses a whole number.
///
/// # Errors
/// The text is not a whole number, or the number is too large or too small for the type.
pub fn integer<T: FromStr<Err = ParseIntError>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|why: ParseIntError| match why.kind() {
        IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => why.to_string(),
        _ => "expected a whole number".to_owned(),
    })
}

/// Checks that a value is a whole number from 0 that fits.
///
/// # Errors
/// See [`integer`].
pub fn counts(text: &str) -> Result<(), String> {
    integer::<usize>(text).map(drop)
}

/// Parses a whole number in a range.
///
/// # Errors
/// The text is not a whole number, or the number is out of range.
pub fn whole(text: &str, range: RangeInclusive<i64>) -> Result<i64, String> {
    let value = integer(text)?;
    if range.contains(&value) {
        Ok(value)
    } else {
        Err(format!("{value} is not in {}..={}", range.start(), range.end()))
    }
}

/// Parses a cost from 0 to `most`, such as `3`, `0.05` or `1/20`, in thousandths: the nearest number of them.
///
/// # Errors
/// The text is not a number, or the number is out of range.
pub fn cost(text: &str, most: u64) -> Result<u64, String> {
    let cost = Fraction::parse(text).map_err(|_| "expected a number, as in 3, 0.05 or 1/20".to_owned())?;
    cost.thousandths(most).ok_or_else(|| format!("{text} is neither 0 nor in 0.001..={most}"))
}

/// Parses `NAME=REGISTER`.
///
/// # Errors
/// The name or the register is missing.
pub fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, register)) if !name.is_empty() && !register.is_empty() => {
            Ok((name.to_owned(), register.to_owned()))
        }
        _ => Err("expected a name, `=` and a register".to_owned()),
    }
}

/// Parses `NAME=REGISTER`, or `REGISTER` for the only input, whose name is then empty.
///
/// # Errors
/// See [`assignment`].
pub fn placement(text: &str) -> Result<(String, String), String> {
    if text.contains('=') { assignment(text) } else { Ok((String::new(), text.to_owned())) }
}

/// Parses `LEAST,GREATEST`.
///
/// # Errors
/// A number is missing, or the least value is above the greatest.
pub fn range(text: &str) -> Result<[Rational; 2], String> {
    let number = |text: &str| text.trim().parse::<Rational>().ok();
    let ends = text.split_once(',').and_then(|(low, high)| Some([number(low)?, number(high)?]));
    match ends {
        Some([low, high]) if low <= high => Ok([low, high]),
        Some(_) => Err("the least value is above the greatest".to_owned()),
        None => Err("expected two numbers and a comma, as in -128,127".to_owned()),
    }
}

/// The options that select a program of a source, and the registers of its inputs and outputs.
pub fn listing() -> Vec<OptionSpec> {
    vec![
        OptionSpec::value("block", "N", "Which of the source's programs, counted from 1").checked(counts),
        OptionSpec::flag(
            "lenient",
            "Evaluate what the machine does not allow, like a simulator without operand rules",
        ),
        OptionSpec::value(
            "input",
            "A",
            "Register of the single input [default: the first that is read before it is written]",
        )
        .conflicts(&["inputs"]),
        assignments("inputs", "NAME=A,…", "Registers of the inputs"),
        OptionSpec::value(
            "output-register",
            "B",
            "Register of the single output [default: the one that holds it, or the one written last]",
        )
        .conflicts(&["outputs"]),
        assignments("outputs", "NAME=B,…", "Registers of the outputs"),
    ]
}

/// An option with a list of `NAME=REGISTER`.
pub fn assignments(name: &'static str, value_name: &'static str, help: &str) -> OptionSpec {
    OptionSpec::value(name, value_name, help).checked(|text| assignment(text).map(drop)).list()
}

/// The pairs of a name and a value that an option gives. An empty name may occur several times.
///
/// # Errors
/// Another name occurs twice.
pub fn once(option: &str, pairs: Vec<(String, String)>) -> Result<Vec<(String, String)>, String> {
    let mut names: Vec<&str> = pairs.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1] && !pair[0].is_empty()) {
        Some(pair) => Err(format!("--{option} names `{}` twice", pair[0])),
        None => Ok(pairs),
    }
}

/// Returns (name, register) for each value of the option `several`, and for that of `only`, whose name is empty.
///
/// # Errors
/// An assignment cannot be parsed.
pub fn placed(options: &OptionValues, several: &str, only: &str) -> Result<Vec<(String, String)>, String> {
    let mut placed = options.list(several, assignment)?;
    placed.extend(options.one(only).map(|register| (String::new(), register.to_owned())));
    Ok(placed)
}

/// The index of the input or output that an option names. The only one needs no name.
///
/// # Errors
/// There is none of that name.
pub fn place(what: &str, name: &str, names: &[String]) -> Result<usize, String> {
    let own = |known: &String| known == name || name.is_empty() && names.len() == 1;
    names.iter().position(own).ok_or_else(|| match names {
        [] => format!("{what}s can be named only if there is something to compare with"),
        [first, ..] if name.is_empty() => {
            format!(
                "the {what}s are {}; each has a place of its own, as in `--{what}s {first}=…`",
                names.join(", ")
            )
        }
        _ => format!("there is no {what} `{name}`; the {what}s are {}", names.join(", ")),
    })
}

/// The message for an unknown name. It suggests the closest known name, or lists all of them.
pub fn unknown(what: &str, name: &str, owner: &str, known: &[&str]) -> String {
    let instead = match closest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("it has {}", known.join(", ")),
    };
    format!("`{owner}` has no {what} `{name}`; {instead}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments_have_two_sides() {
        assert_eq!(assignment("out=B"), Ok(("out".to_owned(), "B".to_owned())));
        assert_eq!(placement("B"), Ok((String::new(), "B".to_owned())));
        for text in ["", "B", "=B", "out="] {
            assert!(assignment(text).is_err(), "{text}");
        }
    }

    #[test]
    fn costs_are_decimals_or_fractions() {
        for (text, thousandths) in
            [("0", 0), ("3", 3000), ("0.05", 50), ("1/10", 100), ("2/3", 667), ("9", 9000)]
        {
            assert_eq!(cost(text, 9), Ok(thousandths), "{text}");
        }
        assert_eq!(cost("91/10", 9), Err("91/10 is neither 0 nor in 0.001..=9".to_owned()));
        for text in ["", "-1", "0.0004", "x", "inf", "NaN", "1/0"] {
            assert!(cost(text, 9).is_err(), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_said_with_its_option() {
        let values = OptionValues::default().with("width", ["8", "x"]);
        assert_eq!(values.one("width"), Some("x"));
        let wrong = values.read("width", |text| whole(text, 1..=9));
        assert_eq!(wrong, Err("invalid value `x` for `--width`: expected a whole number".to_owned()));
        assert_eq!(whole("10", 1..=9), Err("10 is not in 1..=9".to_owned()));
        assert_eq!(values.read("height", parse::<u8>), Ok(None));
    }

    #[test]
    fn values_are_checked_by_their_options() {
        let options = [
            OptionSpec::flag("flag", "").conflicts(&["one"]),
            OptionSpec::value("one", "N", "").checked(counts).requires("beside"),
            OptionSpec::value("list", "A,…", "").one_of(["a", "b", "c"]).list(),
        ];
        let wrong = |given: &[(&str, &[&str])], beside: &[&str]| {
            let with = |all: OptionValues, (name, values): &(&str, &[&str])| all.with(name, values.to_vec());
            check(&options, &given.iter().fold(OptionValues::default(), with), beside).err()
        };
        for fine in
            [("flag", &[][..]), ("flag", &[""]), ("one", &["7"]), ("list", &["c", "a"]), ("other", &["x"])]
        {
            assert_eq!(wrong(&[fine], &["beside"]), None, "{fine:?}");
        }
        for (given, why) in [
            (("flag", &["x"][..]), "`--flag` is a flag: it takes no value"),
            (("one", &[]), "`--one` needs a value"),
            (("one", &["1", "2"]), "`--one` takes one value, not 2"),
            (("one", &["-1"]), "invalid value `-1` for `--one`: expected a whole number"),
            (("list", &[]), "`--list` needs a value"),
            (("list", &["a", "d"]), "invalid value `d` for `--list`: expected a, b or c"),
            (("one", &["7"]), "`--one` is of use only with `--beside`"),
        ] {
            assert_eq!(wrong(&[given], &[]).as_deref(), Some(why));
        }
        let both = wrong(&[("one", &["7"]), ("flag", &[])], &["beside"]);
        assert_eq!(both.as_deref(), Some("`--flag` and `--one` exclude one another"));
    }

    #[test]
    fn an_option_of_two_classes_is_explained_by_both() {
        let of = |class, help: &str| OptionSpec {
            classes: vec![class],
            ..OptionSpec::value("type", "TYPE", help)
        };
        let joined =
            of("Arrays", "Words").joined(of("Lines", "Bytes").one_of(["byte"])).joined(of("Toys", "Bits"));
        assert_eq!(joined.help, "Arrays: words; lines: bytes; toys: bits");
        assert_eq!(joined.classes, ["Arrays", "Lines", "Toys"]);
        assert!(matches!(joined.accepts, Accepts::OneOf(names) if names == [("byte", "")]));
    }
}
