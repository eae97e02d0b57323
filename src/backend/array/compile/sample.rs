//! Samples states of the search for a filter, to fit the heuristic.

use super::graphs::{Graphs, PHASES, Roots};
use super::ports::Ports;
use super::realisable::realisable;
use super::request::OptimizeRequest;
use crate::backend::array::machine::Quantities;
use crate::backend::array::search::{Infeasible, Sample, Sampling, sample};
use crate::backend::error::OptimizeError;
use crate::saturate::Limits;
use crate::syntax::{Diagnostic, Diagnostics};
use crate::term::{filter_placed, read_filter};

/// The phase whose graph the samples use, as most searches do.
const PHASE: usize = 2;

/// Samples states of beams that search for a filter; also returns the weights of the heuristic for the instruction set.
/// The request's budget has no effect.
///
/// # Errors
/// [`OptimizeError::BadInput`] if the file or an option is wrong, [`OptimizeError::Unsound`] if a rule equates different
/// kernels.
pub fn sample_states(
    request: &OptimizeRequest,
    sampling: &Sampling,
) -> Result<(Quantities, Vec<Sample>), OptimizeError> {
    let filter = read_filter(&request.source)?;
    let outputs = filter_placed(&filter)?;
    let ports = Ports::resolve(request, &filter)?;
    realisable(&filter, &outputs, &ports.instructions.forms)?;
    let roots = Roots { outputs: &outputs, written: &[] };
    let graphs = Graphs::new(roots, &request.rules, &PHASES[PHASE], &Limits::default())?;
    let problem = graphs.problem(&ports.problem(&outputs, request));
    sample(&problem, sampling).map_err(|infeasible| match infeasible {
        // Already refused.
        Infeasible::Kernel { .. } => OptimizeError::Internal(infeasible.to_string()),
        Infeasible::Registers { .. } => {
            let refused = Diagnostic::error("too-few-registers", infeasible.to_string());
            OptimizeError::BadInput(Diagnostics::from(refused))
        }
    })
}
