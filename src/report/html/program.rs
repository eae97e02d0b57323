//! A program for registers as a page: its lines, every register with its kernel and its picture, and the values as a graph.

use serde::Serialize;

use super::{SIMULATION, page};
use crate::report::text::paragraphs;
use crate::report::{OptimizeRecord, equation, svg};

/// The data of the page.
#[derive(Serialize)]
struct Data<'a> {
    record: &'a OptimizeRecord,
    /// Paragraphs about the program as a whole.
    facts: Vec<String>,
    /// Each value of the decomposition as an equation.
    equations: Vec<String>,
    /// The values as a picture.
    graph: String,
}

/// The page of a program; empty if there is none.
pub fn program_page(record: &OptimizeRecord) -> String {
    if record.program.is_none() {
        return String::new();
    }
    let data = Data {
        record,
        facts: paragraphs(record),
        equations: (0..record.decomposition.len()).map(|step| equation(record, step)).collect(),
        graph: svg(record),
    };
    page(&record.filter, &[&SIMULATION[..], &[include_str!("program.js")]].concat(), &data)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn a_program_has_a_page_with_its_record() {
        let record = sample::sobel();
        let page = program_page(&record);
        let (_, data) = page.split_once("id=\"data\">").unwrap();
        let (data, _) = data.split_once("</script>").unwrap();
        let data: serde_json::Value = serde_json::from_str(data).unwrap();
        assert_eq!(serde_json::from_value::<OptimizeRecord>(data["record"].clone()).unwrap(), record);
        assert_eq!(data["equations"][5], "v5 = -(v4 + v3[west])");
        assert!(data["facts"][1].as_str().unwrap().starts_with("Cost: 5 instructions"), "{}", data["facts"]);
        assert_eq!(program_page(&sample::none()), "");
    }
}
