//! The steps of a plan as stages: what each reads of other steps and of the inputs, and its values.

use std::collections::BTreeMap;

use super::machine::{Plan, PlanStep, Storage};
use crate::report::{ReadRecord, ShownStage, StageRecord};

/// A range of offsets for each axis: columns, then rows.
type Window = [[i64; 2]; 2];

/// Returns the steps, then the outputs.
pub(super) fn stages(plan: &Plan) -> Vec<ShownStage> {
    let listing = plan.listing();
    let name = |step: usize| match &plan.steps[step] {
        PlanStep::Input(channel) => plan.inputs[*channel].clone(),
        _ => format!("s{step}"),
    };
    let mut windows: Vec<Option<BTreeMap<usize, Window>>> = Vec::new();
    let mut stages = Vec::new();
    for (number, step) in plan.steps.iter().enumerate() {
        let reads = reads(number, step);
        windows.push(window(number, step, &reads, &windows));
        stages.push(ShownStage {
            kind: if matches!(step, PlanStep::Input(_)) { "input" } else { "stage" },
            equation: Some(listing[number].clone()),
            record: StageRecord {
                name: name(number),
                pixel: type_name(plan.storage[number]),
                bits: (!plan.storage[number].float).then_some(plan.storage[number].bits),
                least: plan.ranges[number].map(|[least, _]| least.to_string()),
                greatest: plan.ranges[number].map(|[_, greatest]| greatest.to_string()),
                rate: Some(["1".to_owned(), "1".to_owned()]),
                planes: None,
                reads: records(&reads, &name),
                window: inputs(plan, windows[number].as_ref()),
            },
        });
    }
    for (output, line) in plan.outputs.iter().zip(&listing[plan.steps.len()..]) {
        let read = BTreeMap::from([(output.source, at(output.offset))]);
        let whole = windows[output.source].as_ref().map(|of| moved(of, at(output.offset)));
        stages.push(ShownStage {
            kind: "output",
            equation: Some(line.clone()),
            record: StageRecord {
                name: output.name.clone(),
                pixel: output.pixel.name().to_owned(),
                bits: (!output.pixel.float).then_some(output.pixel.bits),
                least: None,
                greatest: None,
                rate: Some(["1".to_owned(), "1".to_owned()]),
                planes: None,
                reads: records(&read, &name),
                window: inputs(plan, whole.as_ref()),
            },
        });
    }
    stages
}

/// The type of a step's values.
fn type_name(Storage { bits, signed, float }: Storage) -> String {
    match (float, signed) {
        (true, _) => format!("float{bits}"),
        (false, true) => format!("int{bits}"),
        (false, false) => format!("uint{bits}"),
    }
}

/// One place.
fn at([x, y, _]: [i32; 3]) -> Window {
    [[x.into(); 2], [y.into(); 2]]
}

/// The smallest box around two.
fn around(a: Window, b: Window) -> Window {
    [0, 1].map(|axis: usize| [a[axis][0].min(b[axis][0]), a[axis][1].max(b[axis][1])])
}

fn add(windows: &mut BTreeMap<usize, Window>, step: usize, other: Window) {
    windows.entry(step).and_modify(|own| *own = around(*own, other)).or_insert(other);
}

/// What a step reads, itself included.
fn reads(number: usize, step: &PlanStep) -> BTreeMap<usize, Window> {
    let mut windows = BTreeMap::new();
    match step {
        PlanStep::Input(_) => {}
        PlanStep::Fold { terms, back } => {
            terms.iter().for_each(|term| add(&mut windows, term.source, at(term.offset)));
            back.iter().for_each(|back| add(&mut windows, number, at(*back)));
        }
        PlanStep::Window { source, step, length } => {
            add(&mut windows, *source, at([0; 3]));
            add(&mut windows, *source, at(step.map(|along| along * (*length as i32 - 1))));
        }
    }
    windows
}

/// What a step reads of the inputs, through all steps between; `None` if a recurrence reads all that was before.
fn window(
    number: usize,
    step: &PlanStep,
    reads: &BTreeMap<usize, Window>,
    before: &[Option<BTreeMap<usize, Window>>],
) -> Option<BTreeMap<usize, Window>> {
    if let PlanStep::Input(channel) = step {
        return Some(BTreeMap::from([(*channel, at([0; 3]))]));
    }
    let mut windows = BTreeMap::new();
    for (source, read) in reads {
        if *source == number {
            return None;
        }
        for (channel, other) in moved(before[*source].as_ref()?, *read) {
            add(&mut windows, channel, other);
        }
    }
    Some(windows)
}

/// Windows seen from every place of a box.
fn moved(windows: &BTreeMap<usize, Window>, by: Window) -> BTreeMap<usize, Window> {
    let sum =
        |own: &Window| [0, 1].map(|axis: usize| [own[axis][0] + by[axis][0], own[axis][1] + by[axis][1]]);
    windows.iter().map(|(channel, own)| (*channel, sum(own))).collect()
}

fn inputs(plan: &Plan, windows: Option<&BTreeMap<usize, Window>>) -> Vec<ReadRecord> {
    windows.map(|windows| records(windows, &|channel| plan.inputs[channel].clone())).unwrap_or_default()
}

fn records(windows: &BTreeMap<usize, Window>, name: &dyn Fn(usize) -> String) -> Vec<ReadRecord> {
    let record = |(of, [columns, rows]): (&usize, &Window)| ReadRecord {
        of: name(*of),
        columns: *columns,
        rows: *rows,
        ratio: ["1".to_owned(), "1".to_owned()],
        size: [columns[1] - columns[0] + 1, rows[1] - rows[0] + 1],
    };
    windows.iter().map(record).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_go_through_all_steps() {
        let step = |source, offset| PlanStep::Fold {
            terms: vec![crate::backend::scan::machine::Term { source, offset, weight: 1 }],
            back: None,
        };
        let wide = PlanStep::Window { source: 1, step: [1, 0, 0], length: 3 };
        let mut before = Vec::new();
        for (number, step) in [PlanStep::Input(0), step(0, [0, 2, 0]), wide].iter().enumerate() {
            before.push(window(number, step, &reads(number, step), &before));
        }
        assert_eq!(before[2], Some(BTreeMap::from([(0, [[0, 2], [2, 2]])])));
        let back = PlanStep::Fold { terms: Vec::new(), back: Some([-1, 0, 0]) };
        assert_eq!(window(3, &back, &reads(3, &back), &before), None);
        before.push(None);
        let after = step(3, [0; 3]);
        assert_eq!(window(4, &after, &reads(4, &after), &before), None);
    }
}
