//! Decides whether one piece of a program may stand in place of another.

use crate::backend::array::machine::{RegisterId, State, Target, Transfer, Value};

/// Whether two sequences of transfers leave the same in these registers, whatever all registers hold before. With `masked`, also
/// where the flag is 0 in some elements: then neither may read or write beyond the element.
pub fn same_effect(
    target: &Target,
    one: &[Transfer],
    other: &[Transfer],
    registers: &[RegisterId],
    masked: bool,
) -> bool {
    if masked && !one.iter().chain(other).all(Transfer::is_local) {
        return false;
    }
    let after = |transfers: &[Transfer]| {
        let mut state = State::identity(target.registers.len());
        state.apply_all(transfers);
        state
    };
    let (one, other) = (after(one), after(other));
    let same = |register: &RegisterId| match (one.value(*register), other.value(*register)) {
        (Value::Known(one), Value::Known(other)) => one == other,
        _ => false,
    };
    registers.iter().all(same)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::array::machine::builtin_names;
    use crate::syntax::Source;

    #[test]
    fn registers_that_count_hold_the_same_and_masks_keep_to_the_element() {
        let target = Target::builtin(builtin_names()[0]).unwrap();
        let transfers =
            |text: &str| target.parse(&Source::new("t", text)).unwrap().program.transfers(&target).unwrap();
        let registers = |names: &str| -> Vec<RegisterId> {
            names.split(' ').map(|name| target.register(name).unwrap()).collect()
        };
        let same = |one: &str, other: &str, names: &str, masked: bool| {
            same_effect(&target, &transfers(one), &transfers(other), &registers(names), masked)
        };
        assert!(same("add(B, A, A); sub(B, B, A);", "mov(B, A);", "A B", true));
        assert!(!same("mov(C, A); mov(B, C);", "mov(B, A);", "B C", false));
        assert!(same("mov(C, A); mov(B, C);", "mov(B, A);", "B", false));
        let there_and_back = "movx(B, A, east); movx(B, B, west);";
        assert!(same(there_and_back, "mov(B, A);", "B", false));
        assert!(!same(there_and_back, "mov(B, A);", "B", true));
    }
}
