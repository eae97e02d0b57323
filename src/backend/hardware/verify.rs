//! Whether a design computes a pipeline: its cells on whole pictures beside the reference executor, its simulation with stalls, and
//! the proof that it keeps the fewest bits.

use std::collections::BTreeMap;

use super::machine::{
    CellId, Design, Frame, Margin, Moment, Netlist, Operand, Operation, Proof, extreme, stepped, value,
    wrapped,
};
use super::simulate::{Pictures, Stalls, simulate};
use crate::algebra::Random;
use crate::pipeline::{Border, Data, Image, Pipeline, PixelType, execute};

/// What was compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Checked {
    /// The columns and rows of the pictures.
    pub size: [usize; 2],
    /// The pixels of all outputs that were compared.
    pub pixels: usize,
}

/// Compares a design with its pipeline on two random frames: every cell on whole pictures, and clock by clock with stalls and
/// without. Without, the clocks are those of the report.
///
/// # Errors
/// What differs.
pub fn check(pipeline: &Pipeline, design: &Design, height: usize, seed: u64) -> Result<Checked, String> {
    let size = [design.frame.pixels(), height];
    let Frames { sent, padded, expected } = frames(pipeline, design, height, seed)?;
    for (padded, wanted) in padded.iter().zip(&expected) {
        compare("the cells", wanted, &evaluate(&design.netlist, design.frame, height, padded))?;
    }
    for stalls in [Stalls::None, Stalls::Random(seed)] {
        let ran = simulate(design, height, &sent, stalls).ok_or("the simulation does not end")?;
        for (wanted, found) in expected.iter().zip(&ran.frames) {
            compare("the simulation", wanted, found)?;
        }
        let found = [ran.clocks[1] - ran.clocks[0], ran.first];
        let wanted = [design.frame.clocks(height, design.sink), design.frame.latency(design.sink) + 1];
        if stalls == Stalls::None && found != wanted {
            return Err(format!(
                "a frame's clocks and those until the first result are {found:?}, not {wanted:?}"
            ));
        }
    }
    let pixels = expected.iter().flatten().map(Vec::len).sum();
    Ok(Checked { size, pixels })
}

/// Random frames.
pub(super) struct Frames {
    /// What is sent of each.
    pub(super) sent: Vec<Pictures>,
    /// Each with its margins.
    padded: Vec<Pictures>,
    /// The results that the reference executor has for each.
    expected: Vec<Pictures>,
}

/// Two random frames for a design.
///
/// # Errors
/// The reference executor has no results.
pub(super) fn frames(
    pipeline: &Pipeline,
    design: &Design,
    height: usize,
    seed: u64,
) -> Result<Frames, String> {
    let mut random = Random::new(seed);
    let mut frames = Frames { sent: Vec::new(), padded: Vec::new(), expected: Vec::new() };
    for _ in 0..2 {
        let pictures = pictures(pipeline, [design.frame.pixels(), height], &mut random)?;
        let wanted = execute(pipeline, &pictures).map_err(|error| format!("no reference: {error:?}"))?;
        let padded: Pictures =
            pictures.iter().map(|picture| padded(design.frame, height, pipeline.border, picture)).collect();
        frames.sent.push(match design.frame.margin {
            // A pixel is sent once.
            Margin::Sent => {
                padded.iter().map(|rows| rows.iter().copied().step_by(design.frame.hold).collect()).collect()
            }
            _ => pictures.into_iter().map(samples).collect(),
        });
        frames.padded.push(padded);
        frames.expected.push(wanted.into_iter().map(samples).collect());
    }
    Ok(frames)
}

fn compare(what: &str, wanted: &Pictures, found: &Pictures) -> Result<(), String> {
    for (number, (wanted, found)) in wanted.iter().zip(found).enumerate() {
        if wanted.len() != found.len() {
            return Err(format!("{what}: {} pixels of output {number}, not {}", found.len(), wanted.len()));
        }
        if let Some(at) = (0..wanted.len()).find(|at| wanted[*at] != found[*at]) {
            let (found, wanted) = (found[at], wanted[at]);
            return Err(format!("{what}: pixel {at} of output {number} is {found}, not {wanted}"));
        }
    }
    Ok(())
}

fn samples(image: Image) -> Vec<i128> {
    match image.data {
        Data::Exact(values) => values,
        Data::Float(_) => Vec::new(),
    }
}

/// Random pictures; every second one has only the least and the greatest values.
fn pictures(pipeline: &Pipeline, size: [usize; 2], random: &mut Random) -> Result<Vec<Image>, String> {
    let extreme = random.integer(0, 1) == 0;
    let mut pictures = Vec::new();
    for input in &pipeline.inputs {
        let PixelType::Integer { bits, signed } = input.pixel else {
            return Err("an input is in single precision".to_owned());
        };
        let count = size[0] * size[1];
        let sample = |random: &mut Random| {
            let bits_of = random.next();
            let all =
                if extreme && bits_of & 1 == 0 { -i128::from(bits_of >> 63) } else { i128::from(bits_of) };
            wrapped(all, bits, signed)
        };
        let values = (0..count).map(|_| sample(random)).collect();
        pictures.push(Image { width: size[0], height: size[1], data: Data::Exact(values) });
    }
    Ok(pictures)
}

/// A picture with its margins, which continue it as the pipeline says: for each column of the raster its pixel.
fn padded(frame: Frame, height: usize, border: Border, picture: &Image) -> Vec<i128> {
    let Data::Exact(values) = &picture.data else { return Vec::new() };
    let border = match frame.margin {
        Margin::Sent | Margin::Mirrored { .. } => border,
        Margin::Replicated => Border::Replicate,
        Margin::Constant(value) => Border::Constant(value),
    };
    let outside = match border {
        Border::Constant(value) => value.into(),
        _ => 0,
    };
    let mut all = Vec::new();
    for row in 0..frame.rows(height) {
        for column in 0..frame.row() {
            let column = (column / frame.hold) as i64 - frame.side_pixels()[0] as i64;
            let x = border.place(column, frame.pixels() as i64);
            let y = border.place(row as i64 - frame.ends[0] as i64, height as i64);
            all.push(match (x, y) {
                (Some(x), Some(y)) => values[y as usize * frame.pixels() + x as usize],
                _ => outside,
            });
        }
    }
    all
}

/// The outputs of a netlist for pictures with their margins: every cell for the whole raster. Cells may be for pixels in other rows
/// than their readers, so the raster goes on beyond its ends by as many rows as margins have.
fn evaluate(netlist: &Netlist, frame: Frame, height: usize, pictures: &Pictures) -> Pictures {
    let ends = frame.ends[0] + frame.ends[1];
    let beyond = (ends + 1) * frame.row();
    let count = frame.row() * (height + ends) + 2 * beyond;
    let mut all: Vec<Vec<i128>> = Vec::with_capacity(netlist.cells.len());
    let read = |all: &[Vec<i128>], operand: &Operand, at: usize| match operand {
        Operand::Number(number) => *number,
        Operand::Tap(cell, offset) => {
            let place = usize::try_from(at as i64 - frame.delay(*offset)).ok();
            place.and_then(|place| all[cell.index()].get(place)).copied().unwrap_or(0)
        }
    };
    let mut of = Vec::new();
    for cell in &netlist.cells {
        let one = |at: usize| match cell.operation {
            Operation::Input(number) => {
                at.checked_sub(beyond).and_then(|at| pictures[number].get(at)).copied().unwrap_or(0)
            }
            Operation::Interleave { .. } => {
                let place = frame.place(at as i64 - beyond as i64);
                read(&all, &cell.operands[cell.operation.phase(place)], at)
            }
            _ => {
                of.clear();
                of.extend(cell.operands.iter().map(|operand| read(&all, operand, at)));
                value(&cell.operation, &of).unwrap_or(0)
            }
        };
        let values = match cell.operation {
            Operation::Running { axis, length } => {
                let of: Vec<i128> = (0..count).map(|at| read(&all, &cell.operands[0], at)).collect();
                let step = [1, frame.row()][axis];
                let window = |at: usize| (0..length as usize).map(move |back| at.checked_sub(back * step));
                (0..count).map(|at| window(at).flatten().map(|at| of[at]).sum()).collect()
            }
            Operation::Along { .. } => {
                let of = (0..count).map(|at| read(&all, &cell.operands[0], at)).collect();
                along(&cell.operation, frame, beyond, of)
            }
            Operation::Until { axis, period, .. } => {
                let here = cell.operands[0].moved(Operation::later(axis, period).map(|offset| -offset));
                let of: Vec<i128> = (0..count).map(|at| read(&all, &here, at)).collect();
                until(&cell.operation, frame, beyond, &of)
            }
            _ => (0..count).map(one).collect(),
        };
        all.push(values);
    }
    let pixels = |every: [usize; 2], operand: &Operand| {
        let mut pixels = Vec::new();
        for row in (frame.ends[0]..frame.ends[0] + height).step_by(every[1]) {
            let start = beyond + row * frame.row() + frame.sides[0];
            let row = (start..start + frame.width).step_by(every[0]);
            pixels.extend(row.map(|at| read(&all, operand, at)));
        }
        pixels
    };
    netlist.outputs.iter().map(|(port, operand)| pixels(port.every, operand)).collect()
}

/// The values that an operation makes of its operand along columns or rows, in place of the operand's.
fn along(operation: &Operation, frame: Frame, beyond: usize, mut values: Vec<i128>) -> Vec<i128> {
    let Operation::Along { axis, period, .. } = operation else { return values };
    let back = [1, frame.row()][*axis];
    for at in back..values.len() {
        let place = frame.place(at as i64 - beyond as i64);
        let begins = place[*axis].rem_euclid((*period).into()) == 0;
        values[at] = stepped(operation, begins, values[at - back], values[at]);
    }
    values
}

/// For each place the extreme of a value until the period ends.
fn until(operation: &Operation, frame: Frame, beyond: usize, values: &[i128]) -> Vec<i128> {
    let Operation::Until { axis, period, choice } = operation else { return Vec::new() };
    let step = [1, frame.row()][*axis];
    let rest = |at: usize| {
        let place = frame.place(at as i64 - beyond as i64)[*axis].rem_euclid((*period).into());
        (0..*period as usize - place as usize).filter_map(move |number| values.get(at + number * step))
    };
    let found = |at: usize| rest(at).copied().reduce(|a, b| extreme(*choice, a, b)).unwrap_or(0);
    (0..values.len()).map(found).collect()
}

/// The bits that a design keeps, if every value is there when it is read, and no other lags keep fewer with results at this lag.
///
/// # Errors
/// What does not hold.
pub fn least_bits(design: &Design, proof: &Proof) -> Result<i64, String> {
    let mut kept: BTreeMap<CellId, i64> = BTreeMap::new();
    for (_, of, held) in design.reads() {
        if held < 0 {
            return Err(format!("cell {} is read before it is there", of.index()));
        }
        let most = kept.entry(of).or_default();
        *most = (*most).max(held);
    }
    let bits = |id: CellId| {
        let cell = design.netlist.cell(id);
        i64::from(cell.range.bits()) * design.columns.share(&design.netlist, id.index())
    };
    let kept: i64 = kept.iter().map(|(cell, held)| bits(*cell) * held).sum();
    let least = distances(design);
    let mut balance: BTreeMap<Moment, i64> = BTreeMap::new();
    for id in design.netlist.ids() {
        *balance.entry(there(design, id)).or_default() += bits(id);
        *balance.entry(Moment::Until(id)).or_default() -= bits(id);
    }
    let mut bound = 0;
    for (from, to, flow) in &proof.flows {
        let distance = least.get(&(*from, *to)).ok_or("a flow goes where nothing is bound")?;
        if *flow < 0 {
            return Err("a flow is negative".to_owned());
        }
        bound += distance * flow;
        *balance.entry(*from).or_default() -= flow;
        *balance.entry(*to).or_default() += flow;
    }
    if balance.values().any(|rest| *rest != 0) {
        return Err("the flows do not balance".to_owned());
    }
    if bound == kept {
        Ok(design.columns.bits(kept))
    } else {
        Err(format!("{kept} bits are kept, but the proof is for {bound}"))
    }
}

fn there(design: &Design, id: CellId) -> Moment {
    match design.netlist.cell(id).operation {
        Operation::Input(_) => Moment::Source,
        _ => Moment::There(id),
    }
}

/// The least distances between moments that every choice of lags must keep.
fn distances(design: &Design) -> BTreeMap<(Moment, Moment), i64> {
    let mut least: BTreeMap<(Moment, Moment), i64> = BTreeMap::new();
    let mut bind = |from: Moment, to: Moment, distance: i64| {
        let most = least.entry((from, to)).or_insert(distance);
        *most = (*most).max(distance);
    };
    let lanes = design.frame.lanes as i64;
    let mut read = |reader: Moment, latency: u32, operand: &Operand| {
        let Operand::Tap(cell, at) = operand else { return };
        let delay = design.frame.delay(*at) - lanes * i64::from(latency);
        bind(there(design, *cell), reader, -delay);
        bind(reader, Moment::Until(*cell), delay);
    };
    for id in design.netlist.ids() {
        let cell = design.netlist.cell(id);
        cell.operands.iter().for_each(|operand| read(there(design, id), cell.latency, operand));
    }
    for (_, operand) in &design.netlist.outputs {
        read(Moment::Sink, Design::SINK_LATENCY, operand);
    }
    for id in design.netlist.ids() {
        bind(there(design, id), Moment::Until(id), 0);
        let cell = design.netlist.cell(id);
        if cell.is_pattern() {
            bind(Moment::Source, Moment::There(id), lanes * i64::from(cell.latency));
        }
    }
    bind(Moment::Source, Moment::Sink, design.sink);
    bind(Moment::Sink, Moment::Source, -design.sink);
    least
}
