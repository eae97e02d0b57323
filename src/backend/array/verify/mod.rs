//! Decides whether a program computes a filter: exactly, register by register, and by simulation against a direct
//! convolution that uses no kernel algebra.
//!
//! ```
//! use kalg::algebra::{Placed, Rational};
//! use kalg::syntax::Source;
//! use kalg::backend::array::machine::Target;
//! use kalg::backend::array::verify::{Claim, Options, check};
//!
//! let target = Target::builtin("scamp5").unwrap();
//! let text = "bus(NEWS, A); bus(B, NEWS, XE, XW);";
//! let program = target.parse(&Source::new("sum.scamp", text)).unwrap().program;
//! let one = Rational::ONE;
//! let sum = Placed::from_taps(1, &[(0, [-1, 0, 0], one), (0, [0, 0, 0], one), (0, [1, 0, 0], one)]).unwrap();
//! let claim = Claim::new([("A", 0)]).output("sum", "B", sum);
//! let verdict = check(&target, &program, &claim, &Options { size: [32, 32], seed: 1 });
//! assert!(verdict.holds());
//! assert_eq!((verdict.valid_border.west, verdict.valid_border.north), (1, 0));
//! ```

mod answer;
mod claim;
mod remark;
mod footprint;
mod reference;
mod simulated;
mod symbolic;
mod trace;
mod lost;
mod counterexample;
mod judge;
mod peephole;
mod division;
mod range;
mod review;
pub mod guarded;
mod certificate;
mod replay;
mod replaced;

pub use crate::backend::error::ReplayError;
pub use answer::{Answer, KernelWitness, PixelWitness, Reason};
pub use certificate::certificate;
pub use claim::Claim;
pub use counterexample::Counterexample;
pub use footprint::{Reach, reaches};
pub use judge::{Finding, Wanted, judge, uninitialised};
pub use lost::lost_at;
pub use peephole::{PeepholeVerdict, check_peephole, instantiate, slot_operand};
pub use range::{Amplitude, amplitude, fits, span};
pub use reference::convolve;
pub use remark::Review;
pub use replaced::same_effect;
pub use replay::{Replayed, replay};
pub use review::{Context, review};
pub use symbolic::evaluate;
pub use trace::Trace;

use crate::algebra::Border;
use crate::backend::array::machine::{Program, Target, Value, Violation};

use claim::resolve;

/// The settings of the simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Width and height of the array; programs of thousands of instructions are simulated on a smaller one.
    pub size: [usize; 2],
    /// The seed of the synthetic images.
    pub seed: u64,
}

impl Options {
    /// A simulation of the target's whole array.
    pub fn full(target: &Target) -> Self {
        Self { size: target.image, seed: 0 }
    }
}

/// The result for one output.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputReport {
    /// The output's name.
    pub name: String,
    /// The register that holds it.
    pub register: String,
    /// The value of that register.
    pub found: Value,
    /// The pixels that it depends on, zeros included; `None` if unknown.
    pub reach: Option<Reach>,
}

/// The verdict on a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// Instructions that the machine does not allow, by index; the answers below assume that it does.
    pub violations: Vec<(usize, Violation)>,
    /// Whether the registers hold exactly the claimed kernels.
    pub symbolic: Answer<KernelWitness>,
    /// Whether a simulation on a synthetic image agrees with direct convolution in the valid region.
    pub simulated: Answer<PixelWitness>,
    /// The result for each output of the claim, in order.
    pub outputs: Vec<OutputReport>,
    /// The number of invalid pixels on each side, over all outputs.
    pub valid_border: Border,
}

impl Verdict {
    /// Whether the program is legal and both checks confirm the claim.
    pub fn holds(&self) -> bool {
        self.violations.is_empty() && self.symbolic == Answer::Equal && self.simulated == Answer::Equal
    }
}

/// Checks a claim about a program.
pub fn check(target: &Target, program: &Program, claim: &Claim, options: &Options) -> Verdict {
    let violations = program.violations(target);
    let unknown = |reason: Reason| Verdict {
        violations: violations.clone(),
        symbolic: Answer::Unknown(reason.clone()),
        simulated: Answer::Unknown(reason),
        outputs: Vec::new(),
        valid_border: Border::default(),
    };
    let (inputs, expectations) = match resolve(target, claim) {
        Ok(resolved) => resolved,
        Err(reason) => return unknown(reason),
    };
    let transfers = match program.transfers(target) {
        Ok(transfers) => transfers,
        Err(violation) => return unknown(Reason::Meaningless(violation)),
    };
    let channels = claim.outputs.first().map_or(1, |(.., kernel)| kernel.shape.channels());
    let reaches = reaches(target, &transfers, &inputs);
    let size = simulated::size(options.size, transfers.len(), &expectations, &reaches);
    let (state, run) = rayon::join(
        || evaluate(target, &transfers, &inputs, channels),
        || simulated::Run::new(target, &transfers, &inputs, channels, size, options.seed),
    );
    let symbolic = symbolic::compare(target, &state, &expectations);
    let simulated = simulated::compare(target, &run, &expectations, &reaches);
    let outputs: Vec<OutputReport> = expectations[..claim.outputs.len()]
        .iter()
        .map(|e| OutputReport {
            name: e.name.clone(),
            register: target.register_name(e.register).to_owned(),
            found: state.value(e.register).clone(),
            reach: reaches[e.register.0].clone(),
        })
        .collect();
    let valid_border = footprint::widest(outputs.iter().filter_map(|o| o.reach.as_ref()));
    Verdict { violations, symbolic, simulated, outputs, valid_border }
}
