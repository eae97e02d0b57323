//! What records are made of: figures, ports, approximations.

use serde::{Deserialize, Serialize};

/// A measured or derived number, kept to six decimals: a microsecond, a picojoule, and no digits of noise.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Figure(f64);

impl Figure {
    /// `value`, rounded to six decimals.
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
    /// The register; `null` where none was assigned.
    pub register: Option<String>,
}

/// How far an approximated filter is from the one that was asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Approximation {
    /// How the coefficients were found.
    pub method: Option<String>,
    /// The largest error of a coefficient.
    pub max_error: f64,
    /// The root of the mean squared error of the coefficients.
    pub rms_error: f64,
    /// The largest error of an output's pixel, on a synthetic scene over all that registers hold.
    pub image_max_error: Option<Figure>,
    /// The root of the mean squared error of the outputs' pixels, on the same scene.
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
