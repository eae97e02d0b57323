//! Images that lie in one array, such as the planes of several outputs: each is an array of its own after the array is divided.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::memory::Array;
use super::run::Execution;
use super::sum::Symbol;

impl Execution {
    /// Divides an array at these elements, each greater than zero. The array itself keeps what comes before the first of them. What
    /// begins at element `n` of `a` is named `a+n`, counts from zero, and comes after all other arrays.
    pub fn divide(&mut self, array: usize, firsts: &BTreeSet<i64>) {
        let others = self.arrays.len();
        // The number of the part in which an element lies, and its index there.
        let place = |index: i64| match firsts.range(..=index).next_back() {
            Some(first) => (firsts.range(..=first).count(), index - first),
            None => (0, index),
        };
        let moved = |symbol: Symbol| match place(symbol.index) {
            (part @ 1.., index) if symbol.array == array => Symbol { array: others + part - 1, index },
            _ => symbol,
        };
        for sum in self.arrays.iter_mut().flat_map(|array| array.contents.values_mut()) {
            if sum.symbols().any(|symbol| moved(symbol) != symbol) {
                *sum = Rc::new(sum.renamed(moved));
            }
        }
        let whole = &mut self.arrays[array];
        let (contents, stores) = (std::mem::take(&mut whole.contents), std::mem::take(&mut whole.stores));
        let mut parts = vec![whole.clone()];
        parts.extend(firsts.iter().map(|first| Array {
            name: format!("{}+{first}", whole.name),
            part_of: Some(array),
            length: whole.length.map(|length| (length - first).max(0)),
            ..whole.clone()
        }));
        for (index, sum) in contents {
            let (part, index) = place(index);
            parts[part].contents.insert(index, sum);
        }
        for (index, span) in stores {
            let (part, index) = place(index);
            parts[part].stores.insert(index, span);
        }
        self.arrays[array] = parts.remove(0);
        let steps = self.steps[array].clone();
        self.steps.extend(std::iter::repeat_n(steps, parts.len()));
        self.arrays.extend(parts);
    }
}
