//! What the vector intrinsics do.

use std::rc::Rc;
use std::vec::IntoIter;

use super::network::{Family, Network, Setting};
use super::run::{Remark, Runner, Stop, unreadable, zeros};
use super::sum::Sum;
use super::value::{Value, zero_lanes};
use crate::backend::vector::machine::describe_operands;
use crate::backend::vector::read::{Base, Scalar, type_named};
use crate::syntax::{Diagnostic, Span};

type Lanes = Vec<Rc<Sum>>;

/// The arguments of a call that are still to be looked at.
struct Arguments<'n> {
    name: &'n str,
    span: Span,
    left: std::iter::Peekable<IntoIter<Value>>,
}

impl Arguments<'_> {
    fn wrong<T>(&self, expected: &str, found: Option<&Value>) -> Result<T, Stop> {
        let found = found.map_or("no argument".to_owned(), Value::kind);
        let message = format!("`{}` takes {expected} here, found {found}", self.name);
        Err(Box::new(Diagnostic::error("operand", message).label(self.span, "in this call")))
    }

    fn integer(&mut self, what: &str) -> Result<i64, Stop> {
        match self.left.next() {
            Some(Value::Integer(value)) => Ok(value),
            other => self.wrong(&format!("{what}, a constant,"), other.as_ref()),
        }
    }

    fn vector(&mut self, what: &str) -> Result<(Lanes, Scalar), Stop> {
        match self.left.next() {
            Some(Value::Vector(lanes, scalar)) => Ok((lanes, scalar)),
            other => self.wrong(&format!("{what}, a vector,"), other.as_ref()),
        }
    }

    fn accumulator(&mut self, what: &str) -> Result<(Lanes, usize), Stop> {
        match self.left.next() {
            Some(Value::Accumulator(lanes, bits)) => Ok((lanes, bits)),
            other => self.wrong(&format!("{what}, an accumulator,"), other.as_ref()),
        }
    }

    /// Offsets of eight lanes.
    fn offsets(&mut self, what: &str) -> Result<u64, Stop> {
        let value = self.integer(what)?;
        match u32::try_from(value).ok().or_else(|| i32::try_from(value).ok().map(|v| v as u32)) {
            Some(word) => Ok(word.into()),
            None => self.wrong(&format!("{what} of 32 bits"), Some(&Value::Integer(value))),
        }
    }

    fn square(&mut self, what: &str) -> Result<u16, Stop> {
        let value = self.integer(what)?;
        match u16::try_from(value).ok().filter(|v| (0..4).all(|i| v >> (4 * i) & 15 < 4)) {
            Some(word) => Ok(word),
            None => self.wrong(&format!("{what} with four digits of 0 to 3"), Some(&Value::Integer(value))),
        }
    }

    fn end(&mut self) -> Result<(), Stop> {
        match self.left.next() {
            None => Ok(()),
            found => self.wrong("nothing more", found.as_ref()),
        }
    }
}

impl Runner<'_> {
    /// The value of an intrinsic.
    pub(super) fn intrinsic(&mut self, name: &str, values: Vec<Value>, span: Span) -> Result<Value, Stop> {
        let mut arguments = Arguments { name, span, left: values.into_iter().peekable() };
        if let Some(family) = Family::named(name) {
            let value = self.multiply(family, &mut arguments)?;
            arguments.end()?;
            return Ok(value);
        }
        if let Some((action, piece)) = name.split_once('_') {
            let bits = match piece {
                "v" => Some(128),
                "w" => Some(256),
                "x" => Some(512),
                _ => None,
            };
            let value = match (action, bits, type_named(piece)) {
                ("upd", Some(bits), _) => Some(update(&mut arguments, bits)?),
                ("ext", Some(bits), _) => Some(extract(&mut arguments, bits)?),
                ("null", _, Some(base)) => zeros(base),
                ("undef", _, Some(base)) => Some(self.undefined(span, base)),
                (whole, Some(bits), _) if whole.ends_with("set") && whole.len() == 4 => {
                    let whole = match whole {
                        "wset" => 256,
                        "xset" => 512,
                        "yset" => 1024,
                        _ => return unknown(name, span),
                    };
                    Some(self.part_of(&mut arguments, whole, bits)?)
                }
                _ => None,
            };
            if let Some(value) = value {
                arguments.end()?;
                return Ok(value);
            }
        }
        let value = match name {
            "srs" | "bsrs" | "ubsrs" | "lsrs" => self.round(&mut arguments)?,
            "ups" | "lups" => self.widen(&mut arguments)?,
            "concat" => concatenated(&mut arguments)?,
            "upd_elem" => {
                let (mut lanes, scalar) = arguments.vector("what is changed")?;
                let index = element(&mut arguments, lanes.len())?;
                let Some(value) = arguments.left.next().and_then(|value| value.sum()) else {
                    return arguments.wrong("the new element", None);
                };
                lanes[index] = value;
                Value::Vector(lanes, scalar)
            }
            "ext_elem" => {
                let (lanes, _) = arguments.vector("a vector")?;
                let index = element(&mut arguments, lanes.len())?;
                Value::of_sum(Rc::clone(&lanes[index]))
            }
            "set_sat" => {
                self.out.saturates = true;
                Value::Nothing
            }
            "clr_sat" => {
                self.out.saturates = false;
                Value::Nothing
            }
            "clr_rnd" => {
                self.out.rounding = None;
                Value::Nothing
            }
            _ => return unknown(name, span),
        };
        arguments.end()?;
        Ok(value)
    }

    fn multiply(&mut self, family: Family, arguments: &mut Arguments<'_>) -> Result<Value, Stop> {
        let bits = if family.long { 80 } else { 48 };
        let mut lanes = if family.begins {
            zero_lanes(family.lanes)
        } else {
            let (lanes, own) = arguments.accumulator("the sum so far")?;
            if (lanes.len(), own) != (family.lanes, bits) {
                let found = Value::Accumulator(lanes, own);
                return arguments.wrong(&format!("a v{}acc{bits}", family.lanes), Some(&found));
            }
            lanes
        };
        let (x, x_scalar) = arguments.vector("the data")?;
        // What stands in the place of the coefficients says which of the forms this is.
        let others: Vec<Scalar> = arguments
            .left
            .clone()
            .filter_map(|value| match value {
                Value::Vector(_, scalar) => Some(scalar),
                _ => None,
            })
            .collect();
        let Some(z_scalar) = others.last().copied() else {
            return arguments.wrong("coefficients, a vector,", None);
        };
        let Some(network) = family.network(x_scalar.bits, z_scalar.bits) else {
            let message = format!(
                "`{}` of data of {} bits and coefficients of {} bits is not read",
                arguments.name, x_scalar.bits, z_scalar.bits
            );
            return unreadable(arguments.span, message, "its lane selection is not known");
        };
        let wide = family.lanes == 16 && network != Network::Bytes;
        let data = data_setting(network, wide, arguments)?;
        self.starts(network, &data, arguments)?;
        let mut y = None;
        let mut y_bits = None;
        if let Some(minus) = family.pre_adder {
            let lanes = match arguments.left.peek() {
                Some(Value::Vector(..)) => {
                    let (lanes, scalar) = arguments.vector("the other data")?;
                    y_bits = Some(lanes.len() * scalar.bits);
                    lanes
                }
                _ => x.clone(),
            };
            let start = arguments.integer("ystart")?;
            let square =
                if matches!(network, Network::Pairs { .. }) { arguments.square("ysquare")? } else { 0 };
            let setting = Setting { start, square, ..data };
            self.starts(network, &setting, arguments)?;
            y = Some((lanes, setting, if minus { -1 } else { 1 }));
        }
        let (z, _) = arguments.vector("the coefficients")?;
        self.shape([&x_scalar, &z_scalar], [x.len(), z.len()], y_bits, arguments)?;
        let coefficients = coefficient_setting(network, wide, arguments)?;
        if !(0..z.len() as i64).contains(&coefficients.start) {
            let message = format!("zstart is {}, and not 0 to {}", coefficients.start, z.len() - 1);
            self.forbidden("start", arguments.span, message)?;
        }
        self.out.multiplications += 1;
        let sign = if family.negative { -1 } else { 1 };
        for (lane, sum) in lanes.iter_mut().enumerate() {
            let mut work = 0;
            for column in 0..network.columns() {
                let z = &z[network.coefficient(&coefficients, z.len(), lane, column)];
                let x = &x[network.data(&data, x.len(), lane, column)];
                let mut factor = Rc::clone(x);
                if let Some((y, setting, sign)) = &y {
                    let y = &y[network.data(setting, y.len(), lane, column)];
                    let mut both = (*factor).clone();
                    if let Err(flaw) = both.add(y, *sign) {
                        return self.flawed(flaw, arguments.span);
                    }
                    factor = Rc::new(both);
                }
                work += factor.len() * z.len();
                if let Err(flaw) = Rc::make_mut(sum).add_product(&factor, z, sign) {
                    return self.flawed(flaw, arguments.span);
                }
            }
            self.spend(work, arguments.span)?;
        }
        Ok(Value::Accumulator(lanes, bits))
    }

    /// Whether the machine lists operands of these sizes: elements of X and Z, and bits of Y where that is another buffer.
    fn shape(
        &mut self,
        [x, z]: [&Scalar; 2],
        [x_length, z_length]: [usize; 2],
        y_bits: Option<usize>,
        arguments: &Arguments<'_>,
    ) -> Result<(), Stop> {
        let (machine, name) = (self.machine, arguments.name);
        let (x_bits, z_bits) = (x_length * x.bits, z_length * z.bits);
        let listed = machine.shapes_of(name, x.bits, z.bits);
        if listed.is_some_and(|shapes| shapes.lists(x_bits, y_bits) && shapes.z_bits == z_bits) {
            return Ok(());
        }
        let found = describe_operands(x_bits, y_bits, z_bits);
        let takes = match listed {
            Some(shapes) => format!("it takes {shapes}"),
            None => format!("`{}` lists none for elements of {} and {} bits", machine.name, x.bits, z.bits),
        };
        self.forbidden("operand-shape", arguments.span, format!("`{name}` has no form for {found}: {takes}"))
    }

    /// Whether data may start there.
    fn starts(&mut self, network: Network, set: &Setting, arguments: &Arguments<'_>) -> Result<(), Stop> {
        let granule = network.granule();
        for (what, value) in [("start", set.start), ("step", set.step)] {
            if value % granule != 0 {
                let message = format!(
                    "`{}` selects data from multiples of {granule}: the {what} {value} is none",
                    arguments.name
                );
                self.forbidden("start", arguments.span, message)?;
            }
        }
        Ok(())
    }

    /// Accumulators to vectors: shifted right, rounded, and put into fewer bits.
    fn round(&mut self, arguments: &mut Arguments<'_>) -> Result<Value, Stop> {
        let (lanes, bits) = arguments.accumulator("what is rounded")?;
        let shift = arguments.integer("the shift")?;
        let Some(shift) = u32::try_from(shift).ok().filter(|n| (*n as usize) < bits.min(64)) else {
            return arguments.wrong("a shift by 0 to 47 bits", Some(&Value::Integer(shift)));
        };
        let scalar = match (arguments.name, bits) {
            ("bsrs", _) => Scalar { bits: 8, signed: true },
            ("ubsrs", _) => Scalar { bits: 8, signed: false },
            ("srs", 48) => Scalar { bits: 16, signed: true },
            _ => Scalar { bits: 32, signed: true },
        };
        self.out.shifts.insert(shift);
        let mut rounded = Vec::new();
        for lane in lanes {
            self.ranges(&lane, bits, shift, scalar, arguments.span);
            match lane.shifted_right(shift) {
                Ok(sum) => rounded.push(Rc::new(sum)),
                Err(flaw) => return self.flawed(flaw, arguments.span),
            }
        }
        Ok(Value::Vector(rounded, scalar))
    }

    /// Remarks where a sum can leave the accumulator, or what is left of it the vector.
    fn ranges(&mut self, lane: &Sum, bits: usize, shift: u32, scalar: Scalar, span: Span) {
        let Some(bounds) = self.settings.range.and_then(|range| lane.bounds(range)) else { return };
        let half = 2f64.powi(bits as i32 - 1);
        let [least, greatest] = bounds;
        let [low, high] = scalar.range().map(|end| end as f64);
        let shifted = bounds.map(|bound| (bound / 2f64.powi(shift as i32)).floor());
        let (id, message) = if least < -half || greatest >= half {
            ("accumulator-overflow", format!("sums of {least} to {greatest} do not fit {bits} bits"))
        } else if shifted[0] < low || shifted[1] > high {
            let how = if self.out.saturates {
                "are saturated"
            } else {
                "do not fit, and saturation is not switched on"
            };
            let [least, greatest] = shifted;
            (
                "out-of-range",
                format!("values of {least} to {greatest} {how}: the result has {} bits", scalar.bits),
            )
        } else {
            return;
        };
        if !self.out.warnings.iter().any(|remark| (remark.id, remark.span) == (id, span)) {
            self.out.warnings.push(Remark { id, span, message });
        }
    }

    fn widen(&mut self, arguments: &mut Arguments<'_>) -> Result<Value, Stop> {
        let (lanes, scalar) = arguments.vector("what is widened")?;
        let shift = arguments.integer("the shift")?;
        let Some(shift) = u32::try_from(shift).ok().filter(|n| *n < 48) else {
            return arguments.wrong("a shift by 0 to 47 bits", Some(&Value::Integer(shift)));
        };
        let mut widened = Vec::new();
        for lane in lanes {
            match lane.shifted_left(shift) {
                Ok(sum) => widened.push(Rc::new(sum)),
                Err(flaw) => return self.flawed(flaw, arguments.span),
            }
        }
        let bits = if arguments.name == "lups" || scalar.bits == 32 { 80 } else { 48 };
        Ok(Value::Accumulator(widened, bits))
    }

    /// A register of which one part is known.
    fn part_of(&mut self, arguments: &mut Arguments<'_>, whole: usize, bits: usize) -> Result<Value, Stop> {
        let index = arguments.integer("the part")?;
        let (part, scalar) = arguments.vector("the part")?;
        let all = whole / scalar.bits;
        let Value::Vector(mut lanes, _) = self.undefined(arguments.span, Base::Vector(all, scalar)) else {
            return arguments.wrong("a vector", None);
        };
        put(&mut lanes, &part, index, bits / scalar.bits, arguments)?;
        Ok(Value::Vector(lanes, scalar))
    }
}

fn unknown<T>(name: &str, span: Span) -> Result<T, Stop> {
    let message = format!("`{name}` is not read");
    Err(Box::new(Diagnostic::error("unreadable", message).label(span, "not a function of the source, nor an intrinsic that is known").help(
        "read are mul, mac, msc and negmul of 16 and 8 lanes, lmul… of 8 and 4, with _sym and _antisym; srs, ups, upd_v/w/x, ext_v/w/x, concat, null_…, undef_…",
    )))
}

fn data_setting(network: Network, wide: bool, arguments: &mut Arguments<'_>) -> Result<Setting, Stop> {
    let mut set = Setting {
        start: arguments.integer("xstart")?,
        offsets: arguments.offsets("xoffsets")?,
        ..Setting::default()
    };
    if wide {
        set.offsets |= arguments.offsets("xoffsets_hi")? << 32;
    }
    match network {
        Network::Words { columns: 1 } => {}
        Network::Pairs { columns: 2 } => set.square = arguments.square("xsquare")?,
        Network::Words { .. } => set.step = arguments.integer("xstep")?,
        Network::Pairs { .. } | Network::Bytes | Network::Mixed => {
            set.step = arguments.integer("xstep")?;
            set.square = arguments.square("xsquare")?;
        }
    }
    Ok(set)
}

fn coefficient_setting(network: Network, wide: bool, arguments: &mut Arguments<'_>) -> Result<Setting, Stop> {
    let mut set = Setting {
        start: arguments.integer("zstart")?,
        offsets: arguments.offsets("zoffsets")?,
        ..Setting::default()
    };
    if wide {
        set.offsets |= arguments.offsets("zoffsets_hi")? << 32;
    }
    if network != (Network::Words { columns: 1 }) {
        set.step = arguments.integer("zstep")?;
    }
    if matches!(network, Network::Bytes | Network::Mixed) {
        set.square = arguments.square("zsquare")?;
    }
    Ok(set)
}

/// The index of an element of a vector.
fn element(arguments: &mut Arguments<'_>, lanes: usize) -> Result<usize, Stop> {
    let index = arguments.integer("the index")?;
    match usize::try_from(index).ok().filter(|index| *index < lanes) {
        Some(index) => Ok(index),
        None => arguments.wrong(&format!("an index of 0 to {}", lanes - 1), Some(&Value::Integer(index))),
    }
}

/// Puts a part of `size` elements into a register.
fn put(
    lanes: &mut [Rc<Sum>],
    part: &[Rc<Sum>],
    index: i64,
    size: usize,
    arguments: &Arguments<'_>,
) -> Result<(), Stop> {
    let first = usize::try_from(index).ok().and_then(|index| index.checked_mul(size));
    let place = first.and_then(|first| lanes.get_mut(first..first.checked_add(size)?));
    match place.filter(|_| part.len() == size) {
        Some(place) => {
            place.clone_from_slice(part);
            Ok(())
        }
        None => arguments.wrong(
            &format!("a part of {size} elements that the register has"),
            Some(&Value::Integer(index)).filter(|_| part.len() == size),
        ),
    }
}

fn update(arguments: &mut Arguments<'_>, bits: usize) -> Result<Value, Stop> {
    let (mut lanes, scalar) = arguments.vector("what is changed")?;
    let index = arguments.integer("the part")?;
    let (part, _) = arguments.vector("the part")?;
    put(&mut lanes, &part, index, bits / scalar.bits, arguments)?;
    Ok(Value::Vector(lanes, scalar))
}

fn extract(arguments: &mut Arguments<'_>, bits: usize) -> Result<Value, Stop> {
    let (lanes, scalar) = arguments.vector("what a part is taken of")?;
    let index = arguments.integer("the part")?;
    let size = bits / scalar.bits;
    let first = usize::try_from(index).ok().and_then(|index| index.checked_mul(size));
    match first.and_then(|first| lanes.get(first..first.checked_add(size)?)) {
        Some(part) => Ok(Value::Vector(part.to_vec(), scalar)),
        None => arguments.wrong("a part that the register has", Some(&Value::Integer(index))),
    }
}

fn concatenated(arguments: &mut Arguments<'_>) -> Result<Value, Stop> {
    let (mut lanes, scalar) = arguments.vector("the least part")?;
    let size = lanes.len();
    while arguments.left.peek().is_some() {
        let (part, own) = arguments.vector("the next part")?;
        if part.len() != size || own.bits != scalar.bits || lanes.len() * scalar.bits >= 1024 {
            return arguments.wrong("parts of one type, 1024 bits at most", Some(&Value::Vector(part, own)));
        }
        lanes.extend(part);
    }
    Ok(Value::Vector(lanes, scalar))
}
