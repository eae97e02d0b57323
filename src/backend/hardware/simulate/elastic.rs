//! A simulation in which cells do not wait for one another but where they must: each advances as soon as the words that it reads are
//! there and its delay line has room. It shows how many words each delay line must hold.

use std::collections::{BTreeMap, BTreeSet};

use crate::backend::hardware::machine::{CellId, Design, Operation};

/// The frames that are sent. The first fills the design.
const FRAMES: usize = 3;

/// How fast frames go through.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pace {
    /// The clocks of all frames but the first.
    Goes(usize),
    /// Nothing advances any more after this number of words of results.
    Stops(usize),
}

/// A condition of a process: it computes word n when another has computed word n + `ahead`, `clocks` before or earlier. Words before
/// the first are always there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Need {
    of: usize,
    ahead: i64,
    clocks: usize,
}

/// A delay line.
#[derive(Clone, Debug)]
struct Line {
    /// The process that fills it.
    writer: usize,
    /// The words that it holds.
    depth: usize,
    /// The processes that read it, each with the words that its own number is before that of the word that it reads.
    readers: Vec<(usize, i64)>,
}

/// A design as processes: the inputs together, each cell before its registers and behind them, and the results together.
#[derive(Clone, Debug)]
pub struct Elastic {
    /// What each process needs, beside room in its delay line.
    needs: Vec<BTreeSet<Need>>,
    /// The delay lines by their cells.
    lines: BTreeMap<CellId, Line>,
    results: usize,
    words: usize,
}

impl Elastic {
    /// The processes of a design for pictures of `height` rows, with delay lines as long as in the design.
    pub fn new(design: &Design, height: usize) -> Self {
        let netlist = &design.netlist;
        let mut needs = vec![BTreeSet::new()];
        let (mut before, mut behind) = (Vec::new(), Vec::new());
        for cell in &netlist.cells {
            if matches!(cell.operation, Operation::Input(_)) {
                before.push(0);
                behind.push(0);
                continue;
            }
            before.push(needs.len());
            needs.push(BTreeSet::new());
            let clocks = cell.latency as usize;
            if clocks > 0 {
                let (from, to) = (needs.len() - 1, needs.len());
                needs.push(BTreeSet::from([Need { of: from, ahead: 0, clocks }]));
                needs[from].insert(Need { of: to, ahead: -(clocks as i64), clocks: 0 });
            }
            behind.push(needs.len() - 1);
        }
        let results = needs.len();
        // No result leaves before its pixel has come.
        needs.push(BTreeSet::from([Need { of: 0, ahead: 0, clocks: 0 }]));
        let mut lines: BTreeMap<CellId, Line> = BTreeMap::new();
        for (reader, of, held) in design.reads() {
            let process = reader.map_or(results, |reader| before[reader.index()]);
            let (clocks, rest) = design.words(held);
            let writer = behind[of.index()];
            let writes = Self::start(design, Some(of)) + i64::from(netlist.cell(of).latency);
            for clocks in clocks..=clocks + u64::from(rest > 0) {
                let back = writes + clocks as i64 - Self::start(design, reader);
                needs[process].insert(Need { of: writer, ahead: -back, clocks: 0 });
                let line = lines.entry(of).or_insert(Line { writer, depth: 0, readers: Vec::new() });
                line.depth = line.depth.max(clocks as usize);
                line.readers.push((process, back));
            }
        }
        Self { needs, lines, results, words: design.frame.words(height) }
    }

    /// The clock in which a cell, or the results for `None`, have the first word of the raster. A word has any pixels that follow one
    /// another, as it has in the design.
    fn start(design: &Design, cell: Option<CellId>) -> i64 {
        let lanes = design.frame.lanes as i64;
        let after = match cell {
            Some(cell) => design.computed(cell),
            None => design.sink - i64::from(Design::SINK_LATENCY) * lanes,
        };
        (after + lanes - 1).div_euclid(lanes)
    }

    /// The work of a run, in conditions that are looked at.
    pub fn work(&self) -> u64 {
        let needs: usize = self.needs.iter().map(BTreeSet::len).sum();
        let rooms: usize = self.lines.values().map(|line| line.readers.len()).sum();
        (needs + rooms) as u64 * self.words as u64 * FRAMES as u64
    }

    /// The cells with delay lines, each with the words that its line holds.
    pub fn depths(&self) -> Vec<(CellId, usize)> {
        let depths = self.lines.iter().map(|(cell, line)| (*cell, line.depth));
        depths.filter(|(_, depth)| *depth > 0).collect()
    }

    /// How fast frames go through, with another depth of the delay line of a cell.
    pub fn run(&self, changed: Option<(CellId, usize)>) -> Pace {
        let mut needs: Vec<Vec<Need>> = self.needs.iter().map(|of| of.iter().copied().collect()).collect();
        for (cell, line) in &self.lines {
            let depth = changed.filter(|(other, _)| other == cell).map_or(line.depth, |(_, depth)| depth);
            let room = |(of, back): &(usize, i64)| Need { of: *of, ahead: back - depth as i64, clocks: 0 };
            needs[line.writer].extend(line.readers.iter().map(room));
        }
        self.paced(&needs)
    }

    fn paced(&self, needs: &[Vec<Need>]) -> Pace {
        let patience = needs.iter().flatten().map(|need| need.clocks).max().unwrap_or(0) + 1;
        let mut times: Vec<Vec<usize>> = vec![Vec::new(); needs.len()];
        let mut idle = 0;
        for clock in 0.. {
            let advance = advancing(needs, &times, clock);
            idle = if advance.contains(&true) { 0 } else { idle + 1 };
            if idle > patience {
                break;
            }
            times.iter_mut().zip(advance).filter(|(_, goes)| *goes).for_each(|(times, _)| times.push(clock));
            if times[self.results].len() == FRAMES * self.words {
                return Pace::Goes(clock - times[self.results][self.words - 1]);
            }
        }
        Pace::Stops(times[self.results].len())
    }
}

/// The processes that advance in a clock: all that can if all others of these do.
fn advancing(needs: &[Vec<Need>], times: &[Vec<usize>], clock: usize) -> Vec<bool> {
    let mut advance = vec![true; needs.len()];
    let holds = |process: usize, need: &Need, advance: &[bool]| {
        let of = &times[need.of];
        match usize::try_from(times[process].len() as i64 + need.ahead) {
            Err(_) => true,
            Ok(word) if word < of.len() => of[word] + need.clocks <= clock,
            Ok(word) => word == of.len() && need.clocks == 0 && advance[need.of],
        }
    };
    // Words go one way, and room comes the other.
    for backwards in [false, true].into_iter().cycle() {
        let mut changed = false;
        for number in 0..needs.len() {
            let process = if backwards { needs.len() - 1 - number } else { number };
            if advance[process] && !needs[process].iter().all(|need| holds(process, need, &advance)) {
                advance[process] = false;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    advance
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::hardware::machine::{Frame, Margin, Netlist, Operand, Port, Reach, Throughput};
    use crate::pipeline::Range;

    /// The greatest of two neighbours in a row, with clocks for the operation.
    fn design(clocks: u32) -> Design {
        let mut netlist = Netlist::default();
        let port = |name: &str| Port { name: name.to_owned(), bits: 8, signed: false, every: [1, 1] };
        let a = netlist.input(port("a"), Range::integers(0, 255));
        let greater = netlist.add("out", Operation::Maximum, vec![a, a.moved([-1, 0])], None).unwrap();
        let out = netlist.add("out", Operation::Absolute, vec![greater], None).unwrap();
        let last = netlist.add("out", Operation::Maximum, vec![out, a], None).unwrap();
        netlist.outputs.push((port("out"), last));
        let Operand::Tap(cell, _) = out else { panic!("a number") };
        netlist.cells[cell.index()].latency = clocks;
        let reach = Reach { window: netlist.window(), ..Reach::ITSELF };
        let frame = Frame::new(reach, 8, Throughput::ONE, Margin::Sent).unwrap();
        let later = i64::from(clocks);
        let lags = vec![0, 0, later, later];
        Design::new("p".to_owned(), netlist, frame, (lags, later + i64::from(Design::SINK_LATENCY)))
    }

    #[test]
    fn a_word_less_takes_time_or_stops_everything() {
        let design = design(3);
        let elastic = Elastic::new(&design, 4);
        let words = design.frame.words(4);
        assert_eq!(elastic.run(None), Pace::Goes(2 * words));
        let input = CellId::new(0);
        assert_eq!(elastic.depths()[0], (input, 3));
        // The operation has a word in each of its clocks, but the input keeps only two of them.
        assert_eq!(elastic.run(Some((input, 2))), Pace::Goes(3 * words));
        assert_eq!(elastic.run(Some((input, 0))), Pace::Stops(0));
    }

    /// Where results come later than they must, the line before them is longer than it must be, and a word less changes nothing.
    #[test]
    fn a_line_that_is_too_long_is_seen() {
        let mut design = design(3);
        design.sink += 1;
        let elastic = Elastic::new(&design, 4);
        let (last, depth) = *elastic.depths().last().unwrap();
        assert_eq!((last.index(), depth), (3, 1));
        assert_eq!(elastic.run(Some((last, 0))), elastic.run(None));
    }
}
