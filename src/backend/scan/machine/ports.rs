//! The names of functions and of their parameters, in C and Rust alike.

use super::Plan;
use crate::backend::names::{function, words};

/// What follows the names of pictures in parameters: nothing, and this.
const STRIDE: &str = "_stride";

/// Names that the code uses in functions beside its own.
const USED: [&str; 5] = ["columns", "height", "rows", "width", "work"];

/// Names that begin those of all parameters for pictures.
const SIDES: [&str; 2] = ["in", "out"];

/// How the inputs and outputs of a function are named in its parameters: `in_…` and `out_…`, each followed by a stride.
pub(in crate::backend::scan) struct Ports {
    pub(in crate::backend::scan) inputs: Vec<String>,
    pub(in crate::backend::scan) outputs: Vec<String>,
}

impl Ports {
    /// The ports for inputs and outputs of these names.
    pub(in crate::backend::scan) fn new<'n>(
        inputs: impl Iterator<Item = &'n str>,
        outputs: impl Iterator<Item = &'n str>,
    ) -> Self {
        Self { inputs: words(inputs, &[STRIDE]), outputs: words(outputs, &[STRIDE]) }
    }

    /// Those of a plan.
    pub(in crate::backend::scan) fn of(plan: &Plan) -> Self {
        Self::new(
            plan.inputs.iter().map(String::as_str),
            plan.outputs.iter().map(|output| output.name.as_str()),
        )
    }

    /// The name of the function for a filter or pipeline of this name. The names of all other functions in C begin with it and an
    /// underscore, so those of parameters do not.
    pub(in crate::backend::scan) fn function(&self, name: &str) -> String {
        let [inputs, outputs] = [(SIDES[0], &self.inputs), (SIDES[1], &self.outputs)]
            .map(|(side, names)| names.iter().map(move |name| format!("{side}_{name}")));
        let parameters: Vec<String> = inputs.chain(outputs).collect();
        function(name, |found| {
            let start = format!("{found}_");
            USED.contains(&found)
                || SIDES.contains(&found)
                || parameters.iter().any(|parameter| parameter.starts_with(&start))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_parameter_begins_as_functions_do() {
        let ports = |input: &'static str| Ports::new([input].into_iter(), ["o"].into_iter());
        assert_eq!(ports("a").function("blur"), "blur");
        assert_eq!(ports("a").function("width"), "width_");
        assert_eq!(ports("a").function("out"), "out_");
        assert_eq!(ports("a").function("in-a"), "in_a");
        assert_eq!(ports("a-v3").function("in-a"), "in_a_");
        assert_eq!(ports("a--v3").function("in-a"), "in_a__");
    }
}
