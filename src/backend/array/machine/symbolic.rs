//! Exact evaluation of primitive operations: the kernel of the inputs in every register.

use std::fmt;

use super::descriptor::RegisterId;
use super::operation::Transfer;
use crate::algebra::{Label, Placed};

/// The known contents of a register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// The register holds this kernel of the inputs.
    Known(Placed),
    /// The value depends on a register that was never written.
    Undefined(RegisterId),
    /// A coefficient does not fit, so the value is unknown.
    Overflow,
}

/// One value for each register of a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    channels: u16,
    values: Vec<Value>,
}

impl State {
    /// `registers` registers with unknown values, over `channels` input channels.
    pub fn undefined(registers: usize, channels: u16) -> Self {
        Self { channels, values: (0..registers).map(|r| Value::Undefined(RegisterId(r))).collect() }
    }

    /// A state in which register r holds the separate input channel r.
    ///
    /// # Panics
    /// For more than 65535 registers.
    pub fn identity(registers: usize) -> Self {
        let channels = u16::try_from(registers).expect("a target has fewer than 65536 registers");
        let values = (0..channels).map(|c| Value::Known(Placed::delta(c, channels))).collect();
        Self { channels, values }
    }

    /// The value of `register`.
    pub fn value(&self, register: RegisterId) -> &Value {
        &self.values[register.0]
    }

    /// Puts a value into a register.
    pub fn set(&mut self, register: RegisterId, value: Value) {
        self.values[register.0] = value;
    }

    /// Executes one transfer: every write := Σ weight · read.
    pub fn apply(&mut self, transfer: &Transfer) {
        let sum = self.sum(transfer);
        for write in &transfer.writes {
            let label = Label::at(write.offset);
            self.values[write.register.0] = match &sum {
                Value::Known(kernel) => kernel.apply(label).map_or(Value::Overflow, Value::Known),
                unknown => unknown.clone(),
            };
        }
    }

    /// Executes transfers in order.
    pub fn apply_all(&mut self, transfers: &[Transfer]) {
        for transfer in transfers {
            self.apply(transfer);
        }
    }

    fn sum(&self, transfer: &Transfer) -> Value {
        let mut terms = Vec::with_capacity(transfer.reads.len());
        for (read, weight) in &transfer.reads {
            match self.value(read.register) {
                Value::Known(kernel) => {
                    let Some(label) = kernel.label.then(Label::new(*weight, read.offset)) else {
                        return Value::Overflow;
                    };
                    terms.push((label, &kernel.shape));
                }
                unknown => return unknown.clone(),
            }
        }
        Placed::sum(self.channels, terms).map_or(Value::Overflow, Value::Known)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Undefined(_) => f.write_str("a value that was never written"),
            Self::Overflow => f.write_str("coefficients that do not fit"),
            Self::Known(kernel) => {
                let Some(taps) = kernel.taps() else { return f.write_str("coefficients that do not fit") };
                if taps.is_empty() {
                    return f.write_str("0");
                }
                for (index, (channel, [x, y, z], coefficient)) in taps.into_iter().enumerate() {
                    let plus = if index > 0 { " + " } else { "" };
                    write!(f, "{plus}{coefficient}·#{channel}({x}, {y}")?;
                    if z != 0 {
                        write!(f, ", {z}")?;
                    }
                    f.write_str(")")?;
                }
                Ok(())
            }
        }
    }
}
