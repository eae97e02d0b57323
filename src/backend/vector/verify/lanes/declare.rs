//! Parameters and variables: their values before anything is written to them.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::memory::{Array, Role};
use super::run::{Runner, Stop, Variable, unreadable, wrapped, zeros};
use super::sum::{Sum, Symbol};
use super::value::{Pointer, Value};
use crate::backend::vector::read::{Base, Declarator, Expression, Kind, Scalar, Type};
use crate::syntax::Span;

/// The maximum number of elements of an array that the code makes.
const MAX_ELEMENTS: i64 = 1 << 22;

impl<'a> Runner<'a> {
    /// The value of a parameter of the kernel.
    pub(super) fn given(&mut self, parameter: &'a Declarator) -> Result<Value, Stop> {
        let array = !parameter.dimensions.is_empty();
        match (parameter.ty.base, parameter.ty.pointers) {
            (Base::Integer(scalar), pointers) if array || pointers == 1 => {
                let mut length = None;
                if array && let Some(all) = self.dimensions(parameter)? {
                    length = Some(all);
                }
                self.outside(parameter, scalar, length)
            }
            (Base::Vector(_, scalar), 1) => self.outside(parameter, scalar, None),
            (Base::Integer(_), 0) => {
                Ok(self.settings.defines.get(&parameter.name).map_or(Value::Nothing, |v| Value::Integer(*v)))
            }
            (Base::Vector(..) | Base::Accumulator(..), 0) => {
                Ok(self.fresh(&parameter.name, parameter.span, parameter.ty, Role::Given))
            }
            _ => unreadable(
                parameter.span,
                format!("the parameter `{}` is of a type that is not supported", parameter.name),
                "expected a pointer to integers or vectors, or an integer",
            ),
        }
    }

    /// A pointer to an array that the caller supplies.
    fn outside(
        &mut self,
        declarator: &Declarator,
        scalar: Scalar,
        length: Option<i64>,
    ) -> Result<Value, Stop> {
        let array = self.array(&declarator.name, declarator.span, scalar, Role::Given, length);
        self.fill(array)?;
        let target = Type { base: declarator.ty.base, pointers: 0 };
        Ok(Value::Pointer(Pointer { array, byte: 0, target }))
    }

    /// Fills an array with its known contents.
    fn fill(&mut self, array: usize) -> Result<(), Stop> {
        let Array { name, span, scalar, contents, .. } = &mut self.out.arrays[array];
        let values = self.settings.contents.get(name);
        for (index, value) in values.into_iter().flatten().enumerate() {
            if wrapped(*value, *scalar) != *value {
                let message =
                    format!("`{name}[{index}]` is given as {value}, which does not fit in {scalar}");
                return unreadable(*span, message, "this is its type");
            }
            contents.insert(index as i64, Rc::new(Sum::constant((*value).into())));
        }
        Ok(())
    }

    /// The value of an element in braces. C++ rejects one that does not fit the type.
    fn element(&mut self, name: &str, value: &'a Expression, scalar: Scalar) -> Result<i64, Stop> {
        let number = self.integer(value)?;
        if wrapped(number, scalar) != number {
            let message = format!("`{name}` begins with {number}, which does not fit in {scalar}");
            return unreadable(value.span, message, "expected an element of its type");
        }
        Ok(number)
    }

    fn array(&mut self, name: &str, span: Span, scalar: Scalar, role: Role, length: Option<i64>) -> usize {
        let name = name.to_owned();
        self.out.arrays.push(Array {
            name,
            span,
            scalar,
            role,
            part_of: None,
            length,
            contents: BTreeMap::new(),
            stores: BTreeMap::new(),
            loaded: false,
        });
        self.out.steps.push(BTreeSet::new());
        self.out.arrays.len() - 1
    }

    /// The value of a vector or accumulator with unknown lanes; nothing for other types.
    fn fresh(&mut self, name: &str, span: Span, ty: Type, role: Role) -> Value {
        let (lanes, scalar) = match ty {
            Type { base: Base::Vector(lanes, scalar), pointers: 0 } => (lanes, scalar),
            Type { base: Base::Accumulator(lanes, bits), pointers: 0 } => {
                (lanes, Scalar { bits, signed: true })
            }
            _ => return Value::Nothing,
        };
        let array = match self.unset.get(&span.start) {
            Some(array) => *array,
            None => {
                let array = self.array(name, span, scalar, role, Some(lanes as i64));
                self.unset.insert(span.start, array);
                array
            }
        };
        let lane = |index: usize| Rc::new(Sum::symbol(Symbol { array, index: index as i64 }));
        let all = (0..lanes).map(lane).collect();
        match ty.base {
            Base::Accumulator(_, bits) => Value::Accumulator(all, bits),
            _ => Value::Vector(all, scalar),
        }
    }

    /// Lanes that were never written.
    pub(super) fn undefined(&mut self, span: Span, base: Base) -> Value {
        self.fresh("undefined lanes", span, Type { base, pointers: 0 }, Role::Unset)
    }

    fn dimensions(&mut self, declarator: &'a Declarator) -> Result<Option<i64>, Stop> {
        let mut all = 1i64;
        for dimension in &declarator.dimensions {
            let Some(dimension) = dimension else { return Ok(None) };
            let size = self.integer(dimension)?;
            let fits = all.checked_mul(size).filter(|n| (0..=MAX_ELEMENTS).contains(n));
            let Some(product) = fits else {
                return unreadable(
                    dimension.span,
                    "this is not a valid number of elements",
                    "expected 0 to 4194304",
                );
            };
            all = product;
        }
        Ok(Some(all))
    }

    pub(super) fn declare(&mut self, declarator: &Declarator, ty: Type, value: Value, fixed: bool) {
        let scope = self.frames.last_mut().and_then(|scopes| scopes.last_mut());
        if let Some(scope) = scope {
            scope.insert(declarator.name.clone(), Variable { ty, fixed, value });
        }
    }

    pub(super) fn declaration(&mut self, declarator: &'a Declarator) -> Result<(), Stop> {
        let Declarator { name, span, ty, dimensions, initial } = declarator;
        if !dimensions.is_empty() {
            return self.array_declaration(declarator);
        }
        let outside =
            self.frames.len() == 1 || self.code.functions.first().is_some_and(|f| f.name.is_empty());
        let value = match (initial, ty.base) {
            (Some(Expression { kind: Kind::List(values), span }), _)
                if ty.pointers == 0 && values.len() < 2 =>
            {
                match (values.first(), ty.base) {
                    (Some(value), Base::Integer(scalar)) => match self.value(value)? {
                        Value::Integer(_) => Value::Integer(self.element(name, value, scalar)?),
                        value => value,
                    },
                    (Some(value), _) => self.value(value)?,
                    (None, Base::Integer(_)) => Value::Integer(0),
                    (None, base) => match zeros(base) {
                        Some(value) => value,
                        None => return unreadable(*span, "this type has no zero", "here"),
                    },
                }
            }
            (Some(initial), _) => self.value(initial)?,
            (None, Base::Integer(scalar) | Base::Vector(_, scalar)) if ty.pointers == 1 && outside => {
                self.outside(declarator, scalar, None)?
            }
            (None, Base::Integer(_)) if ty.pointers == 0 && outside => {
                self.settings.defines.get(name).map_or(Value::Nothing, |v| Value::Integer(*v))
            }
            (None, _) => self.fresh(name, *span, *ty, Role::Unset),
        };
        let place = initial.as_ref().map_or(*span, |initial| initial.span);
        let value = self.converted(value, *ty, place)?;
        self.declare(declarator, *ty, value, false);
        Ok(())
    }

    fn array_declaration(&mut self, declarator: &'a Declarator) -> Result<(), Stop> {
        let Declarator { name, span, ty, initial, .. } = declarator;
        let (scalar, lanes) = match ty {
            Type { base: Base::Integer(scalar), pointers: 0 } => (*scalar, 1),
            Type { base: Base::Vector(lanes, scalar), pointers: 0 } => (*scalar, *lanes as i64),
            _ => {
                return unreadable(
                    *span,
                    "arrays of this type are not supported",
                    "expected integers or vectors",
                );
            }
        };
        let outside =
            self.frames.len() == 1 || self.code.functions.first().is_some_and(|f| f.name.is_empty());
        let mut length = self.dimensions(declarator)?;
        let values = match initial {
            None => None,
            Some(Expression { kind: Kind::List(values), .. }) => {
                let mut flat = Vec::new();
                flatten(values, &mut flat);
                Some(flat)
            }
            Some(other) => return unreadable(other.span, "an array begins with values in braces", "here"),
        };
        if let (None, Some(values)) = (length, &values) {
            length = Some(values.len() as i64);
        }
        let role = if outside && initial.is_none() { Role::Given } else { Role::Own };
        let array = self.array(name, *span, scalar, role, length.map(|n| n * lanes));
        if let Some(values) = values {
            if lanes > 1 && !values.is_empty() {
                return unreadable(
                    *span,
                    "values of arrays of vectors are not supported",
                    "expected an array of integers",
                );
            }
            let all = length.unwrap_or(0);
            if values.len() as i64 > all {
                let message = format!("`{name}` has {all} elements and begins with {}", values.len());
                return unreadable(*span, message, "expected no more values than elements");
            }
            for index in 0..all * lanes {
                let value = match values.get(index as usize) {
                    Some(value) => self.element(name, value, scalar)?,
                    None => 0,
                };
                self.out.arrays[array].contents.insert(index, Rc::new(Sum::constant(value.into())));
            }
        } else {
            self.fill(array)?;
        }
        let target = Type { base: ty.base, pointers: 0 };
        let value = Value::Pointer(Pointer { array, byte: 0, target });
        self.declare(declarator, Type { pointers: 1, ..*ty }, value, true);
        Ok(())
    }
}

fn flatten<'e>(values: &'e [Expression], flat: &mut Vec<&'e Expression>) {
    for value in values {
        match &value.kind {
            Kind::List(inner) => flatten(inner, flat),
            _ => flat.push(value),
        }
    }
}
