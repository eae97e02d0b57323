//! A whole program that was shortened, with what its page needs: both programs, step by step.

use std::sync::Arc;

use super::compile::{CheckRequest, Judged, check_guarded, walk};
use super::machine::{Listing, Reading, Target, read_listing};
use crate::backend::Record;
use crate::report::{Port, ShortenedRecord, WalkRecord, shortened_page};
use crate::syntax::Source;

/// A program that was shortened.
pub(super) struct Whole {
    pub(super) target: Arc<Target>,
    pub(super) source: Source,
    pub(super) listing: Listing,
    pub(super) record: ShortenedRecord,
}

impl Record for Whole {
    fn text(&self, _verbose: bool) -> String {
        self.record.text()
    }

    fn emit(&self, form: &str) -> Option<String> {
        match form {
            "json" => Some(self.record.to_json()),
            "code" => Some(self.record.code()),
            "html" => Some(self.page()),
            _ => None,
        }
    }

    fn cost(&self) -> Option<f64> {
        let instructions = self.record.objective == "instructions";
        Some(f64::from(if instructions { self.record.instructions } else { self.record.cycles }))
    }
}

impl Whole {
    fn page(&self) -> String {
        let given = self.steps(&self.source, self.listing.clone(), &[]);
        let new = given.as_ref().and_then(|given| self.new_steps(&given.inputs));
        shortened_page(&self.record, new.as_ref(), given.as_ref())
    }

    /// The steps of the new program, with the inputs where the given one has them. A call that loads an image belongs to it here.
    fn new_steps(&self, inputs: &[Port]) -> Option<WalkRecord> {
        let own = self.record.changes.iter().filter(|change| change.sign != "-");
        let lines: Vec<&str> = own.map(|change| change.instruction.as_str()).collect();
        let source = Source::new(self.source.name(), lines.join("\n"));
        let listing = read_listing(&self.target, &source, &Reading::default()).ok()?;
        self.steps(&source, listing, inputs)
    }

    /// The steps of a program; `None` if it cannot be followed.
    fn steps(&self, source: &Source, listing: Listing, inputs: &[Port]) -> Option<WalkRecord> {
        let port = |port: &Port| Some((port.name.clone(), port.register.clone()?));
        let request = CheckRequest {
            inputs: inputs.iter().filter_map(port).collect(),
            ..CheckRequest::new(source.clone(), Arc::clone(&self.target), Reading::default())
        };
        let checked = check_guarded(&request, listing).ok()?;
        walk(&self.target, &Judged::Guarded(Box::new(checked))).ok()
    }
}
