//! Reads workload files: one `(convolution NAME CLAUSE…)`, described in corpus/README.md.

use super::{Dim, Element, Layout, Layouts, Schedule, Weights, Workload};
use crate::syntax::{Diagnostic, Diagnostics, Expect, Form, Sexp, Source};

const CLAUSES: [&str; 10] =
    ["doc", "type", "output", "filter", "input", "depth-wise", "weights", "shift", "range", "schedule"];
const REQUIRED: [&str; 4] = ["type", "output", "filter", "weights"];
/// The maximum extent of a dimension. No tile of a local memory is larger.
const MAX_EXTENT: i64 = 1 << 16;
/// The maximum number of elements of a tensor: more than any local memory holds.
const MAX_ELEMENTS: usize = 1 << 22;

/// Reads a workload file.
///
/// # Errors
/// Everything that is wrong with it, in file order.
pub fn read_workload(source: &Source) -> Result<Workload, Diagnostics> {
    Expect::file(source, |expect, sexps| Reader { expect }.file(sexps))
}

struct Reader<'a> {
    expect: &'a mut Expect,
}

impl Reader<'_> {
    fn file(&mut self, sexps: &[Sexp]) -> Option<Workload> {
        let Some(first) = sexps.first() else {
            let message = "expected `(convolution NAME CLAUSE…)`, found nothing";
            return self.expect.report(
                Diagnostic::error("unexpected", message)
                    .label(crate::syntax::Span::at(0), "the file is empty"),
            );
        };
        if let Some(second) = sexps.get(1) {
            self.expect.mismatch::<()>("one convolution in a file", second);
        }
        let form = self.expect.form_named("convolution", first)?;
        let Some((name, clauses)) = form.arguments.split_first() else {
            self.expect.arity(&form, 1..=usize::MAX, "(convolution NAME CLAUSE…)");
            return None;
        };
        let name = self.expect.name("the convolution's name", name)?.to_owned();
        let forms = self.clauses(&form, clauses)?;
        let find = |head: &str| forms.iter().find(|f| f.head == head);
        let element = self.element(find("type")?);
        let output = self.extents(find("output")?, Dim::OUTPUT);
        let filter = self.extents(find("filter")?, Dim::REDUCTION);
        let depth_wise = match find("depth-wise") {
            Some(form) => self.expect.arity(form, 0..=0, "(depth-wise)").is_some(),
            None => false,
        };
        let (element, output, filter) = (element?, output?, filter?);
        if depth_wise && filter[3] != 1 {
            let form = find("filter")?;
            let message = "a depth-wise convolution has one input channel for each output channel";
            self.expect.report::<()>(
                Diagnostic::error("depth-wise-channels", message).label(form.span, "leave out `(c …)`"),
            );
        }
        let channels = if depth_wise { output[3] } else { filter[3] };
        let least = [0, 1, 2].map(|d| output[d] + filter[d] - 1);
        let mut input = [least[0], least[1], least[2], channels];
        if let Some(form) = find("input") {
            self.input(form, &mut input, least);
        }
        let mut workload = Workload {
            name,
            doc: String::new(),
            element,
            output,
            filter,
            input,
            laid_out: find("input").is_some(),
            centre: [0, 0],
            depth_wise,
            weights: Weights::RunTime,
            shift: 0,
            range: element.range(),
            tolerance: 0,
            published: None,
        };
        self.sizes(&form, &workload);
        self.rest(&forms, &mut workload);
        Some(workload)
    }

    fn clauses<'a>(&mut self, whole: &Form<'a>, clauses: &'a [Sexp]) -> Option<Vec<Form<'a>>> {
        let mut forms: Vec<Form<'a>> = Vec::new();
        for clause in clauses {
            let Some(clause) = self.expect.known_form("a clause", clause, &CLAUSES) else { continue };
            if let Some(first) = forms.iter().find(|f| f.head == clause.head) {
                let message = format!("the clause `{}` appears twice", clause.head);
                let diagnostic = Diagnostic::error("repeated-clause", message)
                    .label(clause.span, "again here")
                    .label(first.span, "first here");
                self.expect.report::<()>(diagnostic);
            } else {
                forms.push(clause);
            }
        }
        for required in REQUIRED.iter().filter(|r| forms.iter().all(|f| f.head != **r)) {
            let message = format!("a convolution needs a clause `({required} …)`");
            self.expect.report::<()>(
                Diagnostic::error("missing-clause", message).label(whole.head_span, "this one has none"),
            );
        }
        REQUIRED.iter().all(|r| forms.iter().any(|f| f.head == *r)).then_some(forms)
    }

    fn element(&mut self, form: &Form<'_>) -> Option<Element> {
        self.expect.arity(form, 1..=1, "(type int16)")?;
        element(self.expect, &form.arguments[0])
    }

    /// Reads `(HEAD (x 256) (y 16) …)`. Unnamed dimensions have extent 1.
    fn extents(&mut self, form: &Form<'_>, dims: [Dim; 4]) -> Option<[usize; 4]> {
        let mut extents = [1; 4];
        let mut good = self.expect.arity(form, 1..=4, &format!("({} ({} N)…)", form.head, dims[0])).is_some();
        for sexp in form.arguments {
            good &= self.extent(sexp, dims, &mut extents).is_some();
        }
        good.then_some(extents)
    }

    fn extent(&mut self, sexp: &Sexp, dims: [Dim; 4], extents: &mut [usize; 4]) -> Option<()> {
        let form = self.expect.form("a dimension and its extent", sexp)?;
        let head = (form.head, form.head_span);
        let at = self.expect.index_of("unknown-dimension", "dimension", head, dims.map(Dim::name))?;
        self.expect.arity(&form, 1..=1, &format!("({} N)", form.head))?;
        extents[at] = self.expect.integer("an extent", &form.arguments[0], 1..=MAX_EXTENT)? as usize;
        Some(())
    }

    /// Reads the extents of the input, which may be larger than the output needs, never smaller.
    fn input(&mut self, form: &Form<'_>, input: &mut [usize; 4], least: [usize; 3]) {
        let dims = [Dim::X, Dim::Y, Dim::Z, Dim::C];
        let Some(given) = self.extents(form, dims) else { return };
        for at in 0..3 {
            let named =
                form.arguments.iter().find(|s| s.as_form().is_some_and(|f| f.head == dims[at].name()));
            let Some(sexp) = named else { continue };
            if given[at] < least[at] {
                let message = format!(
                    "the input is {} wide in `{}`, and the outputs read {}",
                    given[at], dims[at], least[at]
                );
                self.expect.report::<()>(
                    Diagnostic::error("input-too-small", message)
                        .label(sexp.span, format!("at least {}", least[at])),
                );
            } else {
                input[at] = given[at];
            }
        }
        if let Some(sexp) = form.arguments.iter().find(|s| s.as_form().is_some_and(|f| f.head == "c"))
            && given[3] != input[3]
        {
            let message = format!("the input has {} channels, and the outputs read {}", given[3], input[3]);
            self.expect.report::<()>(
                Diagnostic::error("input-channels", message)
                    .label(sexp.span, format!("expected {}", input[3])),
            );
        }
    }

    fn sizes(&mut self, form: &Form<'_>, workload: &Workload) {
        let product = |sizes: &[usize]| sizes.iter().try_fold(1usize, |n, size| n.checked_mul(*size));
        let weights = [&workload.filter[..], &workload.output[3..]].concat();
        for (what, sizes) in
            [("output", &workload.output[..]), ("input", &workload.input[..]), ("filter", &weights[..])]
        {
            if product(sizes).is_none_or(|n| n > MAX_ELEMENTS) {
                let message = format!("the {what} has more than {MAX_ELEMENTS} elements");
                self.expect.report::<()>(
                    Diagnostic::error("tensor-too-large", message).label(form.head_span, "cut it into tiles"),
                );
            }
        }
    }

    fn rest(&mut self, forms: &[Form<'_>], workload: &mut Workload) {
        for form in forms {
            // If a clause yields nothing, its error is already reported.
            let _read: Option<()> = match form.head {
                "doc" => self.doc(form, workload),
                "weights" => self.weights(form, workload),
                "shift" => self.shift(form, workload),
                "range" => self.range(form, workload),
                "schedule" => self.schedule(form, workload),
                _ => Some(()),
            };
        }
    }

    fn doc(&mut self, form: &Form<'_>, workload: &mut Workload) -> Option<()> {
        self.expect.arity(form, 1..=1, "(doc \"TEXT\")")?;
        workload.doc = self.expect.text("a text", &form.arguments[0])?.to_owned();
        Some(())
    }

    /// Reads `(weights run-time)` or `(weights (known N…))`.
    fn weights(&mut self, form: &Form<'_>, workload: &mut Workload) -> Option<()> {
        self.expect.arity(form, 1..=1, "(weights run-time)")?;
        let what = "`run-time` or `(known N…)`";
        if let Some(word) = form.arguments[0].as_atom() {
            return if word == "run-time" {
                Some(())
            } else {
                self.expect.mismatch(what, &form.arguments[0])
            };
        }
        let Some(known) = form.arguments[0].as_form().filter(|f| f.head == "known") else {
            return self.expect.mismatch(what, &form.arguments[0]);
        };
        let count = workload.filter.iter().product::<usize>() * workload.output[3];
        if known.arguments.len() != count {
            let message = format!("expected {count} weights, found {}", known.arguments.len());
            return self.expect.report(
                Diagnostic::error("weight-count", message)
                    .label(known.span, "one for each place of the filter, `k c t s r`, `r` innermost"),
            );
        }
        let [least, greatest] = workload.element.range();
        let mut values = Vec::with_capacity(count);
        for sexp in known.arguments {
            values.push(self.expect.integer("a weight of the workload's type", sexp, least..=greatest)?);
        }
        workload.weights = Weights::Known(values);
        Some(())
    }

    fn shift(&mut self, form: &Form<'_>, workload: &mut Workload) -> Option<()> {
        self.expect.arity(form, 1..=1, "(shift BITS)")?;
        workload.shift = self.expect.integer("a number of bits", &form.arguments[0], 0..=47)? as u32;
        Some(())
    }

    fn range(&mut self, form: &Form<'_>, workload: &mut Workload) -> Option<()> {
        self.expect.arity(form, 2..=2, "(range LEAST GREATEST)")?;
        let [least, greatest] = workload.element.range();
        let low =
            self.expect.integer("a value of the workload's type", &form.arguments[0], least..=greatest)?;
        let high = self.expect.integer("a value not below the least", &form.arguments[1], low..=greatest)?;
        workload.range = [low, high];
        Some(())
    }

    /// Reads `(schedule (vector x) (unroll (y 4)) (order y x) (layouts "YX" "SR" "Y'X'"))`.
    fn schedule(&mut self, form: &Form<'_>, workload: &mut Workload) -> Option<()> {
        const KNOWN: [&str; 4] = ["vector", "unroll", "order", "layouts"];
        let usage = "(schedule (vector x) (unroll (y 4)) (order y x) (layouts \"YX\" \"SR\" \"Y'X'\"))";
        let mut vector = None;
        let mut unroll = [1; 4];
        let mut order = Vec::new();
        let mut layouts = None;
        for sexp in form.arguments {
            let clause = self.expect.form("a clause of a schedule", sexp)?;
            match clause.head {
                "vector" => {
                    self.expect.arity(&clause, 1..=1, "(vector x)")?;
                    vector = Some(self.output_dim(&clause.arguments[0])?);
                }
                "unroll" => unroll = self.extents(&clause, Dim::OUTPUT)?,
                "order" => {
                    for dim in clause.arguments {
                        let found = self.output_dim(dim)?;
                        if order.contains(&found) {
                            return self.expect.mismatch("a loop that is not named yet", dim);
                        }
                        order.push(found);
                    }
                }
                "layouts" => {
                    self.expect.arity(&clause, 3..=3, "(layouts \"OUTPUT\" \"WEIGHTS\" \"INPUT\")")?;
                    layouts = Some(self.layouts(&clause, workload)?);
                }
                _ => return self.expect.unknown_form(&clause, KNOWN),
            }
        }
        let (Some(vector), Some(layouts), false) = (vector, layouts, order.is_empty()) else {
            let message = "a schedule needs `vector`, `order` and `layouts`";
            return self.expect.report(
                Diagnostic::error("missing-clause", message).label(form.span, format!("expected `{usage}`")),
            );
        };
        if let Some(missing) = Dim::OUTPUT.iter().find(|d| workload.extent(**d) > 1 && !order.contains(*d)) {
            let message = format!("the loop `{missing}` is not in the order of the schedule");
            return self.expect.report(
                Diagnostic::error("missing-loop", message)
                    .label(form.span, "expected every loop over outputs"),
            );
        }
        workload.published = Some(Schedule { vector, unroll, order, layouts });
        Some(())
    }

    fn output_dim(&mut self, sexp: &Sexp) -> Option<Dim> {
        let name = (self.expect.name("a loop over outputs", sexp)?, sexp.span);
        let known = Dim::OUTPUT.map(Dim::name);
        let at = self.expect.index_of("unknown-dimension", "loop over outputs", name, known)?;
        Some(Dim::OUTPUT[at])
    }

    fn layouts(&mut self, form: &Form<'_>, workload: &Workload) -> Option<Layouts> {
        let channel = Dim::C;
        let mut read = |at: usize, dims: Vec<(Dim, usize)>| -> Option<Layout> {
            let sexp = &form.arguments[at];
            let text = self.expect.text("a layout as a text", sexp)?;
            let layout: Layout = match text.parse() {
                Ok(layout) => layout,
                Err(error) => {
                    let message = format!("`{text}` is not a valid layout");
                    return self.expect.report(
                        Diagnostic::error("bad-layout", message).label(sexp.span, format!("{error}")),
                    );
                }
            };
            let left_out = dims.iter().find(|(dim, extent)| *extent > 1 && !layout.covers([*dim]));
            match left_out {
                None => Some(layout),
                Some((dim, _)) => {
                    let message = format!("the layout `{text}` leaves out the dimension `{dim}`");
                    self.expect
                        .report(Diagnostic::error("bad-layout", message).label(sexp.span, "in this layout"))
                }
            }
        };
        let outputs = Dim::OUTPUT.map(|dim| (dim, workload.extent(dim))).to_vec();
        let mut weights = Dim::REDUCTION.map(|dim| (dim, workload.extent(dim))).to_vec();
        weights.push((Dim::K, workload.extent(Dim::K)));
        let inputs = [Dim::X, Dim::Y, Dim::Z, channel].into_iter().zip(workload.input).collect();
        Some(Layouts { output: read(0, outputs)?, weights: read(1, weights)?, input: read(2, inputs)? })
    }
}

/// Reads the name of an element type.
pub(in crate::backend::vector) fn element(expect: &mut Expect, sexp: &Sexp) -> Option<Element> {
    let name = (expect.name("an element type", sexp)?, sexp.span);
    let known = Element::ALL.map(Element::name);
    expect.index_of("unknown-type", "element type", name, known).map(|at| Element::ALL[at])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(text: &str) -> Vec<(&'static str, usize)> {
        let source = Source::new("test", text);
        let diagnostics = read_workload(&source).unwrap_err();
        diagnostics.iter().map(|d| (d.id, source.position(d.place().start as usize).column)).collect()
    }

    #[test]
    fn what_is_not_said_follows() {
        let text =
            "(convolution a (type int32) (output (x 8) (k 4)) (filter (r 3) (c 2)) (weights run-time))";
        let workload = read_workload(&Source::new("test", text)).unwrap();
        assert_eq!((workload.output, workload.input), ([8, 1, 1, 4], [10, 1, 1, 2]));
        assert_eq!(workload.macs(), 8 * 4 * 6);
        assert_eq!(workload.range, [-1 << 31, (1 << 31) - 1]);
    }

    #[test]
    fn mistakes_have_their_places() {
        assert_eq!(wrong(""), [("unexpected", 1)]);
        assert_eq!(wrong("(convolution a (type int16))"), [("missing-clause", 2); 3]);
        let with = |clauses: &str| {
            format!("(convolution a (type int16) (output (x 8)) (filter (r 3)) {clauses} (weights run-time))")
        };
        assert_eq!(wrong(&with("(input (x 9))")), [("input-too-small", 66)]);
        assert_eq!(wrong(&with("(inputs (x 9))")), [("unknown-form", 60)]);
        assert_eq!(wrong(&with("(schedule (vector r))")), [("unknown-dimension", 77)]);
        let schedule = "(schedule (vector x) (order x) (layouts \"X\" \"S\" \"X'\"))";
        assert_eq!(wrong(&with(schedule)), [("bad-layout", 103)]);
        assert_eq!(wrong(&with("(depth-wise) (depth-wise)")), [("repeated-clause", 72)]);
        let known = "(convolution a (type int8) (output (x 8)) (filter (r 3)) (weights (known 1 200 1)))";
        assert_eq!(wrong(known), [("out-of-range", 76)]);
    }
}
