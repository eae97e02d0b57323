//! What calls of functions that are not in the source may change: what they are given by reference, by pointer, or as a register.

use super::dialect::Expression;
use super::evaluate::{decayed, place_of};
use super::lookup::Call;
use super::reader::Reader;
use super::survey::{READS, changes};
use super::value::{Fault, Place, Value, last};
use crate::backend::array::machine::instruction::Operand;
use crate::syntax::{Diagnostic, Span};

impl Reader<'_> {
    /// The values that a call of a function which is not in the source is given. What it may change is not known afterwards.
    pub(super) fn hand_over(&mut self, call: &Call<'_>) -> Result<Vec<Value>, Fault> {
        let elsewhere = self.given.outline.parameters_of(last(call.name)).into_iter().find(|(_, own)| !own);
        let changed: Vec<bool> =
            elsewhere.map_or(Vec::new(), |(parameters, _)| parameters.iter().map(changes).collect());
        let (mut values, mut registers) = (Vec::new(), Vec::new());
        for (at, argument) in call.arguments.iter().enumerate() {
            let changed = changed.get(at).copied().unwrap_or(false);
            let value = self.handed(argument, changed)?;
            self.registers_in(&value, argument.span, &mut registers);
            values.push(value);
        }
        if let Some((object, method)) = call.name.rsplit_once('.')
            && !READS.contains(&method)
        {
            self.scopes.lose(object);
        }
        if !registers.is_empty() {
            self.lose(call, registers, "it is neither an instruction nor a function of this source")?;
        }
        Ok(values)
    }

    /// The value of an argument of such a call, as it is before the call.
    fn handed(&mut self, argument: &Expression, changed: bool) -> Result<Value, Fault> {
        if changed && let Some(place) = place_of(self, argument)? {
            let value = self.scopes.memory.read(&place);
            self.scopes.memory.lose(&place);
            return Ok(value);
        }
        Ok(match decayed(self, argument)? {
            Value::Pointer(place) => {
                let whole = if place == Place::ANYWHERE { place.clone() } else { place.whole() };
                let value = self.scopes.memory.read(&whole);
                self.scopes.memory.lose_behind(&place);
                value
            }
            Value::Function(closure) => {
                self.may_be_called(closure, argument.span)?;
                Value::Function(closure)
            }
            value => value,
        })
    }

    /// A function that is not in the source may call this one.
    fn may_be_called(&mut self, closure: usize, span: Span) -> Result<(), Fault> {
        let function = &self.given.outline.functions[self.scopes.closures[closure].function];
        if self.inside && self.touches(function.body.clone()) {
            let message = "what calls this function, and how often, is not in this source";
            let diagnostic = Diagnostic::error("unreadable", message).label(span, "it may change registers");
            self.code.mistake::<()>(diagnostic)?;
        }
        let tokens = &self.given.tokens[function.body.start..function.body.end.min(self.given.tokens.len())];
        let frame = self.frame_of_closure(closure);
        let outer = std::mem::replace(&mut self.scopes.frame, frame);
        for name in self.given.survey.changes(tokens, self.given.outline) {
            self.scopes.lose(name);
        }
        self.scopes.frame = outer;
        Ok(())
    }

    /// The registers and bits that a value is, or that are among its values.
    fn registers_in(&self, value: &Value, span: Span, found: &mut Vec<(String, Span)>) {
        match value {
            Value::Operand(name) => {
                let operand = self.given.target.operand(name);
                if matches!(operand, Some(Operand::Register(_) | Operand::Bit(_))) {
                    found.push((name.clone(), span));
                }
            }
            Value::List(values) => values.iter().for_each(|value| self.registers_in(value, span, found)),
            _ => {}
        }
    }
}
