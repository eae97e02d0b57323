//! What the names and calls in the expressions of a program mean.

use super::call::split;
use super::context::{Names, Typed, number};
use super::dialect::{Base, Expression};
use super::evaluate::{evaluate, typed};
use super::lookup::Call;
use super::memory::Memory;
use super::reader::Reader;
use super::value::{Fault, Place, Unknown, Value, is_operand, last};
use crate::backend::array::machine::descriptor::Target;
use crate::syntax::c::{Kind, Mistake};
use crate::syntax::{Diagnostic, Span};

/// Functions of numbers that are followed where the result is a whole number.
const MATH: [&str; 9] = ["abs", "min", "max", "pow", "log2", "sqrt", "floor", "ceil", "round"];

impl Names for Reader<'_> {
    fn target(&self) -> &Target {
        self.given.target
    }

    fn name(&mut self, name: &str, span: Span) -> Value {
        if (self.scopes.is_followed(name) || self.scopes.given(name).is_none())
            && let Some(variable) = self.scopes.variable(name).filter(|variable| variable.assumed)
            && let Value::Number(value) = variable.value
        {
            let place = variable.span;
            let message = format!("`{}` is read as {value}: nothing in this source changes it", last(name));
            self.note(Diagnostic::warning("assumed-constant", message).label(place, "declared here"));
        }
        self.scopes.name(name, span)
    }

    fn call(&mut self, name: &str, arguments: &[Expression], span: Span) -> Result<Typed, Fault> {
        let call = split(name, arguments, span);
        let given = self.scopes.given(call.name);
        if given.is_none()
            && let Some(callee) = self.callee(&call)?
        {
            return Ok(self.inline(callee, &call, self.inside)?);
        }
        if let Some(argument) = self.same(name, arguments) {
            return typed(self, argument);
        }
        let usual = self.given.target.sources.host.usual(last(call.name));
        let effect = self.given.target.sources.host.effect(&usual);
        if let Some(effect) = effect {
            self.host_call(&usual, effect, &call)?;
        }
        if self.inside
            && given.is_none()
            && let Some(value) = self.scopes.known(call.name)
        {
            self.not_called::<()>(&value, span)?;
        }
        let values = if effect.is_some() { Vec::new() } else { self.hand_over(&call)? };
        if let Some(value) = given {
            return Ok((value, None));
        }
        let numbers: Option<Vec<i64>> = values.iter().map(|value| number(self, value)).collect();
        let result = match (last(call.name), numbers.as_deref()) {
            ("abs", Some([a])) => a.checked_abs(),
            ("min", Some([a, b])) => Some(*a.min(b)),
            ("max", Some([a, b])) => Some(*a.max(b)),
            ("pow", Some([a, b])) => u32::try_from(*b).ok().and_then(|b| a.checked_pow(b)),
            ("log2", Some([a])) if *a > 0 && a & (a - 1) == 0 => Some(i64::from(a.trailing_zeros())),
            ("sqrt", Some([a])) if *a >= 0 => Some(a.isqrt()).filter(|root| root * root == *a),
            ("floor" | "ceil" | "round", Some([a])) => Some(*a),
            _ => None,
        };
        let math = MATH.contains(&last(call.name));
        let open =
            || Value::Open(Unknown { name: call.name.to_owned(), place: span, kind: None, named: !math });
        let unknown = values.into_iter().find(|value| math && matches!(value, Value::Open(_)));
        Ok((result.map(Value::Number).or(unknown).unwrap_or_else(open), None))
    }

    fn base(&self, name: &str) -> Option<Base> {
        self.scopes.base(name)
    }

    fn alias(&self, name: &str) -> Option<Base> {
        self.scopes.alias(name)
    }

    fn memory(&mut self) -> &mut Memory {
        &mut self.scopes.memory
    }

    fn write(&mut self, place: &Place, value: Value) {
        self.scopes.memory.write(place, value);
    }

    fn place(&mut self, name: &str) -> Option<Place> {
        self.scopes.place(name)
    }

    fn assigned_to(&mut self, place: &Expression) {
        let Kind::Name(name) = &place.kind else { return };
        let own = last(name);
        if is_operand(self.given.target, own) && self.inside {
            let message = format!("`{own}` is an operand of the machine and cannot be assigned");
            let diagnostic = Diagnostic::error("unexpected", message);
            let _reported: Result<(), Mistake> =
                self.code.mistake(diagnostic.label(place.span, "expected a variable"));
        }
    }

    fn lambda(&mut self, at: usize, span: Span) -> Value {
        self.scopes.lambda(at, span)
    }

    fn apply(&mut self, callee: &Expression, arguments: &[Expression], span: Span) -> Result<Typed, Fault> {
        let value = evaluate(self, callee)?;
        if let Value::Function(closure) = value
            && let Some(callee) = self.called(closure, arguments)
        {
            let call = Call { name: "", arguments, templates: &[], span };
            return Ok(self.inline(callee, &call, self.inside)?);
        }
        if self.inside {
            self.not_called::<()>(&value, span)?;
        }
        self.hand_over(&Call { name: "a call", arguments, templates: &[], span })?;
        Ok((Value::computed("a call", span), None))
    }

    fn reference(&mut self, name: &str, arguments: &[Expression], span: Span) -> Result<(), Fault> {
        let callee = self.callee(&split(name, arguments, span))?;
        if callee.is_some_and(|callee| self.given.outline.functions[callee.function].reference) {
            let message = format!("what `{name}` gives is a reference, which is not followed");
            self.code.unreadable::<()>(span, message, "expected the variable itself")?;
        }
        Ok(())
    }
}
