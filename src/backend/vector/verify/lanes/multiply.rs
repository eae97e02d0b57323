//! Multiplying intrinsics. Operands are read in the order that the descriptor declares, checked, and multiplied lane by lane.

use std::rc::Rc;

use super::arguments::{Arguments, Lanes};
use super::run::{Runner, Stop, sound, unreadable};
use super::selection::{Setting, coefficient_place, data_place, granule};
use super::sum::Sum;
use super::value::{Value, zero_lanes};
use crate::backend::vector::machine::{Effect, Multiplication, Part, PreAdd, Source, describe_operands};
use crate::backend::vector::read::Scalar;

/// A vector with a selection of its elements.
struct Selected {
    lanes: Lanes,
    scalar: Scalar,
    setting: Setting,
}

/// The operands of a multiplication, except the accumulator.
struct Operands {
    x: Selected,
    /// The second selection of data, and whether it has its own buffer.
    y: Option<(Selected, bool)>,
    z: Selected,
}

impl Operands {
    /// The bits of X, of a separate Y, and of Z.
    fn bits(&self) -> (usize, Option<usize>, usize) {
        let bits = |selected: &Selected| selected.lanes.len() * selected.scalar.bits;
        let y = self.y.as_ref().filter(|(_, own)| *own).map(|(y, _)| bits(y));
        (bits(&self.x), y, bits(&self.z))
    }
}

impl<'a> Runner<'a> {
    /// The value of a multiplying intrinsic.
    pub(super) fn multiply(&mut self, effect: Effect, arguments: &mut Arguments<'_>) -> Result<Value, Stop> {
        let sum = if effect.begins { None } else { Some(arguments.accumulator("the sum so far")?) };
        let (x, x_scalar) = arguments.vector("the data")?;
        let form = self.form(x_scalar, arguments)?;
        let bits = form.accumulator_bits;
        let mut lanes = match sum {
            None => zero_lanes(form.lanes),
            Some((lanes, own)) if (lanes.len(), own) == (form.lanes, bits) => lanes,
            Some((lanes, own)) => {
                let found = Value::Accumulator(lanes, own);
                return arguments.wrong(&format!("a v{}acc{bits}", form.lanes), Some(&found));
            }
        };
        let operands = operands(form, x, x_scalar, arguments)?;
        self.check(form, &operands, arguments)?;
        self.out.multiplications += 1;
        let sign = if effect.negative { -1 } else { 1 };
        for (lane, sum) in lanes.iter_mut().enumerate() {
            self.add_products(form, &operands, (lane, sign), sum, arguments)?;
        }
        Ok(Value::Accumulator(lanes, bits))
    }

    /// The declaration that fits the types of the data and of the last vector, which holds the coefficients.
    fn form(&self, x: Scalar, arguments: &Arguments<'_>) -> Result<&'a Multiplication, Stop> {
        let scalar = |value: Value| match value {
            Value::Vector(_, scalar) => Some(scalar),
            _ => None,
        };
        let Some(z) = arguments.left.clone().filter_map(scalar).last() else {
            return arguments.wrong("coefficients (a vector)", None);
        };
        match self.machine.multiplication(arguments.name, x.bits, z.bits) {
            Some(form) => Ok(form),
            None => {
                let message = format!(
                    "`{}` of data of {} bits and coefficients of {} bits is not supported",
                    arguments.name, x.bits, z.bits
                );
                unreadable(arguments.span, message, "its lane selection is not known")
            }
        }
    }

    /// Checks starts and steps, and the sizes of operands.
    fn check(
        &mut self,
        form: &Multiplication,
        operands: &Operands,
        arguments: &Arguments<'_>,
    ) -> Result<(), Stop> {
        let granule = granule(form.x_selection);
        for selected in [Some(&operands.x), operands.y.as_ref().map(|(y, _)| y)].into_iter().flatten() {
            self.starts(granule, &selected.setting, arguments)?;
        }
        let (x, y, z) = operands.bits();
        if !form.lists(x, y) || form.z_bits != z {
            let found = describe_operands(x, y, z);
            let message = format!("`{}` has no form for {found}: it takes {form}", arguments.name);
            self.forbidden("operand-shape", arguments.span, message)?;
        }
        let (start, length) = (operands.z.setting.start, operands.z.lanes.len());
        if !(0..length as i64).contains(&start) {
            let message = format!("zstart is {start}, expected 0 to {}", length - 1);
            self.forbidden("start", arguments.span, message)?;
        }
        Ok(())
    }

    /// Checks that data may start there.
    fn starts(&mut self, granule: i64, set: &Setting, arguments: &Arguments<'_>) -> Result<(), Stop> {
        for (what, value) in [("start", set.start), ("step", set.step)] {
            if value % granule != 0 {
                let message =
                    format!("the {what} {value} of `{}` is not a multiple of {granule}", arguments.name);
                self.forbidden("start", arguments.span, message)?;
            }
        }
        Ok(())
    }

    /// Adds the products of a lane's columns to its sum, or subtracts them.
    fn add_products(
        &mut self,
        form: &Multiplication,
        Operands { x, y, z }: &Operands,
        (lane, sign): (usize, i128),
        sum: &mut Rc<Sum>,
        arguments: &Arguments<'_>,
    ) -> Result<(), Stop> {
        let data = |selected: &Selected, column| {
            let place = data_place(form.x_selection, &selected.setting, selected.lanes.len(), lane, column);
            Rc::clone(&selected.lanes[place])
        };
        let mut work = 0;
        for column in 0..form.columns {
            let place = coefficient_place(form.z_selection, &z.setting, z.lanes.len(), lane, column);
            let coefficient = &z.lanes[place];
            let mut factor = data(x, column);
            if let Some((y, _)) = y {
                let sign = if form.pre_add == Some(PreAdd::Difference) { -1 } else { 1 };
                sound(Rc::make_mut(&mut factor).add(&data(y, column), sign), arguments.span)?;
            }
            work += factor.len() * coefficient.len();
            sound(Rc::make_mut(sum).add_product(&factor, coefficient, sign), arguments.span)?;
        }
        self.spend(work, arguments.span)
    }
}

/// Reads the operands after the data.
fn operands(
    form: &Multiplication,
    x: Lanes,
    x_scalar: Scalar,
    arguments: &mut Arguments<'_>,
) -> Result<Operands, Stop> {
    let mut settings = [Setting::default(); 3];
    let (mut y, mut z) = (None, None);
    for operand in &form.operands[1..] {
        let name = operand.name();
        let setting = &mut settings[operand.source as usize];
        match (operand.part, operand.source) {
            (Part::Vector, Source::Y) => {
                if let Some(Value::Vector(..)) = arguments.left.peek() {
                    y = Some(arguments.vector("the other data")?);
                }
            }
            (Part::Vector, _) => z = Some(arguments.vector("the coefficients")?),
            (Part::Start, _) => setting.start = arguments.integer(&name)?,
            (Part::Offsets, _) => setting.offsets |= arguments.offsets(&name)?,
            (Part::OffsetsHigh, _) => setting.offsets |= arguments.offsets(&name)? << 32,
            (Part::Step, _) => setting.step = arguments.integer(&name)?,
            (Part::Square, _) => setting.square = arguments.square(&name)?,
        }
    }
    let [x_setting, y_setting, z_setting] = settings;
    let Some((z, z_scalar)) = z else { return arguments.wrong("coefficients (a vector)", None) };
    let own = y.is_some();
    let second = form.pre_add.map(|_| {
        let (lanes, scalar) = y.unwrap_or_else(|| (x.clone(), x_scalar));
        let setting = Setting { start: y_setting.start, square: y_setting.square, ..x_setting };
        (Selected { lanes, scalar, setting }, own)
    });
    Ok(Operands {
        x: Selected { lanes: x, scalar: x_scalar, setting: x_setting },
        y: second,
        z: Selected { lanes: z, scalar: z_scalar, setting: z_setting },
    })
}
