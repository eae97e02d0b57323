//! Machines with more registers, for studies of future chips.

use super::descriptor::{Register, RegisterId, Target};
use super::form::FileId;
use super::read::MAX_REGISTERS;

impl Target {
    /// The file for inputs and outputs: the one with the most registers.
    pub fn general(&self) -> FileId {
        let size = |file: &FileId| self.files[*file].registers.len();
        (0..self.files.len()).max_by_key(|file| (size(file), usize::MAX - file)).unwrap_or(0)
    }

    /// The registers for inputs and outputs.
    pub fn general_registers(&self) -> &[RegisterId] {
        self.files.get(self.general()).map_or(&[], |file| &file.registers)
    }

    /// The most general registers that the machine can be given.
    pub fn max_registers(&self) -> usize {
        MAX_REGISTERS - (self.registers.len() - self.general_registers().len())
    }

    /// This machine with at least `count` general registers. New registers are named with the next free letters, then with `R` and a
    /// number. `None` if `count` is 0 or exceeds the limit of descriptors.
    ///
    /// ```
    /// use kalg::backend::array::machine::Target;
    ///
    /// let future = Target::builtin("scamp5").unwrap().with_registers(18).unwrap();
    /// let general = future.general_registers();
    /// assert_eq!((general.len(), future.register_name(general[17])), (18, "R"));
    /// ```
    pub fn with_registers(&self, count: usize) -> Option<Self> {
        let file = self.general();
        let missing = count.saturating_sub(self.files.get(file)?.registers.len());
        if !(1..=self.max_registers()).contains(&count) {
            return None;
        }
        let mut target = self.clone();
        let letters = ('A'..='Z').map(String::from);
        let mut names = letters
            .chain((0..).map(|number| format!("R{number}")))
            .filter(|name| self.operand(name).is_none());
        for name in names.by_ref().take(missing) {
            target.files[file].registers.push(RegisterId(target.registers.len()));
            target.registers.push(Register { name, file });
        }
        Some(target)
    }
}
