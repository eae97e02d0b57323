//! The data of a target: registers, views of neighbours, primitive operations, macros and costs. It is read from a file
//! (`rules/<target>/target.sexp`); no machine is known by name.

use super::form::FileId;
use super::host_forms::HostForms;
use super::logic::{Bit, BitKind, Logic};
use super::quantities::Quantities;
use crate::algebra::{Offset, Rational};

pub use super::ids::{BitId, Cell, DirectionId, RegisterId, ViewId};

/// A machine on which every processing element of an array executes the same straight-line code.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Target {
    /// Its name.
    pub name: String,
    /// A description, in a sentence.
    pub doc: String,
    /// Width and height of the array, in processing elements.
    pub image: [usize; 2],
    /// The least and the greatest value that a register holds.
    pub range: [Rational; 2],
    /// The duration of one cycle in microseconds.
    pub cycle_us: f64,
    /// The energy of one cycle in microjoules.
    pub cycle_uj: f64,
    /// The calls around a program in the vendor's syntax: `begin();` and `end();`.
    pub brackets: [String; 2],
    /// The named steps to a neighbour.
    pub directions: Vec<Direction>,
    /// Classes of interchangeable registers.
    pub files: Vec<RegisterFile>,
    /// All registers.
    pub registers: Vec<Register>,
    /// Names for a neighbour's register.
    pub views: Vec<View>,
    /// One-bit registers, the flag, and one-bit sources.
    pub bits: Vec<Bit>,
    /// Names for sets of directions.
    pub direction_sets: Vec<DirectionSet>,
    /// The operand rules of primitive operations.
    pub operand_rules: OperandRules,
    /// The instruction sets that a program may be restricted to.
    pub isas: Vec<Isa>,
    /// The primitive operations, of which all expansions consist.
    pub primitives: Vec<Primitive>,
    /// Instructions that stand for a sequence of primitive operations.
    pub macros: Vec<Macro>,
    /// Instructions that are not linear functions of registers.
    pub logic: Vec<Logic>,
    /// Models of what a register write adds.
    pub noise: Vec<Noise>,
    /// What sources for this machine contain besides instructions.
    pub sources: SourceForms,
}

/// What sources contain besides instructions: names that the reader must know to read them, or to explain why it cannot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceForms {
    /// Further pairs of calls around a program.
    pub brackets: Vec<[String; 2]>,
    /// Calls after which only some elements execute what follows.
    pub masks: Vec<String>,
    /// Calls that end a mask.
    pub unmasks: Vec<String>,
    /// Calls that put the input image into a register.
    pub loads: Vec<Load>,
    /// Calls that work on something other than analogue registers, with a name for it.
    pub foreign: Vec<(String, String)>,
    /// Names that other compilers print: see [`Alias`].
    pub aliases: Vec<Alias>,
    /// The numbers that sources may use for directions; a sum of them is a set.
    pub numbers: Vec<(DirectionId, u32)>,
    /// What sources contain around programs.
    pub host: HostForms,
}

/// A call that puts the input image into a register, and its effect on others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Load {
    /// Its name; several calls of one name differ in the number of their operands.
    pub name: String,
    /// The operand that takes the image, by index.
    pub image: usize,
    /// The final value of each operand, as a factor of the image; `None` if unknown.
    pub results: Vec<Option<Rational>>,
    /// Registers that are overwritten although no operand names them.
    pub clobbers: Vec<RegisterId>,
}

/// A name that stands for instructions, like a macro; a source's own definitions take precedence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alias {
    /// The name.
    pub name: String,
    /// Its operands.
    pub operands: Vec<String>,
    /// The instructions, in the target's syntax.
    pub body: String,
}

/// A step to a neighbour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Direction {
    /// Its name in the target's syntax.
    pub name: String,
    /// The neighbour's offset: a direction d reads the value at p + d.
    pub offset: Offset,
}

/// A name for a set of directions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectionSet {
    /// Its name in the target's syntax.
    pub name: String,
    /// Its directions: bit d for direction d.
    pub set: u32,
}

/// What a source that programs cannot write holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// An image.
    Image,
    /// The same number in all elements.
    Number,
}

/// A class of registers that are interchangeable in every operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterFile {
    /// Its name in the descriptor.
    pub name: String,
    /// Its registers.
    pub registers: Vec<RegisterId>,
    /// For a source that programs cannot write: what it holds.
    pub given: Option<Given>,
}

/// A register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    /// Its name in the target's syntax.
    pub name: String,
    /// The file that it belongs to.
    pub file: FileId,
}

/// A name for a neighbour's register. As a source it is the value that the neighbour holds. As a destination it is a write into
/// the neighbour's register; because all elements do the same, the register here receives what the opposite neighbour wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// Its name in the target's syntax.
    pub name: String,
    /// Other names that sources use.
    pub aliases: Vec<String>,
    /// The register; it is the only one of its file.
    pub register: RegisterId,
    /// The direction of the neighbour.
    pub direction: DirectionId,
}

/// The operand rules of a primitive operation. In addition, no target allows a register to be written twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OperandRules {
    /// `each-operand-once`: a register or view occurs at most once among the operands.
    pub each_operand_once: bool,
    /// `written-not-read`: a register that is written, in any view, is not read in any view.
    pub written_not_read: bool,
}

/// How a division is carried out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Division {
    /// By the cheapest operation, whose error is accepted.
    Quick,
    /// By sequences that cancel the operation's error.
    Compensated,
}

impl Division {
    /// All ways of dividing, by the names that descriptors and options use.
    pub const ALL: [(&'static str, Self); 2] = [("quick", Self::Quick), ("compensated", Self::Compensated)];

    /// The name that descriptors and options use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Compensated => "compensated",
        }
    }

    /// The way of dividing called `name`.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(n, _)| *n == name).map(|(_, division)| division)
    }
}

/// A named instruction set.
#[derive(Clone, Debug, PartialEq)]
pub struct Isa {
    /// Its name.
    pub name: String,
    /// A description, in a sentence.
    pub doc: String,
    /// Its default way of dividing.
    pub division: Division,
    /// The weights of the search's estimate, if they are not the usual ones.
    pub estimate: Option<Quantities>,
}

/// The instruction sets, and the ways of dividing in each, that an instruction belongs to.
pub type Membership = Vec<(String, Division)>;

/// A primitive operation: every destination := Σ weight · source. All sources are read before a destination is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Primitive {
    /// Its name in the target's syntax.
    pub name: String,
    /// The number of destinations; they come first.
    pub destinations: usize,
    /// The least and the greatest number of sources.
    pub sources: [usize; 2],
    /// One weight for all sources, or one per source; in that case the number of sources is fixed.
    pub weights: Vec<Rational>,
    /// Its cost in cycles.
    pub cycles: u32,
    /// The instruction sets that contain it as an instruction of its own.
    pub member: Membership,
}

impl Primitive {
    /// The factor of the source at `index`.
    pub fn weight(&self, index: usize) -> Rational {
        if self.weights.len() == 1 { self.weights[0] } else { self.weights[index] }
    }
}

/// An instruction that expands to a sequence of primitive operations. Its meaning, its cost and which of its operands may share
/// a register follow from the sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Macro {
    /// Its name in the target's syntax; several macros of one name differ in the number of their operands.
    pub name: String,
    /// Its operands, in the order in which they are written.
    pub operands: Vec<Formal>,
    /// The sequence that it expands to.
    pub expansion: Vec<Template>,
    /// The meanings stated in the descriptor, to be compared with the expansion: operand index, value.
    pub means: Vec<(usize, Expression)>,
    /// Operands, by index, to which a search assigns different registers although the expansion allows sharing, because otherwise
    /// another macro has the same effect.
    pub distinct: Vec<usize>,
    /// The instruction sets that contain it.
    pub member: Membership,
}

/// An operand of a macro.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formal {
    /// The name that the expansion uses.
    pub name: String,
    /// The kind of operand.
    pub kind: FormalKind,
}

/// The kind of a macro's operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormalKind {
    /// A register of this file.
    Register {
        /// The file that the register belongs to.
        file: FileId,
        /// Whether the value before the instruction is read.
        reads: bool,
        /// Whether the register holds a result afterwards.
        writes: bool,
    },
    /// A direction.
    Direction,
    /// A number within these bounds.
    Count(u32, u32),
}

/// One line of an expansion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Template {
    /// A primitive operation.
    Operation {
        /// Index into [`Target::primitives`].
        primitive: usize,
        /// Its operands, destinations first.
        operands: Vec<TemplateOperand>,
    },
    /// Lines repeated as often as a count operand says, less a constant.
    Repeat {
        /// The operand that holds the count.
        formal: usize,
        /// The constant subtracted from the count.
        less: u32,
        /// The lines.
        body: Vec<Template>,
    },
}

/// An operand of a line of an expansion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TemplateOperand {
    /// The register given as the macro's operand with this index.
    Formal(usize),
    /// A register of the machine.
    Register(RegisterId),
    /// A fixed view.
    View(ViewId),
    /// The view of a register in the direction given as the macro's operand `formal`, or in the opposite direction.
    At {
        /// The register seen.
        register: RegisterId,
        /// The direction operand.
        formal: usize,
        /// Whether the opposite direction is meant.
        opposite: bool,
    },
}

/// A stated meaning: a linear expression over a macro's operands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// The value that an operand held before the instruction.
    Formal(usize),
    /// Σ weight · term; the empty sum is zero.
    Sum(Vec<(Rational, Expression)>),
    /// An expression, read in the directions of these operands.
    At(Box<Expression>, Vec<usize>),
}

/// The name of the model without noise, which no descriptor defines.
pub const NO_NOISE: &str = "ideal";

/// The noise of a write: `v := gain · v + fixed pattern + temporal + relative · (magnitude of what was summed)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Noise {
    /// Its name.
    pub name: String,
    /// The source of the constants.
    pub source: String,
    /// The factor of the value, before noise is added.
    pub gain: f64,
    /// The standard deviation of an offset that is fixed for each register of each element.
    pub fixed_pattern: f64,
    /// The standard deviation of an offset drawn at each write.
    pub temporal: f64,
    /// The standard deviation of an offset drawn at each write, per unit of Σ |weight · source|.
    pub relative: f64,
}

impl Target {
    /// The register called `name`.
    pub fn register(&self, name: &str) -> Option<RegisterId> {
        self.registers.iter().position(|r| r.name == name).map(RegisterId)
    }

    /// The bit called `name`, by its name or another one.
    pub fn bit(&self, name: &str) -> Option<BitId> {
        self.bits.iter().position(|b| b.name == name || b.aliases.iter().any(|a| a == name)).map(BitId)
    }

    /// The name of a bit.
    pub fn bit_name(&self, id: BitId) -> &str {
        &self.bits[id.0].name
    }

    /// The register or bit called `name`.
    pub fn cell(&self, name: &str) -> Option<Cell> {
        self.register(name).map(Cell::Register).or_else(|| self.bit(name).map(Cell::Bit))
    }

    /// The name of a register or a bit.
    pub fn cell_name(&self, cell: Cell) -> &str {
        match cell {
            Cell::Register(register) => self.register_name(register),
            Cell::Bit(bit) => self.bit_name(bit),
        }
    }

    /// The flag, if the machine has one.
    pub fn flag(&self) -> Option<BitId> {
        self.bits.iter().position(|bit| bit.kind == BitKind::Flag).map(BitId)
    }

    /// What a register holds that programs cannot write; `None` for other registers.
    pub fn given(&self, id: RegisterId) -> Option<Given> {
        self.registers.get(id.0).and_then(|register| self.files[register.file].given)
    }

    /// The view called `name`.
    pub fn view(&self, name: &str) -> Option<ViewId> {
        self.views.iter().position(|v| v.name == name || v.aliases.iter().any(|a| a == name)).map(ViewId)
    }

    /// The direction called `name`.
    pub fn direction(&self, name: &str) -> Option<DirectionId> {
        self.directions.iter().position(|d| d.name == name).map(DirectionId)
    }

    /// The name of a register.
    pub fn register_name(&self, id: RegisterId) -> &str {
        &self.registers[id.0].name
    }

    /// The names of all instructions. Several instructions may share one.
    pub fn instruction_names(&self) -> impl Iterator<Item = &str> {
        let primitives = self.primitives.iter().map(|primitive| primitive.name.as_str());
        let macros = self.macros.iter().map(|template| template.name.as_str());
        primitives.chain(macros).chain(self.logic.iter().map(|logic| logic.name.as_str()))
    }

    /// Whether there is an instruction called `name`.
    pub fn has_instruction(&self, name: &str) -> bool {
        self.instruction_names().any(|own| own == name)
    }

    /// The instruction set called `name`.
    pub fn isa(&self, name: &str) -> Option<&Isa> {
        self.isas.iter().find(|isa| isa.name == name)
    }

    /// The noise model called `name`.
    pub fn noise(&self, name: &str) -> Option<&Noise> {
        self.noise.iter().find(|noise| noise.name == name)
    }

    /// The view of `register` in a direction, or in the opposite one.
    pub fn view_of(&self, register: RegisterId, direction: DirectionId, opposite: bool) -> Option<ViewId> {
        let step = self.directions[direction.0].offset;
        let wanted = if opposite { step.map(|o| -o) } else { step };
        self.views
            .iter()
            .position(|v| v.register == register && self.directions[v.direction.0].offset == wanted)
            .map(ViewId)
    }

    /// The offset of a view.
    pub fn view_offset(&self, id: ViewId) -> Offset {
        self.directions[self.views[id.0].direction.0].offset
    }
}
