//! Filters over volumes as filters over their planes.

use super::Filter;
use crate::algebra::{AlgebraError, Kernel, Semiring};

impl<S: Semiring> Filter<S> {
    /// The filter over planes. Each plane that an output reads, n above or below its own, becomes an input `NAME-up-n`
    /// or `NAME-down-n`; the output's own plane keeps the name of the input. Kernels within a plane are unchanged.
    ///
    /// # Errors
    /// [`AlgebraError::RepeatedChannel`] if an input has the name of a plane of another input.
    pub fn by_planes(&self) -> Result<Self, AlgebraError> {
        let mut planes: Vec<(String, usize, i32)> = Vec::new();
        for (input, name) in self.inputs.iter().enumerate() {
            let touched = self.rows().flat_map(|(_, kernels)| kernels[input].taps()).map(|(at, _)| at[2]);
            let mut heights: Vec<i32> = touched.collect();
            heights.sort_unstable();
            heights.dedup();
            if heights.is_empty() {
                heights.push(0);
            }
            planes.extend(heights.into_iter().map(|height| {
                let name = match height.signum() {
                    0 => name.clone(),
                    1 => format!("{name}-up-{height}"),
                    _ => format!("{name}-down-{}", height.unsigned_abs()),
                };
                (name, input, height)
            }));
        }
        let names = planes.iter().map(|(name, ..)| name.clone());
        let mut flat = Self::zero(names, self.outputs.clone())?;
        for (row, (_, kernels)) in self.rows().enumerate() {
            for (column, (_, input, height)) in planes.iter().enumerate() {
                let taps = kernels[*input].taps().filter(|(at, _)| at[2] == *height);
                let taps: Vec<_> = taps.map(|([x, y, _], value)| ([x, y, 0], value)).collect();
                *flat.entry_mut(row, column) = Kernel::from_taps(&taps)?;
            }
        }
        Ok(flat)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::{PlusTimes, Rational};

    #[test]
    fn a_volume_is_read_plane_by_plane() {
        let number = Rational::integer;
        let kernel = |taps: &[([i32; 3], i64)]| {
            let taps: Vec<_> = taps.iter().map(|(at, value)| (*at, number(*value))).collect();
            Kernel::<PlusTimes>::from_taps(&taps).unwrap()
        };
        let volume = Filter::row(
            "out",
            [
                ("a", kernel(&[([0, 0, -1], 3), ([1, 0, 0], 5), ([0, 2, 2], 7)])),
                ("b", kernel(&[([0, 0, 1], 2)])),
            ],
        )
        .unwrap();
        let flat = volume.by_planes().unwrap();
        assert_eq!(flat.inputs(), ["a-down-1", "a", "a-up-2", "b-up-1"]);
        assert_eq!(flat.kernel("out", "a-up-2"), Some(&kernel(&[([0, 2, 0], 7)])));
        assert_eq!(flat.kernel("out", "b-up-1"), Some(&kernel(&[([0, 0, 0], 2)])));
        assert_eq!(flat.by_planes().unwrap(), flat);
    }
}
