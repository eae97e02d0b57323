//! Options of the commands that read a program: which one of its source, and where its inputs and outputs are.

use clap::Args;

use super::arguments::Assignment;
use crate::backend::array::machine::Reading;

/// How a program is read.
#[derive(Debug, Args)]
pub(super) struct Listing {
    /// Which of the source's programs, counted from 1
    #[arg(long, value_name = "N")]
    block: Option<usize>,
    /// Take instructions under a mask as executed by every element
    #[arg(long)]
    assume_all: bool,
    /// Evaluate what the machine does not allow as a simulator without operand rules does
    #[arg(long)]
    pub(super) lenient: bool,

    /// Register of the only input [default: the first that is read before it is written]
    #[arg(long, value_name = "A", conflicts_with = "inputs")]
    input: Option<String>,
    /// Registers of the inputs
    #[arg(long, value_name = "NAME=A,…", value_delimiter = ',')]
    inputs: Vec<Assignment>,
    /// Register of the only output [default: the one that holds it, or the one written last]
    #[arg(long, value_name = "B", conflicts_with = "outputs")]
    output_register: Option<String>,
    /// Registers of the outputs
    #[arg(long, value_name = "NAME=B,…", value_delimiter = ',')]
    outputs: Vec<Assignment>,
}

impl Listing {
    /// What is read of the source.
    pub(super) fn reading(&self) -> Reading {
        self.reading_of(self.block)
    }

    /// What is read of another source, where its programs are counted on their own.
    pub(super) fn reading_of(&self, block: Option<usize>) -> Reading {
        Reading { block, assume_all: self.assume_all }
    }

    /// (input, register); an empty name is that of the only input.
    pub(super) fn inputs(&self) -> Vec<(String, String)> {
        pairs(&self.inputs, self.input.as_deref())
    }

    /// (output, register); an empty name is that of the only output.
    pub(super) fn outputs(&self) -> Vec<(String, String)> {
        pairs(&self.outputs, self.output_register.as_deref())
    }
}

/// (name, register) of each; the only one has no name.
pub(super) fn pairs(list: &[Assignment], only: Option<&str>) -> Vec<(String, String)> {
    let only = only.map(|register| (String::new(), register.to_owned()));
    list.iter().map(|a| (a.name.clone(), a.register.clone())).chain(only).collect()
}
