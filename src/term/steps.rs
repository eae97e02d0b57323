//! The term of a file as steps, each of which applies a kernel to earlier values.

use std::collections::BTreeMap;

use crate::algebra::{Label, Offset, Placed, Rational, Shape};

use super::{Decomposition, Definition};

/// A kernel applied to earlier values.
#[derive(Debug)]
pub struct Step {
    /// The kernel, over the values that it reads.
    pub kernel: Placed,
    /// The values that it reads: first the inputs of the filter, then the result of each step.
    pub reads: Vec<usize>,
}

/// The term of a file, as steps.
#[derive(Debug)]
pub struct Steps {
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// The kernel of each value over the inputs of the filter.
    pub values: Vec<Placed>,
    /// The value of each output.
    pub outputs: Vec<usize>,
}

impl Steps {
    /// The steps for the outputs; `None` if the file writes each output as one kernel, or if a number leaves the exact range.
    pub fn of(outputs: &[(String, Placed)], written: &[Definition], channels: u16) -> Option<Self> {
        let mut stated = BTreeMap::new();
        for definition in written {
            stated.entry(&definition.whole).or_insert(definition);
        }
        Self::planned(outputs, stated, channels).filter(|plan| plan.steps.len() > outputs.len())
    }

    /// One step for each output; `None` if a number leaves the exact range.
    pub fn one_by_one(outputs: &[(String, Placed)], channels: u16) -> Option<Self> {
        Self::planned(outputs, BTreeMap::new(), channels)
    }

    /// The steps for the outputs from the definitions stated for kernels.
    fn planned(
        outputs: &[(String, Placed)],
        stated: BTreeMap<&Shape, &Definition>,
        channels: u16,
    ) -> Option<Self> {
        let values = (0..channels).map(|channel| Placed::delta(channel, channels)).collect();
        let plan = Self { steps: Vec::new(), values, outputs: Vec::new() };
        let mut planner = Planner { stated, plan, known: BTreeMap::new(), open: Vec::new() };
        let over: Vec<usize> = (0..usize::from(channels)).collect();
        for (_, kernel) in outputs {
            let value = planner.make(kernel, &over)?;
            planner.plan.outputs.push(value);
        }
        Some(planner.plan)
    }
}

impl Steps {
    /// The values that one step reads, and that step nothing else: the links of chains.
    pub fn links(&self) -> Vec<usize> {
        let inputs = self.values.len() - self.steps.len();
        let is_link = |value: &usize| {
            let mut readers = self.steps.iter().filter(|step| step.reads.contains(value));
            let alone = readers.next().is_some_and(|step| step.reads.len() == 1);
            alone && readers.next().is_none() && !self.outputs.contains(value)
        };
        (inputs..self.values.len()).filter(is_link).collect()
    }

    /// The same steps with the negatives of these links; `None` where a number leaves the exact range.
    pub fn negated(&self, links: &[usize]) -> Option<Self> {
        let inputs = self.values.len() - self.steps.len();
        let sign = |kernel: &Placed, negative: bool| {
            if negative { kernel.apply(Label::scaled(Rational::integer(-1))) } else { Some(kernel.clone()) }
        };
        let steps = self.steps.iter().enumerate().map(|(at, Step { kernel, reads })| {
            let reads_link = reads.iter().any(|value| links.contains(value));
            let kernel = sign(kernel, reads_link != links.contains(&(inputs + at)))?;
            Some(Step { kernel, reads: reads.clone() })
        });
        let values = self.values.iter().enumerate();
        let values = values.map(|(value, kernel)| sign(kernel, links.contains(&value)));
        Some(Self {
            steps: steps.collect::<Option<_>>()?,
            values: values.collect::<Option<_>>()?,
            outputs: self.outputs.clone(),
        })
    }
}

struct Planner<'a> {
    /// The definition of each kernel in the file; the outermost one if there are several.
    stated: BTreeMap<&'a Shape, &'a Definition>,
    plan: Steps,
    /// The first value of each kernel applied to values, and its label.
    known: BTreeMap<(Shape, Vec<usize>), (usize, Label)>,
    /// The kernels being made.
    open: Vec<Shape>,
}

impl Planner<'_> {
    /// The value of a kernel applied to the values `over`.
    fn make(&mut self, kernel: &Placed, over: &[usize]) -> Option<usize> {
        let key = (kernel.shape.clone(), over.to_vec());
        if let Some((value, label)) = self.known.get(&key).copied() {
            let Label { scale, offset, .. } = kernel.label.then(label.inverse()?)?;
            return self.step(Placed::from_taps(1, &[(0, offset, scale)])?, vec![value]);
        }
        // A file may define one kernel by another plus a rest, and that one by the first.
        let stated = self.stated.get(&kernel.shape).copied();
        let stated = stated.filter(|_| !self.open.contains(&kernel.shape));
        self.open.push(kernel.shape.clone());
        let value = match stated {
            None => self.step(kernel.clone(), over.to_vec()),
            Some(Definition { way: Decomposition::Compose { label, outer, inner }, labels, .. }) => {
                let first = Placed { label: *labels.get(1)?, shape: inner.clone() };
                let (source, placed) = self.made(&first, over)?;
                let by = kernel.label.then(*label)?.then(placed.inverse()?)?;
                self.make(&Placed { label: by, shape: outer.clone() }, &[source])
            }
            Some(Definition { way: Decomposition::Sum(terms), labels, .. }) => {
                self.sum(kernel.label, terms.iter().zip(labels), over)
            }
        };
        self.open.pop();
        self.known.insert(key, (value?, kernel.label));
        value
    }

    /// A value with the shape of this kernel applied to the values `over`, and the label it has; made at most once.
    fn made(&mut self, kernel: &Placed, over: &[usize]) -> Option<(usize, Label)> {
        let known = self.known.get(&(kernel.shape.clone(), over.to_vec())).copied();
        known.or_else(|| Some((self.make(kernel, over)?, kernel.label)))
    }

    /// A sum of values, each made where the file places it; single taps are added directly.
    fn sum<'d>(
        &mut self,
        label: Label,
        terms: impl Iterator<Item = (&'d (Label, Shape), &'d Label)>,
        over: &[usize],
    ) -> Option<usize> {
        let mut taps: Vec<(usize, Offset, Rational)> = Vec::new();
        for ((by, part), written) in terms {
            let placed = label.then(*by)?;
            if part.tap_count() == 1 {
                for (channel, offset, tap) in (Placed { label: placed, shape: part.clone() }).taps()? {
                    taps.push((over[usize::from(channel)], offset, tap));
                }
            } else {
                let (value, made) = self.made(&Placed { label: *written, shape: part.clone() }, over)?;
                let Label { scale, offset, .. } = placed.then(made.inverse()?)?;
                taps.push((value, offset, scale));
            }
        }
        let mut reads: Vec<usize> = taps.iter().map(|(value, ..)| *value).collect();
        reads.sort_unstable();
        reads.dedup();
        let channel = |value: &usize| reads.iter().position(|read| read == value).unwrap_or(0) as u16;
        let taps: Vec<_> = taps.iter().map(|(value, offset, tap)| (channel(value), *offset, *tap)).collect();
        self.step(Placed::from_taps(reads.len() as u16, &taps)?, reads)
    }

    /// The value of a kernel over `reads`: a new step, unless it equals the one value it reads.
    fn step(&mut self, kernel: Placed, reads: Vec<usize>) -> Option<usize> {
        if let [read] = reads[..]
            && kernel.shape.is_delta()
            && kernel.label == Label::IDENTITY
        {
            return Some(read);
        }
        let mut terms = Vec::new();
        for (channel, offset, scale) in kernel.taps()? {
            let Placed { label, shape } = &self.plan.values[*reads.get(usize::from(channel))?];
            terms.push((label.then(Label::new(scale, offset))?, shape));
        }
        let value = Placed::sum(self.plan.values[0].shape.channels(), terms)?;
        self.plan.values.push(value);
        self.plan.steps.push(Step { kernel, reads });
        Some(self.plan.values.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::Source;
    use crate::term::{filter_placed, kernel_text, read_filter, written};

    /// The steps of a filter, one per line, and their values; checks that they make the outputs.
    fn steps(text: &str) -> Option<String> {
        let filter = read_filter(&Source::new("test.sexp", text.to_owned())).unwrap();
        let (outputs, written) = (filter_placed(&filter).unwrap(), written(&filter).unwrap());
        let plan = Steps::of(&outputs, &written, filter.inputs.len() as u16)?;
        for ((_, kernel), value) in outputs.iter().zip(&plan.outputs) {
            assert_eq!(plan.values[*value], *kernel);
        }
        let line = |step: &Step| format!("{} of {:?}", kernel_text(&step.kernel), step.reads);
        Some(plan.steps.iter().map(line).collect::<Vec<_>>().join("\n"))
    }

    #[test]
    fn factors_follow_one_another_and_sums_read_what_was_made() {
        insta::assert_snapshot!(
            steps(
                "(filter f (inputs in) (let b (kernel (1 2 1)))
               (output out (add (shift 1 0 (compose (kernel (1) (3) (1)) b)) (scale 2 b) (id))))"
            )
            .unwrap()
        );
    }

    #[test]
    fn signs_of_links_change_in_pairs_of_kernels() {
        let text = "(filter f (inputs in) (output out (compose (kernel (1 2 4)) (kernel (1) (3) (2)) (kernel (5 1 7)))))";
        let filter = read_filter(&Source::new("test.sexp", text)).unwrap();
        let (outputs, written) = (filter_placed(&filter).unwrap(), written(&filter).unwrap());
        let plan = Steps::of(&outputs, &written, 1).unwrap();
        let links = plan.links();
        assert_eq!(links.len(), 2, "the last kernel makes the output");
        let negated = plan.negated(&links).unwrap();
        let signs = plan.steps.iter().zip(&negated.steps).map(|(a, b)| a.kernel == b.kernel);
        assert_eq!(signs.collect::<Vec<_>>(), [false, true, false]);
        assert_eq!(negated.values.last(), plan.values.last());
    }

    #[test]
    fn what_is_said_in_a_circle_ends() {
        let text = "(filter f (inputs in) (let k (kernel (1 2 4))) (let y (add k (kernel (1 . .))))
                      (output out (compose (sub y (kernel (1 . .))) y)))";
        insta::assert_snapshot!(steps(text).unwrap());
    }

    #[test]
    fn a_kernel_that_is_written_out_has_no_steps() {
        assert_eq!(steps("(filter f (inputs in) (output out (kernel (1 2 1))))"), None);
    }
}
