//! A compiled pipeline as loops over rows: which loop computes which rows, from what, and what is kept of it in memory.
//!
//! All stages advance together, some base rows at a step, so that what one stage computes is still in the cache when the next reads it.
//! A value in memory is a ring of as many rows as its readers need. The printers of C and Rust write the same loops.

use std::collections::BTreeMap;

use crate::algebra::{Rational, lcm};
use crate::backend::scan::machine::{Border as Edges, CodeOptions, Overflow, Ports, Rows, Storage};
use crate::pipeline::{Border, Fold, NodeId, Operation, Pipeline, VariableId};

use super::coordinate::Coordinate;
use super::expression::{Body, From, Id};
use super::places::{Item, Margin, Places};
use super::plans::{Compiled, PATTERN, input_storage, limits, pixel_storage};
use super::point::{Constants, Points, Refused, kept, refuse};
use super::regions::Made;

/// A pipeline as loops.
pub(super) struct Loops<'c> {
    pub(super) compiled: &'c Compiled,
    pub(super) places: Places,
    /// The name of the function.
    pub(super) name: String,
    /// The names of its parameters.
    pub(super) ports: Ports,
    /// The rates of everything that is computed.
    pub(super) rates: Vec<[Rational; 2]>,
    /// The values in memory, by their nodes.
    pub(super) buffers: BTreeMap<NodeId, Buffer>,
    /// The loops, in order.
    pub(super) units: Vec<Unit>,
    pub(super) constants: Constants,
    /// The rows of the base grid that are computed at a step.
    pub(super) period: i64,
    /// The passes of regions.
    pub(super) regions: Vec<Rows>,
}

/// A value in memory.
#[derive(Clone, Debug)]
pub(super) struct Buffer {
    pub(super) of: Storage,
    /// The number of its rate.
    pub(super) size: usize,
    pub(super) margin: Margin,
    /// The planes of the value itself.
    pub(super) planes: i64,
    /// The variables of folds around it: there are as many rows as values of these.
    pub(super) variables: Vec<VariableId>,
    /// The number of rows; `None` for all.
    pub(super) depth: Option<i64>,
    /// The picture that it is, as it stands.
    pub(super) image: Option<usize>,
}

/// A loop over rows.
pub(super) struct Unit {
    /// The name of its functions.
    pub(super) name: String,
    /// The number of its rate.
    pub(super) size: usize,
    /// The values and planes that it computes one after the other.
    pub(super) variables: Vec<VariableId>,
    pub(super) planes: i64,
    /// What it computes beyond the picture.
    pub(super) margin: Margin,
    /// The rows before the first that it begins with.
    pub(super) warm: i64,
    pub(super) work: Work,
    /// The rows by which it is ahead of the outputs.
    pub(super) lead: i64,
    /// Loops of one phase advance together; a phase begins when the one before has ended.
    pub(super) phase: usize,
}

/// What a loop does.
pub(super) enum Work {
    /// Copies a row of a picture, or of a value on the picture, and continues it.
    Copy(Copied),
    /// Computes rows from expressions.
    Rows(Target, Kind, Vec<Body>),
    /// Carries out the passes of a region.
    Region(usize),
}

/// A picture that is continued.
#[derive(Clone, Copy)]
pub(super) struct Copied {
    pub(super) from: Picture,
    pub(super) border: Border,
    /// What a constant border has beyond the edges.
    pub(super) outside: i128,
    pub(super) to: NodeId,
}

#[derive(Clone, Copy)]
pub(super) enum Picture {
    Input(usize),
    Value(NodeId),
}

#[derive(Clone, Copy)]
pub(super) enum Target {
    Value(NodeId),
    Output(usize),
}

/// How a loop stores what it computes.
pub(super) enum Kind {
    /// A pixel for each result.
    Plain,
    /// The same on the picture. Beyond, rows and columns are continued.
    Continued(Border),
    /// Cells of p × q pixels: a function for each of the q rows, which has p results.
    Cells([u32; 2]),
    /// For each pixel of cells of p × q, the second result is added to the plane that the first says.
    Counts([u32; 2]),
    /// The results for all values of variables are combined. With them, the type of what is combined.
    Folds(Fold, Vec<VariableId>, Storage),
}

/// How the function of a pipeline names its parameters.
pub(in crate::backend::scan) fn ports_of(pipeline: &Pipeline) -> Ports {
    Ports::new(
        pipeline.inputs.iter().map(|input| input.name.as_str()),
        pipeline.outputs.iter().map(|output| output.name.as_str()),
    )
}

/// The most columns and rows after which there is a whole number of pixels of every rate, and the most of these pixels.
const MAX_PERIOD: i64 = 1 << 31;

/// The columns and rows after which there is a whole number of pixels of this rate, too. `None` beyond [`MAX_PERIOD`].
pub(in crate::backend::scan) fn joined(period: [i64; 2], rate: [Rational; 2]) -> Option<[i64; 2]> {
    let along = |axis: usize| {
        let whole = lcm(period[axis], rate[axis].denominator())?;
        let pixels = (whole / rate[axis].denominator()).checked_mul(rate[axis].numerator())?;
        (whole.max(pixels) <= MAX_PERIOD).then_some(whole)
    };
    Some([along(0)?, along(1)?])
}

/// The rows after which there is a whole number of rows of everything that is needed.
fn period(compiled: &Compiled) -> Result<i64, Refused> {
    let pipeline = &compiled.pipeline;
    let made = pipeline.ids().filter(|id| compiled.values.made[id.index()] != Made::Not);
    let rates = made.filter_map(|id| Some((id, pipeline.facts(id).rate?)));
    let outputs = pipeline.outputs.iter().map(|output| (output.node, output.rate));
    let mut period = [1, 1];
    for (id, rate) in rates.chain(outputs) {
        let what = || format!("a period of more than {MAX_PERIOD} columns or rows of all rates");
        period = joined(period, rate).ok_or_else(|| refuse(compiled, id, &what()))?;
    }
    Ok(period[1])
}

impl<'c> Loops<'c> {
    /// The loops of a compiled pipeline, in an order in which each finds what it reads.
    ///
    /// # Errors
    /// The first value that has no code yet, at its place.
    pub(super) fn of(compiled: &'c Compiled) -> Result<Self, Refused> {
        let ports = ports_of(&compiled.pipeline);
        // Before all else: margins, too, are multiples of periods.
        let period = period(compiled)?;
        let mut loops = Self {
            compiled,
            places: Places::of(compiled),
            name: ports.function(&compiled.pipeline.name),
            ports,
            rates: Vec::new(),
            buffers: BTreeMap::new(),
            units: Vec::new(),
            constants: Constants::default(),
            period,
            regions: Vec::new(),
        };
        for planned in &compiled.planned {
            let options = CodeOptions { border: Edges::Valid, overflow: Overflow::Wrap, size: None };
            loops.regions.push(Rows::of(&planned.plan, options));
        }
        loops.buffers()?;
        for number in 0..loops.places.order.len() {
            match loops.places.order[number] {
                Item::Region(number) => loops.region(number),
                Item::Value(id) if loops.places.kept[id.index()] => loops.value(id)?,
                Item::Value(_) => {}
            }
        }
        for number in 0..compiled.pipeline.outputs.len() {
            loops.output(number)?;
        }
        Ok(loops.without_idle_copies())
    }

    /// The loops of a phase, and the first step at which one of them computes a row.
    pub(super) fn phase(&self, phase: usize) -> (Vec<&Unit>, i64) {
        let units: Vec<&Unit> = self.units.iter().filter(|unit| unit.phase == phase).collect();
        let first =
            |unit: &&Unit| (unit.warm - unit.margin[2] - unit.lead).div_euclid(self.rows_of_step(unit.size));
        let first = units.iter().map(first).min().unwrap_or(0);
        (units, first)
    }

    /// What a fold begins with. `None` is the -0 of single precision: nothing changes when it is added to that.
    pub(super) fn start_of_fold(&self, fold: Fold, own: &[VariableId], of: Storage) -> Option<i128> {
        match fold {
            Fold::Add => (!of.float).then_some(0),
            Fold::Minimum => Some(limits(of)[1]),
            Fold::Maximum => Some(limits(of)[0]),
            Fold::ArgumentOfMinimum => Some(self.values_of(own[0])[1].into()),
        }
    }

    /// The first output of a region.
    pub(super) fn output_of(&self, region: usize) -> NodeId {
        self.compiled.values.regions[region].outputs[0]
    }

    /// The type of the pixels of an input's picture.
    pub(super) fn input_storage(&self, index: usize) -> Storage {
        input_storage(&self.compiled.pipeline, index)
    }

    /// The type of what a loop reads.
    pub(super) fn read_storage(&self, from: From) -> Storage {
        match from {
            From::Value(id) => self.buffers[&id].of,
            From::Picture(index) => self.input_storage(index),
            From::Pattern(_) => PATTERN,
        }
    }

    /// The type of a picture that is continued.
    pub(super) fn picture_storage(&self, picture: Picture) -> Storage {
        match picture {
            Picture::Value(id) => self.buffers[&id].of,
            Picture::Input(index) => self.input_storage(index),
        }
    }

    /// The type that a loop writes.
    pub(super) fn target_storage(&self, target: &Target) -> Storage {
        match target {
            Target::Value(id) => self.buffers[id].of,
            Target::Output(number) => pixel_storage(self.compiled.pipeline.outputs[*number].pixel),
        }
    }

    /// The columns and rows of a pattern.
    pub(super) fn pattern(&self, number: usize) -> [usize; 2] {
        let found = self.constants.patterns.iter().find(|(_, own)| **own == number);
        let ((columns, numbers), _) = found.expect("patterns are numbered when they are noted");
        [*columns, numbers.len() / columns]
    }

    /// The number of a rate.
    pub(super) fn size(&mut self, rate: [Rational; 2]) -> usize {
        self.rates.iter().position(|known| *known == rate).unwrap_or_else(|| {
            self.rates.push(rate);
            self.rates.len() - 1
        })
    }

    /// The rows of a rate for each step.
    pub(super) fn rows_of_step(&self, size: usize) -> i64 {
        let along = self.rates[size][1];
        along.numerator() * self.period / along.denominator()
    }

    /// The number of values of a variable, and the first.
    pub(super) fn values_of(&self, id: VariableId) -> [i64; 2] {
        let variable = &self.compiled.pipeline.variables[id.0];
        [i64::from(variable.end) - i64::from(variable.first), variable.first.into()]
    }

    /// The rows of a value for each pixel row: its planes, for all values of its variables.
    pub(super) fn layers(&self, buffer: &Buffer) -> i64 {
        buffer.planes * buffer.variables.iter().map(|id| self.values_of(*id)[0]).product::<i64>()
    }

    /// Everything that is needed has a rate in `rates`: sizes must be whole at each.
    fn buffers(&mut self) -> Result<(), Refused> {
        let pipeline = &self.compiled.pipeline;
        for id in pipeline.ids().filter(|id| self.compiled.values.made[id.index()] != Made::Not) {
            let facts = pipeline.facts(id);
            let Some(rate) = facts.rate else { continue };
            let size = self.size(rate);
            if !self.places.kept[id.index()] {
                continue;
            }
            let (of, margin) = (kept(self.compiled, id)?, self.places.margins[id.index()]);
            let image = match pipeline.node(id).operation {
                Operation::Input(index) => {
                    let is_same = input_storage(pipeline, index) == of;
                    // The border maps rows.
                    let inside = match pipeline.border {
                        Border::Constant(_) => margin == [0; 4],
                        _ => margin[..2] == [0; 2],
                    };
                    (is_same && inside).then_some(index)
                }
                _ => None,
            };
            let buffer = Buffer {
                of,
                size,
                margin,
                planes: facts.planes.unwrap_or(1).into(),
                variables: facts.variables.clone(),
                depth: Some(1),
                image,
            };
            self.buffers.insert(id, buffer);
        }
        for output in &pipeline.outputs {
            self.size(output.rate);
        }
        Ok(())
    }

    fn unit(&mut self, name: String, id: NodeId, work: Work) -> Unit {
        let Buffer { size, margin, planes, variables, .. } = self.buffers[&id].clone();
        Unit { name, size, variables, planes, margin, warm: 0, work, lead: 0, phase: 0 }
    }

    fn region(&mut self, number: usize) {
        let output = self.compiled.values.regions[number].outputs[0];
        let warm = self.regions[number].first_row.into();
        let unit = self.unit(format!("r{number}"), output, Work::Region(number));
        self.units.push(Unit { warm, ..unit });
    }

    fn value(&mut self, id: NodeId) -> Result<(), Refused> {
        let compiled = self.compiled;
        let pipeline = &compiled.pipeline;
        let (name, to) = (format!("v{}", id.index()), Target::Value(id));
        let margin = self.places.margins[id.index()];
        let rate = pipeline.facts(id).rate;
        let unit = match &pipeline.node(id).operation {
            Operation::Input(_) if self.buffers[&id].image.is_some() => return Ok(()),
            Operation::Input(index) => {
                let outside = outside(pipeline.border);
                let copied =
                    Copied { from: Picture::Input(*index), border: pipeline.border, outside, to: id };
                self.unit(name, id, Work::Copy(copied))
            }
            Operation::Border(border, value) if pipeline.facts(*value).rate.is_some() => {
                let outside = outside(*border) * pipeline.facts(id).denominator();
                let copied = Copied { from: Picture::Value(*value), border: *border, outside, to: id };
                self.unit(name, id, Work::Copy(copied))
            }
            Operation::Border(_, value) => {
                let body = self.body((-margin[0], false), |points, at| Ok(vec![points.read(*value, at)?]))?;
                self.unit(name, id, Work::Rows(to, Kind::Plain, vec![body]))
            }
            Operation::Up(period, value) => {
                let list = vec![*value; (period[0] * period[1]) as usize];
                return self.cells(id, *period, &list);
            }
            Operation::Interleave(period, list) => return self.cells(id, *period, list),
            Operation::Histogram { cell, index, weight, .. } => {
                if rate.is_none() {
                    return Err(refuse(compiled, id, "a histogram of numbers"));
                }
                let first = -margin[0] * i64::from(cell[0]);
                let body = self.body((first, false), |points, at| {
                    Ok(vec![points.read(*index, at)?, points.read(*weight, at)?])
                })?;
                let unit = self.unit(name, id, Work::Rows(to, Kind::Counts(*cell), vec![body]));
                Unit { planes: 1, ..unit }
            }
            Operation::Fold(fold, own, value) => {
                let body = self.body((-margin[0], false), |points, at| Ok(vec![points.read(*value, at)?]))?;
                let folded = folded(compiled, (id, *fold), *value)?;
                self.unit(name, id, Work::Rows(to, Kind::Folds(*fold, own.clone(), folded), vec![body]))
            }
            _ => {
                let (kind, body) = match self.continued(id)? {
                    Some(body) => (Kind::Continued(pipeline.border), body),
                    None => {
                        let first = (-margin[0], margin == [0; 4]);
                        (Kind::Plain, self.body(first, |points, at| Ok(vec![points.own(id, at)?]))?)
                    }
                };
                self.unit(name, id, Work::Rows(to, kind, vec![body]))
            }
        };
        self.units.push(unit);
        Ok(())
    }

    /// A value that consists of cells of pixels.
    fn cells(&mut self, id: NodeId, period: [u32; 2], list: &[NodeId]) -> Result<(), Refused> {
        let pipeline = &self.compiled.pipeline;
        let [p, q] = period.map(i64::from);
        let margin = self.places.margins[id.index()];
        let cells = [margin[0] / p, margin[1] / p, margin[2] / q, margin[3] / q];
        let denominator = pipeline.facts(id).denominator();
        let mut bodies = Vec::new();
        for row in list.chunks(period[0] as usize) {
            bodies.push(self.body((-cells[0], cells == [0; 4]), |points, at| {
                row.iter().map(|value| points.lifted(*value, denominator, at)).collect()
            })?);
        }
        let unit = self.unit(
            format!("v{}", id.index()),
            id,
            Work::Rows(Target::Value(id), Kind::Cells(period), bodies),
        );
        let whole = self.rates[unit.size];
        let along = |axis: usize| whole[axis].div(Rational::integer(period[axis].into()));
        let rate = along(0).zip(along(1)).ok_or_else(|| refuse(self.compiled, id, "this rate"))?;
        let size = self.size(rate.into());
        self.units.push(Unit { size, margin: cells, ..unit });
        Ok(())
    }

    fn output(&mut self, number: usize) -> Result<(), Refused> {
        let output = &self.compiled.pipeline.outputs[number];
        let body = self.body((0, true), |points, at| Ok(vec![points.read(output.node, at)?]))?;
        let work = Work::Rows(Target::Output(number), Kind::Plain, vec![body]);
        let (name, size) = (format!("o{number}"), self.size(output.rate));
        let unit = Unit {
            name,
            size,
            variables: Vec::new(),
            planes: 1,
            margin: [0; 4],
            warm: 0,
            work,
            lead: 0,
            phase: 0,
        };
        self.units.push(unit);
        Ok(())
    }

    /// What a loop computes, from its first column on, and whether it keeps to the picture.
    pub(super) fn body(
        &mut self,
        (first, is_inside): (i64, bool),
        with: impl FnOnce(&mut Points<'_>, &[Coordinate; 2]) -> Result<Vec<Id>, Refused>,
    ) -> Result<Body, Refused> {
        let mut points = Points::new(self.compiled, &self.places, &mut self.constants, is_inside);
        let at = [Coordinate::itself(), Coordinate::itself()];
        let results = with(&mut points, &at)?;
        Ok(Body { code: points.code, results, first })
    }
}

/// The type of the values that a fold combines.
///
/// # Errors
/// Those of [`kept`], and extremes in single precision: what is not a number stays only if it comes first.
fn folded(compiled: &Compiled, (id, fold): (NodeId, Fold), value: NodeId) -> Result<Storage, Refused> {
    let of = kept(compiled, value)?;
    if of.float && fold != Fold::Add {
        return Err(refuse(compiled, id, "a least or greatest value of a fold in single precision"));
    }
    Ok(of)
}

fn outside(border: Border) -> i128 {
    match border {
        Border::Constant(value) => value.into(),
        _ => 0,
    }
}
