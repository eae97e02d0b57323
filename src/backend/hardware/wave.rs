//! Simulated designs as waveforms: value change dumps, which viewers of waveforms read.

use std::fmt::Write as _;

use super::machine::{CellId, Design};
use super::simulate::{Pictures, Sample, Stalls, watched};

/// The time of a clock.
const PERIOD: usize = 10;

/// The most values, of all signals in all clocks.
const MAX_VALUES: usize = 1 << 22;

/// The signals of the ports, which come before those of cells.
pub(super) const PORTS: usize = 7;

/// A signal: its name and bits, and what it is now.
pub(super) struct Signal {
    pub(super) name: String,
    pub(super) bits: usize,
    now: String,
}

/// Whether some frames of `height` rows have a waveform.
///
/// # Errors
/// There are too many values.
pub(super) fn fits(design: &Design, height: usize, frames: usize) -> Result<(), String> {
    let clocks = design.frame.clocks(height, design.sink) * frames;
    if clocks.saturating_mul(design.netlist.cells.len()) > MAX_VALUES {
        return Err(format!(
            "a waveform of {clocks} clocks has more than {MAX_VALUES} values: use a smaller --width and --height"
        ));
    }
    Ok(())
}

/// Frames of `height` rows on their way through a design, with random stalls on both sides, as a value change dump. The signals have
/// the names that they have in the text of the design; a value that is not there is unknown.
///
/// # Errors
/// The simulation does not end.
pub(super) fn wave(design: &Design, height: usize, frames: &[Pictures], seed: u64) -> Result<String, String> {
    let mut signals = signals(design);
    let mut text = head(design, &signals);
    simulated(design, height, frames, seed, &mut |clock, values| {
        let _ = writeln!(text, "#{}\n1!", clock * PERIOD);
        for (number, (signal, now)) in signals.iter_mut().zip(values).enumerate() {
            if signal.now != now {
                let _ = writeln!(text, "{}", change(&now, number + 1));
                signal.now = now;
            }
        }
        let _ = writeln!(text, "#{}\n0!", clock * PERIOD + PERIOD / 2);
    })?;
    Ok(text)
}

/// Sends frames of `height` rows through a design with random stalls on both sides. `see` is given each clock, and what the signals are
/// in it.
///
/// # Errors
/// The simulation does not end.
pub(super) fn simulated(
    design: &Design,
    height: usize,
    frames: &[Pictures],
    seed: u64,
    see: &mut dyn FnMut(usize, Vec<String>),
) -> Result<(), String> {
    let mut seen = |sample: &Sample<'_>| see(sample.clock, values_of(design, sample));
    let ran = watched(design, height, frames, Stalls::Random(seed), Some(&mut seen));
    ran.map(|_| ()).ok_or_else(|| "the simulation does not end".to_owned())
}

/// The signals behind the clock: the ports, and the cells.
pub(super) fn signals(design: &Design) -> Vec<Signal> {
    let lanes = design.frame.lanes;
    let [_, results] = design.frame.result_word();
    let input: u32 = design.netlist.inputs.iter().map(|port| port.bits).sum();
    let output: u32 = design.netlist.outputs.iter().map(|(port, _)| port.bits).sum();
    let ports: [_; PORTS] = [
        ("s_axis_tvalid", 1),
        ("s_axis_tready", 1),
        ("s_axis_tdata", input as usize * lanes),
        ("m_axis_tvalid", 1),
        ("m_axis_tready", 1),
        ("m_axis_tlast", 1),
        ("m_axis_tdata", output as usize * results),
    ];
    let ports = ports.map(|(name, bits)| (name.to_owned(), bits)).into_iter();
    let cells = design.netlist.ids().map(|id| {
        let bits = design.netlist.cell(id).range.bits() as usize;
        (design.cell_name(id), bits * lanes)
    });
    ports.chain(cells).map(|(name, bits)| Signal { name, bits, now: String::new() }).collect()
}

/// What the signals are in a clock, in binary.
fn values_of(design: &Design, sample: &Sample<'_>) -> Vec<String> {
    let netlist = &design.netlist;
    let [_, results] = design.frame.result_word();
    let bit = |is: bool| if is { "1" } else { "0" }.to_owned();
    let inputs: Vec<u32> = netlist.inputs.iter().map(|port| port.bits).collect();
    let outputs: Vec<u32> = netlist.outputs.iter().map(|(port, _)| port.bits).collect();
    let last = sample.results.as_ref().is_some_and(|(_, is_last)| *is_last);
    let given = sample.results.as_ref().map(|(word, _)| word.as_slice());
    let mut all = vec![
        bit(sample.offered.is_some()),
        bit(sample.takes),
        word(sample.offered, &inputs, design.frame.lanes),
        bit(given.is_some()),
        bit(sample.ready),
        bit(last),
        word(given, &outputs, results),
    ];
    all.extend(netlist.ids().map(|id| cell(design, sample, id)));
    all
}

/// A cell in all lanes, the first in the lowest bits.
fn cell(design: &Design, sample: &Sample<'_>, id: CellId) -> String {
    let cell = design.netlist.cell(id);
    let lanes = (0..design.frame.lanes).rev();
    lanes.map(|lane| binary(sample.value(id, cell.latency, lane), cell.range.bits())).collect()
}

/// The pixels of a word, of each its ports, the first in the lowest bits.
fn word(values: Option<&[i128]>, bits: &[u32], pixels: usize) -> String {
    let all = bits.iter().cycle().take(bits.len() * pixels);
    match values {
        Some(values) => {
            let each: Vec<String> =
                values.iter().zip(all).map(|(value, bits)| binary(*value, *bits)).collect();
            each.into_iter().rev().collect()
        }
        None => "x".repeat(all.sum::<u32>() as usize),
    }
}

fn binary(value: i128, bits: u32) -> String {
    (0..bits).rev().map(|bit| if value >> bit & 1 == 1 { '1' } else { '0' }).collect()
}

/// The line that gives a signal a value.
fn change(value: &str, number: usize) -> String {
    if value.len() == 1 { format!("{value}{}", code(number)) } else { format!("b{value} {}", code(number)) }
}

/// A short name: digits to the base of 94 from `!` on.
fn code(mut number: usize) -> String {
    let mut code = String::new();
    loop {
        code.push(char::from(b'!' + (number % 94) as u8));
        number /= 94;
        if number == 0 {
            return code;
        }
    }
}

fn head(design: &Design, signals: &[Signal]) -> String {
    let mut text = format!(
        "$timescale 1ns $end\n$scope module {}_stream $end\n$var wire 1 {} clk $end\n",
        design.name,
        code(0)
    );
    for (number, Signal { name, bits, .. }) in signals.iter().enumerate() {
        let place = if *bits > 1 { format!(" [{}:0]", bits - 1) } else { String::new() };
        let _ = writeln!(text, "$var wire {bits} {} {name}{place} $end", code(number + 1));
    }
    text + "$upscope $end\n$enddefinitions $end\n"
}
