//! Common parts of records: figures, ports, kernels, approximations.

use serde::{Deserialize, Serialize};

/// A measured or derived number, rounded to six decimals: a microsecond or a picojoule, without spurious digits.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Figure(f64);

impl Figure {
    /// The geometric mean of these ratios, `None` if there are none.
    pub(super) fn geometric_mean(ratios: &[f64]) -> Option<Self> {
        let logarithms: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
        (!ratios.is_empty()).then(|| Self::new((logarithms / ratios.len() as f64).exp()))
    }

    /// Rounds `value` to six decimals.
    pub fn new(value: f64) -> Self {
        Self((value * 1e6).round() / 1e6)
    }

    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }
}

/// A named value and the register that holds it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Port {
    /// The name of the input or output.
    pub name: String,
    /// The register; `null` if none is assigned.
    pub register: Option<String>,
}

/// A kernel applied to one input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kernel {
    /// The input.
    pub input: String,
    /// Every offset that is read.
    pub taps: Vec<Tap>,
}

/// One tap of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tap {
    /// East, north and up.
    pub offset: [i32; 3],
    /// The exact coefficient: `-1`, `1/2`; `0` if the place is read and cancels.
    pub coefficient: String,
}

/// The error of an approximated filter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Approximation {
    /// The method that found the coefficients.
    pub method: Option<String>,
    /// The largest error of a coefficient.
    pub max_error: f64,
    /// The root mean square error of the coefficients.
    pub rms_error: f64,
    /// The largest error of an output pixel, on a synthetic scene that spans the range of registers.
    pub image_max_error: Option<Figure>,
    /// The root mean square error of the output pixels, on the same scene.
    pub image_rms_error: Option<Figure>,
}

/// Names with their registers: `image in A`.
pub(super) fn ports(ports: &[Port]) -> String {
    let named = |port: &Port| match &port.register {
        Some(register) => format!("{} in {register}", port.name),
        None => port.name.clone(),
    };
    ports.iter().map(named).collect::<Vec<_>>().join(", ")
}
