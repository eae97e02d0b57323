//! The searches for a filter in one orientation.

use std::time::Duration;

use super::account::{Account, Described};
use super::choose::{self, Candidate, Compiled};
use super::graphs::{Graphs, Roots};
use super::measured::image_errors;
use super::meter::{Meter, together};
use super::phased::{self, Task};
use super::ports::Ports;
use super::realisable::realisable;
use super::request::OptimizeRequest;
use super::searching::Search;
use super::solved::{Pick, Solved};
use super::variant::{Variant, variants};
use super::{given, stages};
use crate::algebra::{Placed, Turn};
use crate::backend::array::search::{Code, Wish};
use crate::backend::{OptimizeError, Progress};
use crate::budget::Budget;
use crate::term::{Definition, FilterSource};

/// The context that all searches of one request share.
pub(super) struct Run<'a> {
    pub(super) request: &'a OptimizeRequest,
    pub(super) filter: &'a FilterSource,
    /// The outputs, in the orientation of the search.
    pub(super) exact: &'a [(String, Placed)],
    /// The definitions in the file, likewise.
    pub(super) written: &'a [Definition],
    pub(super) meter: Option<&'a Meter>,
    /// The time of the clock at the start.
    pub(super) start: Duration,
}

/// How much more than the cheapest program a program with less noise may cost.
const SLACK: u32 = 8;

/// The extra time to explain why no program was found.
const MOMENT: Duration = Duration::from_secs(1);

impl Run<'_> {
    /// Searches everything that the request leaves open, and chooses what to report. `turns` are those under which the result may be
    /// reported.
    ///
    /// # Errors
    /// Those of [`super::optimize`].
    pub(super) fn solve(
        &self,
        turns: &[Turn],
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Solved, OptimizeError> {
        let (mut compiled, graphs) = self.compile_all(progress)?;
        let Aimed { best, front } = self.aimed(&compiled);
        let at = best.map_or(0, |best| best.of);
        let (of, graphs) = (&compiled[at], &graphs[at]);
        let described = match best {
            Some(Pick { code, .. }) => Described {
                code: of.codes().nth(code),
                peepholes: if of.found.code.is_some() && code == 0 { &of.found.peepholes } else { &[] },
            },
            None => Described { code: None, peepholes: &[] },
        };
        let account = Account::of(graphs, &self.filter.inputs, turns, &described);
        let no_program = best.is_none().then(|| {
            let posed = of.ports.problem(&of.variant.outputs, &of.request);
            // Determining how many registers suffice may take a moment longer than the search.
            let task = self.task(self.request.budget.time_left().map(|time| time.saturating_add(MOMENT)));
            of.found.reason(&of.request, &graphs.problem(&posed), &task)
        });
        let nodes = compiled.iter().map(|Compiled { found, .. }| found.before + found.nodes).sum();
        for compiled in &mut compiled {
            compiled.found.settle();
        }
        Ok(Solved { compiled, best, front, account, no_program, nodes, seconds: self.seconds() })
    }

    /// The programs to report.
    fn aimed(&self, compiled: &[Compiled]) -> Aimed {
        let pick = |candidate: &Candidate<'_>| Pick::new(compiled, candidate);
        let best = choose::best(compiled, self.meter).as_ref().and_then(pick);
        if !self.request.aims.front {
            return Aimed { best, front: None };
        }
        let front: Vec<Pick> = choose::front(compiled, self.meter).iter().filter_map(pick).collect();
        // The shortest program of the front is reported, unless noise is weighted.
        let shortest = front.first().copied().filter(|_| self.request.aims.noise_weight.is_none());
        Aimed { best: shortest.or(best), front: Some(front) }
    }

    /// Seconds since the start.
    fn seconds(&self) -> f64 {
        self.request.budget.seconds_since(self.start)
    }

    /// The request's budget with another time limit, counted from now.
    fn task(&self, time: Option<Duration>) -> Budget {
        self.request.budget.with_work(u64::MAX).within(time)
    }

    /// The request with a share of its time, counted from now, and with this limit on search states.
    fn shared(&self, time: Option<Duration>, states: Option<u64>) -> OptimizeRequest {
        let budget = self.task(time).with_work(states.unwrap_or(u64::MAX));
        OptimizeRequest { budget, ..self.request.clone() }
    }

    /// Searches everything that the request leaves open. Each filter and way of dividing gets its share of half the budget; the one
    /// with the best program gets the other half. A way of dividing that cannot make a coefficient is left out if another one can.
    fn compile_all(
        &self,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(Vec<Compiled>, Vec<Graphs>), OptimizeError> {
        let variants = variants(self.request, self.filter, self.exact.to_vec())?;
        let (time, states) = (self.request.budget.time_left(), self.request.budget.bound());
        let count = variants.len() as u32;
        let share = if count > 1 { 2 * count } else { count };
        let (mut compiled, mut graphs, mut refused) = (Vec::new(), Vec::new(), None);
        for mut variant in variants {
            if let (Some(meter), Some(_)) = (self.meter, &variant.approximation)
                && let Some((_, rms_error)) = image_errors(meter.range, self.exact, &variant.outputs)
            {
                variant.lost = rms_error;
            }
            let own = self.shared(time.map(|time| time / share), states.map(|n| n.div_ceil(share.into())));
            let own = OptimizeRequest { division: variant.division, ..own };
            match self.compile(own, variant, Search::default(), progress) {
                Ok((result, grown)) => {
                    compiled.push(result);
                    graphs.push(grown);
                }
                Err(error @ OptimizeError::BadInput(_)) => {
                    refused.get_or_insert(error);
                }
                Err(error) => return Err(error),
            }
        }
        if let Some(refused) = refused.filter(|_| compiled.is_empty()) {
            return Err(refused);
        }
        let best = choose::best(&compiled, self.meter);
        let place =
            best.and_then(|best| compiled.iter().position(|compiled| std::ptr::eq(compiled, best.of)));
        if let (Some(place), true) = (place, share > count) {
            let Compiled { variant, found, .. } = compiled.remove(place);
            let own = self.shared(time.map(|time| time / 2), states.map(|states| found.nodes + states / 2));
            let own = OptimizeRequest { division: variant.division, ..own };
            let (result, grown) = self.compile(own, variant, found, progress)?;
            compiled.insert(place, result);
            graphs[place] = grown;
        }
        Ok((compiled, graphs))
    }

    /// Searches for programs of one variant within a request's budget; `found` is the result so far.
    fn compile(
        &self,
        request: OptimizeRequest,
        variant: Variant,
        mut found: Search,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(Compiled, Graphs), OptimizeError> {
        let outputs = &variant.outputs;
        // An approximation differs from the filter in the file.
        let written = if variant.approximation.is_none() { self.written } else { &[] };
        let roots = Roots { outputs, written };
        let task = request.budget.with_work(u64::MAX);
        let ports = Ports::resolve(&request, self.filter)?;
        realisable(self.filter, outputs, &ports.instructions.forms)?;
        found.overflow = choose::overflowing(&request, outputs);
        let score = |code: &Code| {
            let program = ports.program(&request.target, code);
            let results = ports.output_registers(code);
            let predicted = choose::predicted(&request, &ports, &program, &results, self.meter)??;
            Some(together(&predicted).rms_error())
        };
        let wished = request.aims.front || request.aims.noise_weight.is_some();
        let wish = (wished && self.meter.is_some()).then_some(Wish { slack: SLACK, score: &score });
        let seconds = || self.seconds();
        let posed = ports.problem(outputs, &request);
        let wish = wish.as_ref();
        let searching = Task {
            posed: &posed,
            instructions: &ports.instructions,
            roots,
            request: &request,
            budget: &task,
            wish,
            seconds: &seconds,
        };
        let mut joined = Vec::new();
        if found.overflow.is_none() && found.attempts.is_empty() {
            given::given(&searching, &ports, &mut found);
            stages::as_written(&searching, &mut found)?;
            joined = stages::apart(&searching, &mut found)?;
            given::best_rewritten(&searching, &ports, &mut found);
        }
        let graphs = phased::search(&searching, &mut found, progress)?;
        for (method, code) in joined {
            found.begin(method, code, self.seconds());
        }
        given::best_rewritten(&searching, &ports, &mut found);
        Ok((Compiled { variant, ports, found, request }, graphs))
    }
}

/// The programs to report: one, and the front.
struct Aimed {
    best: Option<Pick>,
    front: Option<Vec<Pick>>,
}
