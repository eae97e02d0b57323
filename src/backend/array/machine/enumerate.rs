//! Enumerates the instruction forms of a descriptor: every choice of immediates, neighbour views and register files.

use rustc_hash::FxHashMap;

use super::descriptor::{Division, FormalKind, Macro, Primitive, RegisterId, Target, ViewId};
use super::form::{FileId, Form, FormOperand, FormResult, ReadTap, Slot};
use super::instruction::Operand;
use super::meaning::{Instance, fixed_registers};
use super::symbolic::{State, Value};
use crate::algebra::{Offset, Rational};

/// An operand of a primitive operation before a register is chosen.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Atom {
    /// Any register of a file, without an offset.
    File(FileId),
    /// A view.
    View(ViewId),
}

impl Target {
    /// All forms of an instruction set under a way of dividing, in the descriptor's order; empty if the target lacks
    /// the set. Of forms with the same effect and cost only the first is kept, unless a later one allows more choices of
    /// registers.
    ///
    /// An instruction may leave a value in a register that it does not name. If another instruction of the set can read that value,
    /// the register is a slot without an operand; otherwise it is in [`Form::clobbers`].
    pub fn forms(&self, isa: &str, division: Division) -> Vec<Form> {
        let admitted = |member: &[(String, Division)]| member.iter().any(|(i, d)| i == isa && *d == division);
        let mut all = Vec::new();
        let mut exposed = false;
        for primitive in self.primitives.iter().filter(|p| admitted(&p.member)) {
            exposed = true;
            self.primitive_forms(primitive, &mut all);
        }
        for template in self.macros.iter().filter(|m| admitted(&m.member)) {
            let instances = self.instances(template);
            all.extend(instances.iter().filter_map(|instance| self.macro_form(template, instance, exposed)));
        }
        without_repetitions(all)
    }

    /// Whether an instruction set has primitive operations; otherwise it has macros only.
    pub fn has_primitives(&self, isa: &str) -> bool {
        self.primitives.iter().any(|primitive| primitive.member.iter().any(|(of, _)| of == isa))
    }

    fn primitive_forms(&self, primitive: &Primitive, forms: &mut Vec<Form>) {
        let seen = |file: FileId| self.views.iter().any(|v| self.registers[v.register.0].file == file);
        // What is set from outside is no value of a filter's input, so no search reads it.
        let own = (0..self.files.len()).filter(|file| self.files[*file].given.is_none());
        let (viewed, plain): (Vec<FileId>, Vec<FileId>) = own.partition(|file| seen(*file));
        let mut atoms = Vec::new();
        for file in &viewed {
            atoms.push(Atom::File(*file));
            let of_file = |v: &usize| self.registers[self.views[*v].register.0].file == *file;
            atoms.extend((0..self.views.len()).filter(of_file).map(|v| Atom::View(ViewId(v))));
        }
        let files: Vec<Atom> = plain.into_iter().map(Atom::File).collect();
        let targets = [files.as_slice(), &atoms].concat();
        let sources = [atoms.as_slice(), &files].concat();
        let ordered = primitive.weights.len() > 1;
        for writes in
            selections(&targets, primitive.destinations, false, &|chosen, atom| self.may_write(chosen, atom))
        {
            for count in primitive.sources[0]..=primitive.sources[1] {
                let may_read = |chosen: &[Atom], atom: Atom| self.may_read(&writes, chosen, atom);
                for reads in selections(&sources, count, ordered, &may_read) {
                    forms.push(self.primitive_form(primitive, &writes, &reads));
                }
            }
        }
    }

    fn file_of(&self, atom: Atom) -> FileId {
        match atom {
            Atom::File(file) => file,
            Atom::View(view) => self.registers[self.views[view.0].register.0].file,
        }
    }

    fn may_write(&self, chosen: &[Atom], atom: Atom) -> bool {
        let file = self.file_of(atom);
        chosen.iter().filter(|c| self.file_of(**c) == file).count() < self.files[file].registers.len()
    }

    fn may_read(&self, writes: &[Atom], chosen: &[Atom], atom: Atom) -> bool {
        let (file, rules) = (self.file_of(atom), self.operand_rules);
        let registers = self.files[file].registers.len();
        let written = writes.iter().filter(|w| self.file_of(**w) == file).count();
        let twice = chosen.iter().filter(|c| **c == atom).count();
        let named = writes.iter().filter(|w| **w == atom).count();
        (!rules.written_not_read || written < registers)
            && (!rules.each_operand_once || twice + named < registers_of(atom, registers))
    }

    fn primitive_form(&self, primitive: &Primitive, writes: &[Atom], reads: &[Atom]) -> Form {
        let mut slots: Vec<Slot> = Vec::new();
        let mut operands = Vec::new();
        let mut places: Vec<(usize, Offset)> = Vec::new();
        for (index, atom) in writes.iter().chain(reads).enumerate() {
            let (file, write) = (self.file_of(*atom), index < writes.len());
            // The only register of a file is one slot, however often it is read.
            let shared = slots.iter().position(|s| s.file == file && self.files[file].registers.len() == 1);
            let slot = shared.unwrap_or(slots.len());
            if slot == slots.len() {
                slots.push(Slot { file, reads: false, writes: false });
            }
            slots[slot].writes |= write;
            slots[slot].reads |= !write;
            match atom {
                Atom::File(_) => {
                    operands.push(FormOperand::Slot(slot));
                    places.push((slot, [0; 3]));
                }
                Atom::View(view) => {
                    operands.push(FormOperand::Fixed(self.views[view.0].name.clone()));
                    let seen = self.view_offset(*view);
                    places.push((slot, if write { seen.map(|o| -o) } else { seen }));
                }
            }
        }
        let (targets, sources) = places.split_at(writes.len());
        let result = |(slot, moved): &(usize, Offset)| {
            let tap = |(index, (slot, offset)): (usize, &(usize, Offset))| ReadTap {
                slot: *slot,
                offset: [0, 1, 2].map(|axis| offset[axis] + moved[axis]),
                coefficient: primitive.weight(index),
            };
            FormResult { slot: *slot, taps: sorted(sources.iter().enumerate().map(tap).collect()) }
        };
        let results = targets.iter().map(result).collect();
        let differ = pairs(&slots, |a, b| {
            let (write, read) = (a.writes || b.writes, a.reads || b.reads);
            self.operand_rules.each_operand_once
                || (a.writes && b.writes)
                || (write && read && self.operand_rules.written_not_read)
        });
        Form {
            instruction: primitive.name.clone(),
            operands,
            cycles: primitive.cycles,
            slots,
            results,
            passing: Vec::new(),
            differ,
            clobbers: Vec::new(),
        }
    }

    /// The form of one choice of a macro's immediates; `None` if a coefficient of a result does not fit.
    fn macro_form(&self, template: &Macro, instance: &Instance, exposed: bool) -> Option<Form> {
        let (mut slots, mut operands, mut registers, mut clobbers) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (formal, operand) in template.operands.iter().zip(&instance.instruction.operands) {
            match (formal.kind, operand) {
                (FormalKind::Register { file, reads, writes }, Operand::Register(register)) => {
                    operands.push(FormOperand::Slot(slots.len()));
                    slots.push(Slot { file, reads, writes });
                    registers.push(*register);
                }
                _ => operands.push(FormOperand::Fixed(self.operand_text(*operand))),
            }
        }
        let named = slots.len();
        let fixed: Vec<_> = fixed_registers(self, &template.expansion)
            .into_iter()
            .map(|r| (r, instance.transfers.iter().any(|t| t.writes.iter().any(|w| w.register == r))))
            .collect();
        let holding: Vec<RegisterId> =
            (0..named).filter(|s| slots[*s].writes).map(|s| registers[s]).collect();
        let left: Vec<RegisterId> =
            fixed.iter().filter(|(_, writes)| *writes && exposed).map(|(r, _)| *r).collect();
        for (register, writes) in fixed {
            let file = self.registers[register.0].file;
            let reads =
                holding.iter().chain(&left).any(|r| reads_channel(instance.after.value(*r), register));
            if writes && !exposed {
                clobbers.push(file);
            }
            if reads || (writes && exposed) {
                slots.push(Slot { file, reads, writes: writes && exposed });
                registers.push(register);
            }
        }
        let mut results = Vec::new();
        for slot in (0..slots.len()).filter(|slot| slots[*slot].writes) {
            let taps = taps(instance.after.value(registers[slot]), &registers)?;
            results.push(FormResult { slot, taps });
        }
        let mut passing: Vec<Vec<ReadTap>> = Vec::new();
        let mut state = State::identity(self.registers.len());
        for transfer in &instance.transfers {
            state.apply(transfer);
            for write in &transfer.writes {
                // A form cannot express a value that depends on unspecified ones.
                let Some(taps) = taps(state.value(write.register), &registers) else { continue };
                if !passing.contains(&taps) && !results.iter().any(|result| result.taps == taps) {
                    passing.push(taps);
                }
            }
        }
        let cycles = self.cycles(&instance.instruction).expect("instances are legal");
        let instruction = template.name.clone();
        let differ = self.macro_differ(template, instance, &slots[..named]);
        Some(Form { instruction, operands, cycles, slots, results, passing, differ, clobbers })
    }

    /// The register operands of a macro that must differ: pairs first, then larger groups of equal operands that no pair excludes.
    fn macro_differ(&self, template: &Macro, instance: &Instance, slots: &[Slot]) -> Vec<(usize, usize)> {
        let places: Vec<usize> = (0..template.operands.len())
            .filter(|i| matches!(template.operands[*i].kind, FormalKind::Register { .. }))
            .collect();
        let apart_here = |slot: usize| template.distinct.contains(&places[slot]);
        let legal = |same_as: &[usize]| {
            if (0..same_as.len())
                .any(|slot| same_as[slot] != slot && apart_here(slot) && apart_here(same_as[slot]))
            {
                return false;
            }
            let mut instruction = instance.instruction.clone();
            for (slot, place) in places.iter().enumerate() {
                instruction.operands[*place] = instance.instruction.operands[places[same_as[slot]]];
            }
            self.check_instruction(&instruction).is_ok()
        };
        let mut apart: Vec<(usize, usize)> = Vec::new();
        let mut groups = vec![Vec::new()];
        for slot in 0..slots.len() {
            let may_join = |other: &usize| slots[*other].file == slots[slot].file;
            groups = groups
                .into_iter()
                .flat_map(|group: Vec<usize>| {
                    let leaders = (0..slot).filter(|o| group[*o] == *o).filter(may_join).chain([slot]);
                    leaders.map(|leader| [group.as_slice(), &[leader]].concat()).collect::<Vec<_>>()
                })
                .collect();
        }
        let joined = |group: &[usize]| {
            pairs(slots, |_, _| true).into_iter().filter(|(a, b)| group[*a] == group[*b]).collect::<Vec<_>>()
        };
        groups.sort_by_key(|group| joined(group).len());
        for group in groups {
            let joined = joined(&group);
            if joined.iter().any(|pair| apart.contains(pair)) {
                continue;
            }
            let two_results = joined.iter().any(|(a, b)| slots[*a].writes && slots[*b].writes);
            if two_results || !legal(&group) {
                apart.extend(joined);
            }
        }
        apart.sort_unstable();
        apart
    }
}

/// The maximum number of times that an atom can be an operand without repeating a register.
fn registers_of(atom: Atom, registers: usize) -> usize {
    match atom {
        Atom::File(_) => registers,
        Atom::View(_) => 1,
    }
}

/// All choices of `count` atoms whose every prefix `allowed` accepts: sequences if `ordered`, otherwise multisets.
fn selections(
    atoms: &[Atom],
    count: usize,
    ordered: bool,
    allowed: &dyn Fn(&[Atom], Atom) -> bool,
) -> Vec<Vec<Atom>> {
    let mut grown: Vec<(usize, Vec<Atom>)> = vec![(0, Vec::new())];
    for _ in 0..count {
        let mut longer = Vec::new();
        for (from, chosen) in &grown {
            for (index, atom) in atoms.iter().enumerate().skip(if ordered { 0 } else { *from }) {
                if allowed(chosen, *atom) {
                    longer.push((index, [chosen.as_slice(), &[*atom]].concat()));
                }
            }
        }
        grown = longer;
    }
    grown.into_iter().map(|(_, chosen)| chosen).collect()
}

/// The pairs of slots of one file for which `apart` holds, in order.
fn pairs(slots: &[Slot], apart: impl Fn(&Slot, &Slot) -> bool) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for b in 0..slots.len() {
        for a in 0..b {
            if slots[a].file == slots[b].file && apart(&slots[a], &slots[b]) {
                found.push((a, b));
            }
        }
    }
    found.sort_unstable();
    found
}

/// Drops each form that has the effect and cost of an earlier one and requires at least the same registers to differ.
fn without_repetitions(forms: Vec<Form>) -> Vec<Form> {
    let mut by_effect: FxHashMap<_, Vec<usize>> = FxHashMap::default();
    let mut kept: Vec<Form> = Vec::new();
    for form in forms {
        let effect = (form.cycles, form.slots.clone(), form.results.clone(), form.clobbers.clone());
        let alike = by_effect.entry(effect).or_default();
        if !alike.iter().any(|index| kept[*index].differ.iter().all(|pair| form.differ.contains(pair))) {
            alike.push(kept.len());
            kept.push(form);
        }
    }
    kept
}

/// Taps in a canonical order, with equal places merged.
fn sorted(mut taps: Vec<ReadTap>) -> Vec<ReadTap> {
    taps.sort_by_key(|t| (t.slot, t.offset));
    taps.dedup_by(|later, earlier| {
        let same = (later.slot, later.offset) == (earlier.slot, earlier.offset);
        match earlier.coefficient.add(later.coefficient).filter(|_| same) {
            Some(sum) => {
                earlier.coefficient = sum;
                true
            }
            None => false,
        }
    });
    taps.retain(|t| t.coefficient != Rational::ZERO);
    taps
}

/// A value over register channels as taps over slots; `None` if a coefficient does not fit or the value depends on another register.
fn taps(value: &Value, registers: &[RegisterId]) -> Option<Vec<ReadTap>> {
    let Value::Known(kernel) = value else { return None };
    let tap = |(channel, offset, coefficient): (u16, Offset, Rational)| {
        let slot = registers.iter().position(|r| r.0 == channel as usize);
        Some(ReadTap { slot: slot?, offset, coefficient })
    };
    Some(sorted(kernel.taps()?.into_iter().map(tap).collect::<Option<_>>()?))
}

fn reads_channel(value: &Value, register: RegisterId) -> bool {
    matches!(value, Value::Known(kernel) if kernel.shape.taps().any(|(c, ..)| c as usize == register.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forms(isa: &str, division: Division) -> Vec<Form> {
        Target::builtin("scamp5").unwrap().forms(isa, division)
    }

    fn spelled(form: &Form) -> String {
        let operand = |operand: &FormOperand| match operand {
            FormOperand::Slot(slot) => format!("r{slot}"),
            FormOperand::Fixed(text) => text.clone(),
        };
        format!("{}({})", form.instruction, form.operands.iter().map(operand).collect::<Vec<_>>().join(","))
    }

    fn find(forms: &[Form], spelling: &str) -> Form {
        forms.iter().find(|form| spelled(form) == spelling).unwrap_or_else(|| panic!("no {spelling}")).clone()
    }

    #[test]
    fn counts_follow_from_the_operand_rules() {
        // Subsets of one to four of the five views and the general registers: 4 + 5·4 + 10·3 + 10·2 + 5; and the clear.
        // NEWS at its own place: 0 to 4 general sources. Through one of four views: 1 to 4, because a shifted clear is a clear.
        let bus = 80 + 5 + 4 * 4;
        assert_eq!(forms("bus", Division::Compensated).len(), bus + 3);
        // Two general results: the clear, 2 general, 5·2 and 10 reads of NEWS; one general and one of five forms of NEWS.
        let bus2 = 1 + 2 + 10 + 10 + (1 + 5 * 2);
        let bus3 = 6 + 5;
        assert_eq!(forms("bus", Division::Quick).len(), bus + bus2 + bus3);
        assert_eq!(forms("basic", Division::Quick).len(), 14);
        assert_eq!(forms("basic", Division::Compensated).len(), 13);
        assert_eq!(forms("no such set", Division::Quick), Vec::new());
    }

    #[test]
    fn a_shifted_write_leaves_the_value_of_the_opposite_side() {
        let form = find(&forms("bus", Division::Quick), "bus(XW,r1)");
        assert_eq!(form.slots[0], Slot { file: 1, reads: false, writes: true });
        let tap = ReadTap { slot: 1, offset: [1, 0, 0], coefficient: Rational::integer(-1) };
        assert_eq!(form.results, [FormResult { slot: 0, taps: vec![tap] }]);
    }

    #[test]
    fn one_slot_holds_all_views_of_a_register() {
        let form = find(&forms("bus", Division::Quick), "bus(r0,r1,XE,XW,r2)");
        assert_eq!(form.slots.len(), 3);
        assert_eq!(form.slots[1], Slot { file: 1, reads: true, writes: false });
        assert_eq!(form.results[0].taps.len(), 4);
        assert_eq!(form.differ, [(0, 2)]);
    }

    #[test]
    fn operands_may_share_a_register_where_the_expansion_still_means_the_same() {
        let forms = forms("macro", Division::Quick);
        let differ = |spelling: &str| find(&forms, spelling).differ;
        assert_eq!(differ("mov(r0,r1)"), []);
        assert_eq!(differ("add(r0,r1,r2)"), [(1, 2)]);
        assert_eq!(differ("sub(r0,r1,r2)"), [(0, 2)]);
        assert_eq!(differ("neg(r0,r1)"), [(0, 1)]);
        assert_eq!(differ("divq(r0,r1)"), [(0, 1)]);
        assert_eq!(differ("sub2x(r0,r1,east,north,r2)"), [(0, 2)]);
        assert_eq!(differ("add2x(r0,r1,r2,north,north)"), [(1, 2)]);
        assert_eq!(differ("diva(r0,r1,r2)"), [(0, 1), (0, 2), (1, 2)]);
        assert_eq!(differ("div(r0,r1,r2,r3)").len(), 6);
    }

    #[test]
    fn what_a_macro_leaves_is_shown_where_it_can_be_read() {
        let hidden = find(&forms("macro", Division::Compensated), "div(r0,r1,r2)");
        assert_eq!((hidden.slots.len(), hidden.clobbers), (3, vec![1]));
        let shown = find(&forms("bus", Division::Compensated), "div(r0,r1,r2)");
        assert_eq!((shown.slots.len(), shown.clobbers), (4, vec![]));
        let half = ReadTap { slot: 2, offset: [0; 3], coefficient: Rational::new(-1, 2).unwrap() };
        assert_eq!(shown.results[3], FormResult { slot: 3, taps: vec![half] });
    }

    #[test]
    fn the_same_effect_at_the_same_cost_is_listed_once() {
        let forms = forms("macro", Division::Quick);
        let steps = |form: &&Form| form.instruction == "mov2x";
        // Sixteen pairs of steps: four return to the start, and twelve reach eight places.
        assert_eq!(forms.iter().filter(steps).count(), 8);
        assert!(forms.iter().all(|f| !(f.instruction == "mov" && f.operands.len() == 3)));
    }
}
