//! What sources contain around programs: the types of parameters, further spellings, and the host's calls with their effects.

/// The names around programs that a reader of sources must know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostForms {
    /// Beginnings of names: a name that begins with the first is read as if it began with the second.
    pub spellings: Vec<[String; 2]>,
    /// The types of parameters, each with what a parameter of that type stands for.
    pub types: Vec<(String, Stands)>,
    /// Words that mark a lambda as a program: in the statement before it, or at its beginning.
    pub lambdas: Vec<String>,
    /// Calls that begin a program which is recorded when it first runs, and repeated as it was recorded.
    pub recorded: Vec<String>,
    /// Calls between programs, each with its effect.
    pub calls: Vec<HostCall>,
    /// The instructions that stand for calls of which nothing is known but what they change.
    pub unknown: Vec<(Stands, String)>,
}

/// What a parameter stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stands {
    /// A register of the file with this name.
    Register(String),
    /// A bit.
    Bit,
    /// A direction.
    Direction,
}

/// A call of the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostCall {
    /// Its name; with `*` at the end, all names that begin so.
    pub name: String,
    /// What it does.
    pub effect: HostEffect,
}

/// What a call of the host does to registers. Operands are counted from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostEffect {
    /// Nothing.
    Nothing,
    /// What the instruction of the same name does with these operands.
    Instruction(Vec<usize>),
    /// It leaves contents in these operands that depend on more than the program.
    Unknown(Vec<usize>),
    /// It runs the program that its operand names.
    Runs(usize),
}

impl HostForms {
    /// A name in its usual spelling.
    pub fn usual(&self, name: &str) -> String {
        let respelt = self
            .spellings
            .iter()
            .find_map(|[other, usual]| Some((usual, name.strip_prefix(other.as_str())?)));
        respelt.map_or_else(|| name.to_owned(), |(usual, rest)| format!("{usual}{rest}"))
    }

    /// What a parameter of the type called `word` stands for.
    pub fn kind(&self, word: &str) -> Option<&Stands> {
        self.types.iter().find(|(name, _)| name == word).map(|(_, kind)| kind)
    }

    /// The effect of a call, given in its usual spelling.
    pub fn effect(&self, name: &str) -> Option<&HostEffect> {
        let means = |call: &&HostCall| match call.name.strip_suffix('*') {
            Some(beginning) => name.starts_with(beginning),
            None => call.name == name,
        };
        self.calls.iter().find(means).map(|call| &call.effect)
    }
}
