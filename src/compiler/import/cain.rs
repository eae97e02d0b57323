//! Configurations of Cain 3: JSON with a kernel for each output register. Only the filter is read, and how it is to be rounded.
//!
//! The format is described in Cain's README: github.com/ed741/cain.

use serde_json::{Map, Value};

use super::imported::{Imported, Plane};
use super::json::Unique;
use super::number::number;
use crate::algebra::{PlusTimes, Rational, Semiring};
use crate::syntax::{Diagnostic, Source, Span, is_name};

/// The multiples of two that Cain tries first: those of 2^10.
const COARSEST: i32 = -10;

/// The deepest rounding that is read.
const DEEPEST: i32 = 30;

/// Why a coefficient cannot be used.
const TOO_LARGE: &str = "a coefficient does not fit in 64 bits";

/// Reads the filter of a configuration, which is the end of the source's text.
pub(super) fn read(source: &Source, text: &str) -> Result<Imported, Diagnostic> {
    let Unique(config) = serde_json::from_str(text).map_err(|error| {
        let line = source.line(error.line()).range();
        let at = (line.start + error.column().saturating_sub(1)).min(source.text().len());
        Diagnostic::error("not-json", error.to_string()).label(Span::at(at), "here")
    })?;
    // JSON values have no places.
    let place = Span::at(source.text().find("\"filter\"").unwrap_or(0));
    let wrong = |message: String| {
        Diagnostic::error("no-filter", message).label(place, "in this configuration of Cain")
    };
    let filter = config.get("filter").and_then(Value::as_object);
    let filter =
        filter.ok_or_else(|| wrong("there is no `filter` with a kernel for each register".to_owned()))?;
    let mut outputs = Vec::new();
    for (register, kernel) in filter {
        let planes = planes(kernel).map_err(|why| wrong(format!("the kernel of `{register}`: {why}")))?;
        outputs.push((channel(register).map_err(wrong)?, planes));
    }
    if outputs.is_empty() {
        return Err(wrong("the filter has no kernels".to_owned()));
    }
    outputs.sort_by(|(a, _), (b, _)| a.cmp(b));
    let channels = outputs.iter().map(|(_, planes)| planes.len()).max().unwrap_or(0);
    let inputs = inputs(&config, channels).map_err(wrong)?;
    for (_, planes) in &mut outputs {
        planes.resize(channels, Vec::new());
    }
    let notes = round(&config, &mut outputs).map_err(wrong)?;
    Ok(Imported { notes, inputs, outputs, place })
}

/// The names of the inputs: `image` for one, the initial registers for several channels.
fn inputs(config: &Value, channels: usize) -> Result<Vec<String>, String> {
    if channels == 1 {
        return Ok(vec!["image".to_owned()]);
    }
    let registers = config.pointer("/registerAllocator/initialRegisters").and_then(Value::as_array);
    let names = registers.into_iter().flatten().filter_map(Value::as_str);
    let names: Vec<String> = names.map(channel).collect::<Result<_, _>>()?;
    if names.len() == channels {
        Ok(names)
    } else {
        Err(format!(
            "the kernels are of {channels} channels, and there are {} initial registers",
            names.len()
        ))
    }
}

/// The name of a register as that of an input or output in a kernel file.
fn channel(register: &str) -> Result<String, String> {
    let name = register.replace(':', "-");
    let is_plain = name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
    let is_number = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    if is_plain && (is_number || is_name(&name)) {
        Ok(name)
    } else {
        Err(format!("`{register}` is not the name of a register"))
    }
}

/// The planes of a kernel: an array, or an object with an array, a scale and a depth.
fn planes(kernel: &Value) -> Result<Vec<Plane>, String> {
    let none = Map::new();
    let (array, settings) = match kernel {
        Value::Object(settings) => (settings.get("array").unwrap_or(&Value::Null), settings),
        array => (array, &none),
    };
    let setting = |name: &str| settings.get(name).map_or(Ok(None), |value| value_of(value).map(Some));
    let depth = setting("depth")?.unwrap_or(Rational::ZERO);
    let power = depth.is_integer().then(|| i32::try_from(depth.numerator()).ok()).flatten();
    let power = power.and_then(Rational::power_of_two).ok_or("its depth is not a small integer")?;
    let scale = setting("scale")?.unwrap_or(Rational::ONE).mul(power).ok_or(TOO_LARGE)?;
    let rows = array.as_array().ok_or("expected an array of rows")?;
    let rows: Vec<&Vec<Value>> =
        rows.iter().map(|row| row.as_array().ok_or("expected an array of rows")).collect::<Result<_, _>>()?;
    let Some(first) = rows.iter().find_map(|row| row.first()) else {
        return Err("it has no coefficients".to_owned());
    };
    let (width, channels) = (rows[0].len(), channels_of(first).len());
    let mut planes: Vec<Plane> = vec![vec![Vec::new(); rows.len()]; channels];
    for (y, row) in rows.iter().enumerate() {
        if row.len() != width {
            let (y, found) = (y + 1, counted(row.len(), "coefficient"));
            return Err(format!("row {y} has {found}, and the first has {width}"));
        }
        for tap in *row {
            let values = channels_of(tap);
            if values.len() != channels {
                let found = counted(values.len(), "input");
                return Err(format!("there are coefficients for {found}, and the first is for {channels}"));
            }
            for (plane, value) in planes.iter_mut().zip(values) {
                plane[y].push(value_of(value)?.mul(scale).ok_or(TOO_LARGE)?);
            }
        }
    }
    if planes.is_empty() { Err("it has no coefficients".to_owned()) } else { Ok(planes) }
}

/// The coefficients of a place, one for each channel.
fn channels_of(tap: &Value) -> &[Value] {
    match tap {
        Value::Array(values) => values,
        value => std::slice::from_ref(value),
    }
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn value_of(value: &Value) -> Result<Rational, String> {
    match value {
        Value::Number(found) => number(&found.to_string()).map_err(str::to_owned),
        other => Err(format!("expected a number, found `{other}`")),
    }
}

/// Rounds as Cain does: to multiples of the largest power of two for which the errors add up to no more than is allowed, or of
/// the least power that is allowed. Returns what is to be said of it.
fn round(config: &Value, outputs: &mut [(String, Vec<Plane>)]) -> Result<Vec<String>, String> {
    let Some(deepest) = config.get("maxApproximationDepth").and_then(Value::as_i64) else {
        return Ok(Vec::new());
    };
    let deepest = i32::try_from(deepest).ok().filter(|deepest| (COARSEST..=DEEPEST).contains(deepest));
    let deepest = deepest.ok_or("`maxApproximationDepth` is out of range")?;
    let allowed = config.get("maxApproximationError").and_then(Value::as_f64).unwrap_or(0.0);
    let values = || outputs.iter().flat_map(|(_, planes)| planes.iter().flatten().flatten());
    let lost = |depth: i32| -> Option<f64> {
        let of = |value: &Rational| Some(at_depth(*value, depth)?.sub(*value)?.abs().to_f64());
        values().map(of).sum()
    };
    let (mut depth, mut error) = (deepest, 0.0);
    for tried in COARSEST..=deepest {
        error = lost(tried).ok_or(TOO_LARGE)?;
        if error <= allowed {
            depth = tried;
            break;
        }
    }
    for (_, planes) in outputs.iter_mut() {
        for value in planes.iter_mut().flatten().flatten() {
            *value = at_depth(*value, depth).ok_or(TOO_LARGE)?;
        }
    }
    let note =
        format!("Coefficients are rounded to multiples of 2^{}: the errors add up to {error}.", -depth);
    Ok(if error > 0.0 { vec![note] } else { Vec::new() })
}

fn at_depth(value: Rational, depth: i32) -> Option<Rational> {
    let (unit, inverse) = (Rational::power_of_two(-depth)?, Rational::power_of_two(depth)?);
    let count = PlusTimes::try_mul(value, inverse).ok()?.round();
    PlusTimes::try_mul(Rational::integer(count), unit).ok()
}
