//! Filters as pipelines.

use super::kernel::stencil;
use crate::algebra::Rational;
use crate::pipeline::{
    Border, Builder, Input, NodeId, Number, Operation, Output, Pipeline, PixelType, Rounding,
};
use crate::syntax::{Diagnostic, Diagnostics, Span};
use crate::term::{FilterSource, IndexSpace};

/// A filter as a pipeline with the usual border: inputs have pixels of the type given, and results are rounded to the nearest integer,
/// halves up, and have the narrowest type of 8, 16, 32 or 64 bits that holds them.
///
/// # Errors
/// A space other than the grid, an infinite kernel, and what [`Builder::push`] refuses.
///
/// ```
/// use kalg::pipeline::{PixelType, filter_as_pipeline};
/// use kalg::syntax::Source;
/// use kalg::term::read_filter;
/// let filter = read_filter(&Source::new("edge.sexp", "(filter edge (output out (kernel (1 0 -1))))"))?;
/// let pipeline = filter_as_pipeline(&filter, PixelType::Integer { bits: 8, signed: false })?;
/// assert_eq!(pipeline.outputs[0].pixel.to_string(), "int16");
/// # Ok::<(), kalg::syntax::Diagnostics>(())
/// ```
pub fn filter_as_pipeline(filter: &FilterSource, pixel: PixelType) -> Result<Pipeline, Diagnostics> {
    let refused = |why: &str| Diagnostic::error("no-pipeline", why).label(Span::at(0), "this filter");
    if filter.space != IndexSpace::Grid {
        return Err(refused("pipelines have square pixels, and pictures with edges").into());
    }
    if filter.semiring == "or-and" {
        let help = "compare them in a pipeline: `(filter (semiring or-and) KERNEL (> E 0))`";
        return Err(refused("a filter over `or-and` needs pixels that are 0 or 1").help(help).into());
    }
    let input =
        |name: &String| Input { name: name.clone(), span: Span::at(0), pixel, rate: [Rational::ONE; 2] };
    let mut builder = Builder::new(filter.inputs.iter().map(input).collect(), Border::DEFAULT);
    let channels =
        (0..filter.inputs.len()).map(|channel| builder.push(Span::at(0), Operation::Input(channel)));
    let channels: Vec<NodeId> = channels.collect::<Result<_, _>>().map_err(|refused| *refused)?;
    let outputs = (0..filter.outputs.len()).map(|output| made(&mut builder, filter, output, &channels));
    let outputs: Vec<Output> = outputs.collect::<Result<_, _>>()?;
    let named = (filter.name.clone(), filter.doc.clone());
    Ok(builder.finish(named, Vec::new(), outputs, filter.warnings.clone()))
}

/// One output of a filter.
fn made(
    builder: &mut Builder,
    filter: &FilterSource,
    output: usize,
    channels: &[NodeId],
) -> Result<Output, Diagnostics> {
    let (name, span) = (filter.outputs[output].name.clone(), filter.outputs[output].span);
    let alone = FilterSource { outputs: vec![filter.outputs[output].clone()], ..filter.clone() };
    let filtered = Operation::Filter(stencil(&alone, span)?, channels.to_vec());
    let filtered = builder.push(span, filtered);
    let rounded = filtered.and_then(|filtered| match builder.facts(filtered).number {
        Number::Exact(_) => builder.push(span, Operation::Round(Rounding::Up, filtered)),
        Number::Float => Ok(filtered),
    });
    let output = rounded.and_then(|rounded| builder.output((name, span, span), rounded, None, None));
    output.map_err(|refused| (*refused).into())
}
