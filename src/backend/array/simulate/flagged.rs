//! The array with one-bit registers and a flag: executes effects, whose analogue part is left to [`PixelArray`].

use super::pixel_array::{Options, PixelArray, SimError};
use crate::backend::array::machine::{
    Access, BitId, Cause, Cell, Effect, Formula, RegisterId, Target, Transfer,
};
use crate::picture::Image;

/// The values that stand for 0 and 1 in the image of a bit: black and white.
const SHOWN: [f64; 2] = [-128.0, 127.0];

/// A processor array with bits. Bits are 0 at the start, the flag 1.
#[derive(Clone, Debug)]
pub struct FlaggedArray<'a> {
    target: &'a Target,
    size: [usize; 2],
    planes: PixelArray,
    bits: Vec<Vec<bool>>,
}

impl<'a> FlaggedArray<'a> {
    /// An array whose elements have `registers` registers, all holding 0.
    pub fn new(target: &'a Target, registers: usize, size: [usize; 2], options: Options) -> Self {
        let planes = PixelArray::new(registers, size, 0.0, options);
        let mut bits = vec![vec![false; size[0] * size[1]]; target.bits.len()];
        if let Some(flag) = target.flag() {
            bits[flag.0].fill(true);
        }
        Self { target, size, planes, bits }
    }

    /// Puts an image into a register, or its positive pixels as ones into a bit.
    ///
    /// # Errors
    /// [`SimError::ImageSize`].
    pub fn set(&mut self, cell: Cell, image: &Image) -> Result<(), SimError> {
        match cell {
            Cell::Register(register) => self.planes.set(register, image),
            Cell::Bit(bit) => {
                let found = [image.width(), image.height()];
                if found != self.size {
                    return Err(SimError::ImageSize { expected: self.size, found });
                }
                self.bits[bit.0] = image.pixels().iter().map(|value| *value > 0.0).collect();
                Ok(())
            }
        }
    }

    /// The contents of a register; of a bit, black and white.
    pub fn image(&self, cell: Cell) -> Image {
        match cell {
            Cell::Register(register) => self.planes.image(register),
            Cell::Bit(bit) => self.picture(&self.bits[bit.0]),
        }
    }

    /// A bit of every element, row by row from the south.
    pub fn bit(&self, bit: BitId) -> &[bool] {
        &self.bits[bit.0]
    }

    fn picture(&self, bits: &[bool]) -> Image {
        let pixels = bits.iter().map(|bit| SHOWN[usize::from(*bit)]).collect();
        Image::from_pixels(self.size[0], self.size[1], pixels).expect("a plane has the array's size")
    }

    /// Executes effects in order.
    ///
    /// # Errors
    /// [`SimError::Inexact`] for a process that no exact rule describes.
    pub fn execute(&mut self, effects: &[Effect]) -> Result<(), SimError> {
        for effect in effects {
            match effect {
                Effect::Transfer(transfer) => self.transfer(transfer),
                Effect::Bits { sets, flood } => while self.assign(sets) && *flood {},
                Effect::Number { register, value } => {
                    let [width, height] = self.size;
                    let number = Image::filled(width, height, *value as f64);
                    let old = self.planes.image(*register);
                    self.planes.set(*register, &number)?;
                    if self.target.given(*register).is_none() {
                        self.keep_unflagged(*register, &old);
                    }
                }
                // What an instruction leaves without saying so is what the steps before it left.
                Effect::Unknown { cause: Cause::Unspecified, .. } => {}
                Effect::Unknown { cause: Cause::Inexact(what), .. } => {
                    return Err(SimError::Inexact { what: what.clone() });
                }
            }
        }
        Ok(())
    }

    /// A transfer: where the flag is 0, registers keep their values.
    fn transfer(&mut self, transfer: &Transfer) {
        if self.partial_flag().is_none() {
            return self.planes.execute(std::slice::from_ref(transfer));
        }
        let old: Vec<(RegisterId, Image)> =
            transfer.writes.iter().map(|write| (write.register, self.planes.image(write.register))).collect();
        self.planes.execute(std::slice::from_ref(transfer));
        for (register, old) in old {
            self.keep_unflagged(register, &old);
        }
    }

    /// The flag, unless it is 1 everywhere.
    fn partial_flag(&self) -> Option<&[bool]> {
        let flag = self.target.flag().map(|flag| self.bits[flag.0].as_slice());
        flag.filter(|flag| !flag.iter().all(|f| *f))
    }

    /// Puts back what a register held where the flag is 0.
    fn keep_unflagged(&mut self, register: RegisterId, old: &Image) {
        let Some(flag) = self.partial_flag() else { return };
        let new = self.planes.image(register);
        let values = flag.iter().zip(new.pixels().iter().zip(old.pixels()));
        let kept = values.map(|(flag, (new, old))| if *flag { *new } else { *old }).collect();
        let [width, height] = self.size;
        let kept = Image::from_pixels(width, height, kept).expect("a plane has the array's size");
        self.planes.set(register, &kept).expect("a plane has the array's size");
    }

    /// All bits take the values of their formulas where their gates are 1; returns whether any changed.
    fn assign(&mut self, sets: &[(BitId, Formula)]) -> bool {
        let new: Vec<Vec<bool>> = sets.iter().map(|(_, formula)| self.evaluate(formula)).collect();
        let gate = |bit: BitId| self.target.bits[bit.0].gate.map(|gate| self.bits[gate.0].clone());
        let gates: Vec<Option<Vec<bool>>> = sets.iter().map(|(bit, _)| gate(*bit)).collect();
        let mut changed = false;
        for (((bit, _), new), gate) in sets.iter().zip(new).zip(gates) {
            for (place, (old, new)) in self.bits[bit.0].iter_mut().zip(new).enumerate() {
                if gate.as_ref().is_none_or(|gate| gate[place]) {
                    changed |= *old != new;
                    *old = new;
                }
            }
        }
        changed
    }

    fn evaluate(&self, formula: &Formula) -> Vec<bool> {
        let places = self.size[0] * self.size[1];
        match formula {
            Formula::Constant(value) => vec![*value; places],
            Formula::Bit { bit, offset, beyond } => (0..places)
                .map(|place| self.seen(place, offset).map_or(*beyond, |seen| self.bits[bit.0][seen]))
                .collect(),
            Formula::Positive(sources) => self.positive(sources),
            Formula::Not(inner) => self.evaluate(inner).into_iter().map(|value| !value).collect(),
            Formula::And(terms) => self.folded(terms, true, |one, other| one && other),
            Formula::Or(terms) => self.folded(terms, false, |one, other| one || other),
        }
    }

    fn folded(&self, terms: &[Formula], from: bool, join: fn(bool, bool) -> bool) -> Vec<bool> {
        let mut values = vec![from; self.size[0] * self.size[1]];
        for term in terms {
            for (value, other) in values.iter_mut().zip(self.evaluate(term)) {
                *value = join(*value, other);
            }
        }
        values
    }

    fn positive(&self, sources: &[Access]) -> Vec<bool> {
        let mut sums = vec![0.0; self.size[0] * self.size[1]];
        for source in sources {
            let image = self.planes.image(source.register);
            for (place, sum) in sums.iter_mut().enumerate() {
                *sum += self.seen(place, &source.offset).map_or(0.0, |seen| image.pixels()[seen]);
            }
        }
        sums.into_iter().map(|sum| sum > 0.0).collect()
    }

    /// The element at an offset from another; `None` beyond the edge.
    fn seen(&self, place: usize, [dx, dy, dz]: &[i32; 3]) -> Option<usize> {
        let [width, height] = self.size;
        let x = (place % width).checked_add_signed(*dx as isize).filter(|x| *x < width)?;
        let y = (place / width).checked_add_signed(*dy as isize).filter(|y| *y < height)?;
        (*dz == 0).then_some(y * width + x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::array::machine::builtin_names;
    use crate::syntax::Source;

    /// The bit or register `name` after a program, with the image in register 0, as rows from the south.
    fn after(text: &str, name: &str) -> Vec<f64> {
        let target = Target::builtin(builtin_names()[0]).unwrap();
        let program = target.parse(&Source::new("t", text)).unwrap().program;
        let mut array = FlaggedArray::new(&target, target.registers.len(), [3, 2], Options::default());
        let image = Image::from_pixels(3, 2, vec![-2.0, 1.0, 3.0, 0.0, 5.0, -4.0]).unwrap();
        array.set(Cell::Register(RegisterId(0)), &image).unwrap();
        for instruction in &program.instructions {
            array.execute(&target.effects(instruction).unwrap()).unwrap();
        }
        match target.cell(name).unwrap() {
            Cell::Bit(bit) => array.bit(bit).iter().map(|bit| f64::from(u8::from(*bit))).collect(),
            cell => array.image(cell).pixels().to_vec(),
        }
    }

    #[test]
    fn a_flag_keeps_registers_and_no_bits() {
        assert_eq!(after("where(A); MOV(R5, FLAG); SET(R6); all();", "R5"), [0.0, 1.0, 1.0, 0.0, 1.0, 0.0]);
        assert_eq!(after("where(A); SET(R6);", "R6"), [1.0; 6]);
        assert_eq!(after("res(B); where(A); mov(B, A); all();", "B"), [0.0, 1.0, 3.0, 0.0, 5.0, 0.0]);
        assert_eq!(after("abs(B, A);", "B"), [2.0, 1.0, 3.0, 0.0, 5.0, 4.0]);
        // NEWS keeps its zeros where the flag is 0, so the second step reads them.
        assert_eq!(
            after("bus(NEWS); where(A); bus(NEWS, A); all(); bus(B, XE);", "B"),
            [1.0, 3.0, 0.0, 5.0, 0.0, 0.0]
        );
    }

    #[test]
    fn neighbours_beyond_the_edge_are_what_the_operation_says() {
        assert_eq!(
            after("SET(R4, R5); CLR(R1, R2, R3); DNEWS0(R6, R5);", "R6"),
            [1.0, 1.0, 0.0, 1.0, 1.0, 0.0]
        );
        assert_eq!(after("CLR(R5); DNEWS(R6, R5, south|west, 1);", "R6"), [1.0, 1.0, 1.0, 1.0, 0.0, 0.0]);
    }

    #[test]
    fn a_gate_protects_its_bit_and_a_flood_stays_inside_it() {
        assert_eq!(after("CLR(R0); SET(R12);", "R12"), [0.0; 6]);
        let text = "where(A); SET(R0); CLR(R12); MOV(R5, FLAG); MOV(R0, R5); PROP1(); all();";
        assert_eq!(after(text, "R12"), [0.0, 1.0, 1.0, 0.0, 1.0, 0.0]);
        assert_eq!(after("SET(R0); CLR(R12); PROP0();", "R12"), [0.0; 6]);
    }

    #[test]
    fn numbers_and_what_is_not_exact() {
        assert_eq!(after("scamp5_load_in(-7); mov(B, IN);", "B"), [-7.0; 6]);
        let masked = "scamp5_in(B, 2); where(A); scamp5_in(B, 7); scamp5_load_in(3); all(); mov(C, IN);";
        assert_eq!(after(masked, "B"), [2.0, 7.0, 7.0, 2.0, 7.0, 2.0]);
        assert_eq!(after(masked, "C"), [3.0; 6], "the flag does not matter to what is set from outside");
        let target = Target::builtin(builtin_names()[0]).unwrap();
        let program = target.parse(&Source::new("t", "gauss(B, A, 3);")).unwrap().program;
        let effects = target.effects(&program.instructions[0]).unwrap();
        let mut array = FlaggedArray::new(&target, target.registers.len(), [3, 2], Options::default());
        let inexact = SimError::Inexact { what: "an asynchronous blur".to_owned() };
        assert_eq!(array.execute(&effects), Err(inexact));
    }
}
