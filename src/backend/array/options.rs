//! The options of processor arrays, and how they are resolved for one machine.

use std::sync::Arc;

use super::compile::{Aims, CheckRequest, Keep, Nearness, OptimizeRequest};
use super::host_values::{host_value, host_values, occur};
use super::machine::{DEFAULT_ROUNDS, Division, NO_NOISE, Noise, Reading, Target};
use super::search::Objective;
use super::simulate::Fit;
use crate::algebra::{CoefficientError, Rational};
use crate::backend::Request;
use crate::backend::option::{
    OptionSpec, OptionValues, assignment, assignments, counts, expected, integer, listing, once, placed,
    placement, range, unknown, whole,
};
use crate::rule::RuleSet;
use crate::syntax::Source;

/// The options of `optimize`, in the order of its help.
pub(super) fn optimize() -> Vec<OptionSpec> {
    let mut options = vec![
        OptionSpec::value(
            "isa",
            "ISA",
            "Instruction set, by its name in the target [default: the target's richest]",
        ),
        OptionSpec::value(
            "minimise",
            "MINIMISE",
            "What to minimise [default: cycles where instructions are primitive operations, else instructions]",
        )
        .choices([
            ("cycles", "Cycles of the program"),
            ("instructions", "Printed instructions, whatever they cost"),
        ]),
        OptionSpec::value(
            "division",
            "DIVISION",
            "How to halve: with the operation's error, or compensated [default: that of the program or the instruction set]",
        )
        .one_of(Division::ALL.map(|(name, _)| name)),
    ];
    options.extend(aims());
    options.extend(registers());
    options.extend(lift());
    options
}

/// Options for goals other than cost.
fn aims() -> [OptionSpec; 6] {
    [
        OptionSpec::value(
            "input-range",
            "LO,HI",
            "Find only programs in which nothing overflows for inputs of this range",
        )
        .checked(|text| range(text).map(drop))
        .signed(),
        OptionSpec::value(
            "max-error",
            "E",
            "Let coefficients be off by up to E where that makes the program cheaper",
        )
        .checked(|text| error(text).map(drop)),
        OptionSpec::value("depth", "D", "Round coefficients to multiples of 2^-D")
            .checked(|text| depth(text).map(drop))
            .rare()
            .conflicts(&["max-error"]),
        OptionSpec::value(
            "weigh-noise",
            "W",
            "Minimise cycles + W · RMS error, with the better way of halving",
        )
        .checked(|text| weight(text).map(drop)),
        OptionSpec::flag("pareto", "Also print the Pareto front of cycles and predicted RMS error")
            .reported()
            .rare(),
        OptionSpec::value(
            "noise",
            "MODEL",
            "Noise model, by its name in the target, or `ideal` [default: the target's first]",
        )
        .rare(),
    ]
}

/// Options for the registers and their contents.
fn registers() -> [OptionSpec; 4] {
    [
        OptionSpec::value(
            "registers",
            "A,B,…|N",
            "Registers to use, by name, or how many there are [default: all]",
        )
        .list(),
        OptionSpec::value("input", "[NAME=]A,…", "Registers of the inputs; a single input needs no name")
            .checked(|text| placement(text).map(drop))
            .list()
            .alias("inputs"),
        OptionSpec::value("outputs", "NAME=B,…", "Registers of the outputs")
            .checked(|text| assignment(text).map(drop))
            .list(),
        OptionSpec::flag("keep-input", "Leave the inputs where they are"),
    ]
}

/// Options for programs given in place of filters.
fn lift() -> Vec<OptionSpec> {
    [
        OptionSpec::value(
            "lift",
            "A,B,…",
            "For a program instead of a kernel file: the registers with its results [default: the one written last; with conditions or digital registers, all that the host may see]",
        )
        .list()
        .rare()
        .conflicts(&["batch"]),
        OptionSpec::value(
            "keep",
            "WHAT,…",
            "For a program: `compensation`, to keep what cancels errors (compensated halvings, and macros instead of single operations); `registers`, to keep what every register and bit holds at the end",
        )
        .list()
        .rare()
        .conflicts(&["batch"]),
        OptionSpec::flag(
            "free-registers",
            "For a program: allow inputs and outputs in other registers than its own",
        )
        .rare(),
        OptionSpec::value("block", "N", "For a program: which one of its source, counted from 1")
            .checked(counts)
            .rare()
            .conflicts(&["batch"]),
    ]
    .into_iter()
    .chain(source().map(|option| option.rare()))
    .collect()
}

/// Options for what a source leaves open.
fn source() -> [OptionSpec; 3] {
    [
        OptionSpec::value(
            "function",
            "NAME",
            "The function of the source to read, with all of its programs and the host's code around them",
        )
        .conflicts(&["block"]),
        OptionSpec::value(
            "host",
            "NAME=VALUE",
            "Value of a host's variable or of a parameter: a number, a register or a direction",
        )
        .checked(|text| host_value(text).map(drop))
        .list(),
        OptionSpec::value(
            "rounds",
            "N",
            "How many rounds to read of a loop whose bound is not known [default: 4]",
        )
        .checked(counts),
    ]
}

/// The options of `check`, in the order of its help.
pub(super) fn check() -> Vec<OptionSpec> {
    let mut options = run_listing();
    options.extend([
        OptionSpec::value("against-block", "N", "Which program of the --against source, counted from 1")
            .checked(counts)
            .requires("against"),
        assignments(
            "against-outputs",
            "NAME=B,…",
            "Registers of the outputs of the --against program [default: the same, or the one written last]",
        )
        .requires("against"),
        OptionSpec::value(
            "input-range",
            "LEAST,GREATEST",
            "Warn where values can overflow a register, for inputs of this range",
        )
        .checked(|text| range(text).map(drop))
        .signed(),
        OptionSpec::value(
            "noise",
            "MODEL",
            "Noise model for the prediction, by its name in the target, or `ideal` [default: the target's first]",
        ),
    ]);
    options
}

/// Options for how programs are read.
fn run_listing() -> Vec<OptionSpec> {
    let mut options = listing();
    options.insert(
        1,
        OptionSpec::flag("assume-all", "Treat instructions under a mask as executed by every element"),
    );
    options.splice(1..1, source());
    options
}

/// The ways to fit a picture to the array.
const FITS: [(&str, &str, Fit); 4] = [
    ("exact", "Not at all: other sizes are refused", Fit::Exact),
    ("tile", "In overlapping parts, without seams", Fit::Tile),
    ("resize", "Resized: each pixel is the mean of the area that it covers", Fit::Resize),
    ("grow", "On a simulated array as large as the picture", Fit::Grow),
];

/// The options of `run`, in the order of its help.
pub(super) fn run() -> Vec<OptionSpec> {
    let mut options = vec![
        OptionSpec::value("fit", "FIT", "How to fit a picture of another size onto the array")
            .choices(FITS.map(|(name, help, _)| (name, help)))
            .default("exact"),
        OptionSpec::value("noise", "MODEL", "Noise model, by its name in the target").default(NO_NOISE),
        OptionSpec::flag("saturate", "Saturate register values, as the machine does"),
    ];
    options.extend(run_listing());
    options
}

/// The check that the options request. A run has no reference, and handles its outputs separately.
pub(super) fn check_request(target: &Arc<Target>, request: &Request) -> Result<CheckRequest, String> {
    let options = &request.options;
    let reading = |block| reading(target, options, block);
    let own = reading("block")?;
    occur(&own.host, request.against.iter().chain([&request.source]))?;
    Ok(CheckRequest {
        source: request.source.clone(),
        against: request.against.clone(),
        target: Arc::clone(target),
        reading: own,
        against_reading: reading("against-block")?,
        inputs: once("inputs", placed(options, "inputs", "input")?)?,
        outputs: once("outputs", placed(options, "outputs", "output-register")?)?,
        against_outputs: once("against-outputs", options.list("against-outputs", assignment)?)?,
        input_range: options.read("input-range", range)?,
        noise: options.one("noise").map(|name| noise_model(target, name)).transpose()?,
        lenient: options.has("lenient"),
    })
}

/// How a program is read; `block` is the option that names the part of its source.
fn reading(target: &Target, options: &OptionValues, block: &str) -> Result<Reading, String> {
    Ok(Reading {
        block: options.read(block, integer)?,
        function: options.one("function").filter(|_| block == "block").map(str::to_owned),
        assume_all: options.has("assume-all"),
        host: host_values(target, options)?,
        rounds: options.read("rounds", integer)?.unwrap_or(DEFAULT_ROUNDS),
    })
}

/// The way to fit pictures to the array.
pub(super) fn fit(options: &OptionValues) -> Result<Fit, String> {
    let named = |name: &str| FITS.iter().find(|(own, ..)| *own == name).map(|(.., fit)| *fit);
    let read = |name: &str| named(name).ok_or_else(|| expected(FITS.map(|(own, ..)| own)));
    Ok(options.read("fit", read)?.unwrap_or(Fit::Exact))
}

/// The noise model of a run, if any.
pub(super) fn run_noise(target: &Target, options: &OptionValues) -> Result<Option<Noise>, String> {
    let name = options.one("noise").filter(|name| *name != NO_NOISE);
    name.map(|name| noise_model(target, name)).transpose()
}

/// The settings that the options of `optimize` determine.
pub(super) struct Settings {
    /// The request as far as options determine it: without a filter, rules or limits.
    pub(super) request: OptimizeRequest,
    /// The result registers, if the source is a program.
    pub(super) results: Vec<String>,
    pub(super) free_registers: bool,
    /// How a program is read.
    pub(super) reading: Reading,
}

impl Settings {
    /// Resolves the names in the options for a machine.
    pub(super) fn new(target: &Arc<Target>, options: &OptionValues) -> Result<Self, String> {
        let (target, registers) = sized(target, options)?;
        let isa = match options.one("isa") {
            Some(name) if target.isa(name).is_none() => {
                let known: Vec<&str> = target.isas.iter().map(|isa| isa.name.as_str()).collect();
                return Err(unknown("instruction set", name, &target.name, &known));
            }
            Some(name) => name.to_owned(),
            // A descriptor lists its instruction sets from the poorest to the richest.
            None => target.isas.last().map(|isa| isa.name.clone()).unwrap_or_default(),
        };
        let inputs = once("input", options.list("input", placement)?)?;
        let outputs = once("outputs", options.list("outputs", assignment)?)?;
        let fixed = inputs.iter().chain(&outputs).map(|(_, register)| register);
        for register in registers.iter().flatten().chain(fixed) {
            if target.register(register).is_none() {
                let general = target.general_registers().iter();
                let known: Vec<&str> = general.map(|register| target.register_name(*register)).collect();
                return Err(unknown("register", register, &target.name, &known));
            }
        }
        let objective = |name: &str| match name {
            "cycles" => Ok(Objective::Cycles),
            "instructions" => Ok(Objective::Instructions),
            _ => Err("expected cycles or instructions".to_owned()),
        };
        let division =
            |name: &str| Division::named(name).ok_or_else(|| expected(Division::ALL.map(|(name, _)| name)));
        let nothing = Source::new("", "");
        let reading = reading(&target, options, "block")?;
        Ok(Self {
            request: OptimizeRequest {
                objective: options.read("minimise", objective)?,
                division: options.read("division", division)?,
                registers,
                inputs,
                outputs,
                keep_input: options.has("keep-input"),
                aims: aims_of(&target, options)?,
                keep: keep(options)?,
                ..OptimizeRequest::new(nothing, target, &isa, RuleSet::default())
            },
            results: options.all("lift").to_vec(),
            free_registers: options.has("free-registers"),
            reading,
        })
    }
}

/// The target and the registers that may be used. A number in place of names requests a machine with that many registers.
fn sized(target: &Arc<Target>, options: &OptionValues) -> Result<(Arc<Target>, Option<Vec<String>>), String> {
    let registers = options.has("registers").then(|| options.all("registers"));
    let count = match registers {
        Some([one]) if target.register(one).is_none() => one.parse::<usize>().ok(),
        _ => None,
    };
    let Some(count) = count else { return Ok((Arc::clone(target), registers.map(<[String]>::to_vec))) };
    let wide = target.with_registers(count).ok_or_else(|| {
        format!("`{}` can be given 1 to {} registers, not {count}", target.name, target.max_registers())
    })?;
    let general = wide.general_registers();
    let names = general.iter().take(count).map(|r| wide.register_name(*r).to_owned()).collect();
    Ok((Arc::new(wide), Some(names)))
}

/// What must stay as in a program.
fn keep(options: &OptionValues) -> Result<Keep, String> {
    let mut keep = Keep::default();
    for what in options.all("keep") {
        match what.as_str() {
            "compensation" => keep.compensation = true,
            "registers" => keep.registers = true,
            other => return Err(format!("--keep takes `compensation` and `registers`, not `{other}`")),
        }
    }
    if keep.compensation && options.one("division") == Some("quick") {
        return Err("--division quick and --keep compensation contradict each other".to_owned());
    }
    if keep.registers && options.has("lift") {
        return Err("--keep registers keeps all of them, so --lift does not apply".to_owned());
    }
    Ok(keep)
}

/// The goals other than cost.
fn aims_of(target: &Target, options: &OptionValues) -> Result<Aims, String> {
    let input_range = options.read("input-range", range)?;
    if let Some([low, high]) = input_range
        && (low < target.range[0] || high > target.range[1])
    {
        let [low, high, least, most] = [low, high, target.range[0], target.range[1]].map(Rational::to_f64);
        return Err(format!(
            "inputs of {low} to {high} do not fit in a register of `{}`, which holds {least} to {most}",
            target.name
        ));
    }
    let noise = options.one("noise").map(|name| noise_model(target, name)).transpose()?;
    let (noise_weight, front) = (options.read("weigh-noise", weight)?, options.has("pareto"));
    if target.noise.is_empty() && noise.is_none() && (front || noise_weight.is_some()) {
        return Err(format!("`{}` has no noise model; its description can define one", target.name));
    }
    let within = options.read("max-error", error)?.map(Nearness::Within);
    let nearness = within.or(options.read("depth", depth)?.map(Nearness::Depth));
    Ok(Aims { input_range, noise, noise_weight, front, nearness })
}

/// The noise model with this name; [`NO_NOISE`] names the model without noise.
///
/// # Errors
/// The list of known models.
pub fn noise_model(target: &Target, name: &str) -> Result<Noise, String> {
    if name == NO_NOISE {
        return Ok(Noise {
            name: NO_NOISE.to_owned(),
            source: String::new(),
            gain: 1.0,
            fixed_pattern: 0.0,
            temporal: 0.0,
            relative: 0.0,
        });
    }
    target.noise(name).cloned().ok_or_else(|| {
        let known = std::iter::once(NO_NOISE).chain(target.noise.iter().map(|noise| noise.name.as_str()));
        unknown("noise model", name, &target.name, &known.collect::<Vec<_>>())
    })
}

/// Parses a bound on the error of coefficients.
///
/// # Errors
/// Why the text is not such a bound.
pub fn error(text: &str) -> Result<Rational, String> {
    const EXPECTED: &str = "expected a number, such as 0.01, 1e-3 or 1/64";
    let value = Rational::scientific(text.trim()).map_err(|wrong| match wrong {
        CoefficientError::Overflow => "its numerator or denominator does not fit in 64 bits",
        _ => EXPECTED,
    })?;
    if value.is_negative() { Err("an error cannot be negative".to_owned()) } else { Ok(value) }
}

fn depth(text: &str) -> Result<u32, String> {
    whole(text, 0..=u32::MAX.into()).map(|depth| depth as u32)
}

fn weight(text: &str) -> Result<f64, String> {
    let finite = text.parse().ok().filter(|value: &f64| value.is_finite());
    let value = finite.ok_or_else(|| "expected a number, such as 0.5".to_owned())?;
    if value >= 0.0 { Ok(value) } else { Err("a weight cannot be negative".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_and_weights_are_not_negative() {
        assert_eq!(error("1/64"), Ok(Rational::new(1, 64).unwrap()));
        assert_eq!(error("0.25"), Ok(Rational::new(1, 4).unwrap()));
        assert_eq!(error("2.5e-9"), Ok(Rational::new(1, 400_000_000).unwrap()));
        assert_eq!(error("1E1"), Ok(Rational::integer(10)));
        for text in ["1e", "1e-40", "1e-2147483648", "e5", "1e1e1"] {
            assert!(error(text).is_err(), "{text}");
        }
        assert!(error("-1/64").is_err() && error("much").is_err());
        assert_eq!(weight("0.5"), Ok(0.5));
        assert!(weight("-1").is_err() && weight("NaN").is_err() && weight("inf").is_err());
    }
}
