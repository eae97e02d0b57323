//! Comparisons of kalg with other compilers: the file with their results, the records and the tables.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::parts::Figure;
use super::record::OptimizeRecord;

/// The results of other compilers for some filters, as read from a file.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Baselines {
    /// How the figures were measured.
    #[serde(default)]
    pub about: String,
    /// The filters.
    pub kernels: Vec<Baseline>,
}

/// One filter and the programs that are known for it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Baseline {
    /// The filter's name.
    pub name: String,
    /// The kernel file, seen from the folder of this file; `None` if the outputs are given here.
    #[serde(default)]
    pub file: Option<String>,
    /// The outputs, all of one input; empty if there is a kernel file.
    #[serde(default)]
    pub outputs: Vec<BaselineOutput>,
    /// The results by compiler and instruction set; the best that is known of kalg's own by the title of the comparison.
    pub results: std::collections::BTreeMap<String, BaselineResult>,
}

/// One kernel: its value is matrix / 2^`scale_log2`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct BaselineOutput {
    /// Rows of weights, the first row north; the origin is column ⌊width / 2⌋, row ⌊height / 2⌋.
    pub matrix: Vec<Vec<i64>>,
    /// The binary logarithm of the weights' common denominator.
    #[serde(default)]
    pub scale_log2: u32,
}

/// A program of another compiler.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct BaselineResult {
    /// Its instructions.
    pub instructions: u32,
    /// Its cycles, if it is legal code for the target.
    pub cycles: Option<u32>,
    /// Whether it is correct and obeys the rules of the machine.
    #[serde(default)]
    pub correct_and_legal: bool,
    /// The program; empty if only its cost is known.
    #[serde(default)]
    pub program: Vec<String>,
    /// The registers of the inputs, in order; empty if only the cost is known.
    #[serde(default)]
    pub inputs: Vec<String>,
    /// The registers of the outputs, in order.
    #[serde(default)]
    pub outputs: Vec<String>,
    /// A proved lower bound of the cost that the comparison measures.
    #[serde(default)]
    pub bound: Option<u32>,
}

impl Baseline {
    /// The filter as the text of a kernel file, if the outputs are given here.
    pub fn kernel_file(&self) -> String {
        let mut text = format!("(filter {} (inputs image)", quoted(&self.name));
        for (index, output) in self.outputs.iter().enumerate() {
            let name = if self.outputs.len() == 1 { "out".to_owned() } else { format!("out{index}") };
            let (width, height) = (output.matrix.first().map_or(0, Vec::len), output.matrix.len());
            let _ = write!(
                text,
                "\n  (output {name} (scale 1/{} (kernel (origin {} {})",
                1u64 << output.scale_log2.min(62),
                width / 2,
                height / 2
            );
            for row in &output.matrix {
                let row: Vec<String> = row.iter().map(i64::to_string).collect();
                let _ = write!(text, "\n    ({})", row.join(" "));
            }
            text.push_str(")))");
        }
        text.push_str(")\n");
        text
    }
}

/// A name in the syntax of kernel files; invalid characters become hyphens.
fn quoted(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '-' }).collect()
}

/// One way to compile: an instruction set, a way to halve, and the results to compare with.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The title.
    pub title: String,
    /// The instruction set.
    pub isa: String,
    /// The way to halve, as the target names it; `None` for the default.
    pub division: Option<String>,
    /// The quantity compared.
    pub measure: Measure,
    /// The names of the results to compare with; the lowest counts.
    pub against: Vec<String>,
}

/// A quantity to compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Measure {
    /// Cycles of the program.
    Cycles,
    /// Instructions of the program as written.
    Instructions,
}

impl Comparison {
    /// The name and cost of the lowest legal result that this comparison considers: of those that it names, and the best known.
    pub fn rival<'a>(&self, baseline: &'a Baseline) -> Option<(&'a str, u32)> {
        let cost = |result: &BaselineResult| match self.measure {
            _ if !result.correct_and_legal => None,
            Measure::Cycles => result.cycles,
            Measure::Instructions => Some(result.instructions),
        };
        let known = |name: &String| self.against.contains(name) || *name == self.title;
        let results = baseline.results.iter().filter(|(name, _)| known(name));
        results.filter_map(|(name, r)| Some((name.as_str(), cost(r)?))).min_by_key(|(_, cost)| *cost)
    }
}

/// A filter compiled for a comparison.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ComparedRecord {
    /// The comparison's title.
    pub comparison: String,
    /// The filter's name in the file.
    pub kernel: String,
    /// The name of the lowest legal result; `null` if there is none.
    pub rival: Option<String>,
    /// The cost of that result.
    pub rival_cost: Option<u32>,
    /// The cost of kalg's program.
    pub cost: Option<u32>,
    /// kalg's cost over the rival's.
    pub ratio: Option<Figure>,
    /// The time until kalg had a program that costs no more than the rival's, in seconds; `null` if it never had one.
    pub seconds_to_rival: Option<Figure>,
    /// kalg's full record of the filter.
    pub result: OptimizeRecord,
}

impl ComparedRecord {
    /// Joins a record with the result that it is compared with.
    pub fn new(comparison: &Comparison, baseline: &Baseline, result: OptimizeRecord) -> Self {
        let rival = comparison.rival(baseline);
        let cost = match comparison.measure {
            Measure::Cycles => result.cycles,
            Measure::Instructions => result.instructions,
        };
        let rival_cost = rival.map(|(_, cost)| cost);
        let reached = |rival: u32| {
            let attempts = result
                .attempts
                .iter()
                .filter(|attempt| attempt.cycles.or(attempt.instructions).is_some_and(|cost| cost <= rival));
            attempts.map(|attempt| attempt.seconds.get()).min_by(f64::total_cmp).map(Figure::new)
        };
        Self {
            comparison: comparison.title.clone(),
            kernel: baseline.name.clone(),
            rival: rival.map(|(name, _)| name.to_owned()),
            rival_cost,
            cost,
            ratio: cost.zip(rival_cost).map(|(own, rival)| Figure::new(f64::from(own) / f64::from(rival))),
            seconds_to_rival: rival_cost.and_then(reached),
            result,
        }
    }

    /// The proved lower bound of the cost, if it is above 0.
    fn bound(&self) -> Option<u32> {
        let proved = if self.result.optimal == Some(true) { self.cost } else { self.result.lower_bound };
        proved.filter(|bound| *bound > 0)
    }
}

/// The summary of one comparison.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ComparedSummary {
    /// The comparison's title.
    pub comparison: String,
    /// Filters with a rival and a program.
    pub compared: usize,
    /// Filters for which kalg found no program.
    pub without_program: usize,
    /// The geometric mean of kalg's cost over the rival's.
    pub geometric_mean: Option<Figure>,
    /// The greatest ratio among programs not proved optimal.
    pub worst_unproved: Option<Figure>,
    /// Filters for which kalg's program is shorter.
    pub shorter: usize,
    /// Filters for which both programs have the same length.
    pub equal: usize,
    /// Filters for which kalg's program is longer.
    pub longer: usize,
    /// Those of them for which it is longer by more than one.
    pub longer_by_more: usize,
    /// Programs proved optimal.
    pub optimal: usize,
    /// Programs that cost at most one more than the proved lower bound.
    pub within_one: usize,
    /// The geometric mean of kalg's cost over the proved lower bound.
    pub cost_over_bound: Option<Figure>,
    /// The median time to a program that costs no more than the rival's, in seconds.
    pub median_seconds: Option<Figure>,
    /// The longest such time, in seconds.
    pub most_seconds: Option<Figure>,
}

impl ComparedSummary {
    /// Summarises the records of one comparison.
    pub fn of(comparison: &Comparison, records: &[ComparedRecord]) -> Self {
        let own: Vec<&ComparedRecord> =
            records.iter().filter(|record| record.comparison == comparison.title).collect();
        let ratios: Vec<f64> = own.iter().filter_map(|r| Some(r.ratio?.get())).collect();
        let count = |wanted: std::cmp::Ordering| {
            let pairs = own.iter().filter_map(|r| Some((r.cost?, r.rival_cost?)));
            pairs.filter(|(cost, rival)| cost.cmp(rival) == wanted).count()
        };
        let optimal = |record: &ComparedRecord| record.result.optimal == Some(true);
        let mut seconds: Vec<f64> =
            own.iter().filter_map(|record| Some(record.seconds_to_rival?.get())).collect();
        seconds.sort_by(f64::total_cmp);
        let bounds = || own.iter().filter_map(|r| Some((r.cost?, r.bound()?)));
        let over_bounds: Vec<f64> =
            bounds().map(|(cost, bound)| f64::from(cost) / f64::from(bound)).collect();
        let unproved = own.iter().filter(|r| !optimal(r)).filter_map(|r| Some(r.ratio?.get()));
        Self {
            comparison: comparison.title.clone(),
            compared: ratios.len(),
            without_program: own.iter().filter(|record| record.cost.is_none()).count(),
            geometric_mean: Figure::geometric_mean(&ratios),
            worst_unproved: unproved.max_by(f64::total_cmp).map(Figure::new),
            shorter: count(std::cmp::Ordering::Less),
            equal: count(std::cmp::Ordering::Equal),
            longer: count(std::cmp::Ordering::Greater),
            longer_by_more: own
                .iter()
                .filter(|r| r.cost.zip(r.rival_cost).is_some_and(|(cost, rival)| cost > rival + 1))
                .count(),
            optimal: own.iter().filter(|record| optimal(record)).count(),
            within_one: bounds().filter(|(cost, bound)| *cost <= bound + 1).count(),
            cost_over_bound: Figure::geometric_mean(&over_bounds),
            median_seconds: seconds.get(seconds.len() / 2).copied().map(Figure::new),
            most_seconds: seconds.last().copied().map(Figure::new),
        }
    }
}

/// The columns of a comparison.
const COLUMNS: [&str; 9] =
    ["kernel", "others", "kalg", "ratio", "instructions", "cycles", "proof", "s to others'", "s to best"];

/// The table row of one filter.
fn row(record: &ComparedRecord) -> [String; 9] {
    let result = &record.result;
    let proof = match (result.optimal, result.lower_bound) {
        (Some(true), _) => "optimal".to_owned(),
        (_, Some(bound)) => format!("≥ {bound}"),
        _ => "–".to_owned(),
    };
    [
        record.kernel.clone(),
        number(record.rival_cost),
        number(record.cost),
        decimal(record.ratio, 2),
        number(result.instructions),
        number(result.cycles),
        proof,
        decimal(record.seconds_to_rival, 2),
        decimal(result.seconds_to_best, 2),
    ]
}

/// The tables of all comparisons in Markdown: a row for each filter, then the means.
pub fn comparison_tables(comparisons: &[Comparison], records: &[ComparedRecord]) -> String {
    let mut text = String::new();
    for comparison in comparisons {
        let measure = match comparison.measure {
            Measure::Cycles => "cycles",
            Measure::Instructions => "instructions",
        };
        let _ = writeln!(text, "## {}\n", comparison.title);
        let others = match &comparison.against[..] {
            [] => "the best known program".to_owned(),
            others => format!("the lowest of {}", others.join(", ")),
        };
        let _ = writeln!(text, "Costs are {measure}. The other side is {others}.\n");
        let mut rows = vec![COLUMNS.map(str::to_owned)];
        rows.extend(records.iter().filter(|record| record.comparison == comparison.title).map(row));
        text.push_str(&markdown(&rows));
        let s = ComparedSummary::of(comparison, records);
        let _ = writeln!(
            text,
            "\nGeometric mean of kalg/others {} over {} filters; shorter {}, equal {}, longer {}, by more than one {}; \
             proved optimal {}, within one of the lower bound {}; cost over lower bound {}; greatest ratio not proved optimal {}; \
             seconds to the others' cost: median {}, at most {}; without a program {}.\n",
            decimal(s.geometric_mean, 3),
            s.compared,
            s.shorter,
            s.equal,
            s.longer,
            s.longer_by_more,
            s.optimal,
            s.within_one,
            decimal(s.cost_over_bound, 3),
            decimal(s.worst_unproved, 2),
            decimal(s.median_seconds, 2),
            decimal(s.most_seconds, 2),
            s.without_program,
        );
    }
    text
}

fn number(value: Option<u32>) -> String {
    value.map_or("–".to_owned(), |value| value.to_string())
}

fn decimal(value: Option<Figure>, places: usize) -> String {
    value.map_or("–".to_owned(), |value| format!("{:.places$}", value.get()))
}

/// A Markdown table with columns as wide as their contents; the first row is the header.
pub fn markdown<R: AsRef<[String]>>(rows: &[R]) -> String {
    let columns = rows.first().map_or(0, |row| row.as_ref().len());
    let width =
        |column: usize| rows.iter().map(|row| row.as_ref()[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for (index, row) in rows.iter().enumerate() {
        for (column, cell) in row.as_ref().iter().enumerate() {
            let width = widths[column];
            let _ = if column == 0 {
                write!(text, "| {cell:<width$} ")
            } else {
                write!(text, "| {cell:>width$} ")
            };
        }
        text.push_str("|\n");
        if index == 0 {
            for (column, width) in widths.iter().enumerate() {
                let line = "-".repeat(width + 1);
                let _ = if column == 0 { write!(text, "|{line}-") } else { write!(text, "|{line}:") };
            }
            text.push_str("|\n");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn baseline(results: &[(&str, u32, Option<u32>, bool)]) -> Baseline {
        let result = |(name, instructions, cycles, legal): &(&str, u32, Option<u32>, bool)| {
            let result = BaselineResult {
                instructions: *instructions,
                cycles: *cycles,
                correct_and_legal: *legal,
                program: Vec::new(),
                inputs: Vec::new(),
                outputs: Vec::new(),
                bound: None,
            };
            ((*name).to_owned(), result)
        };
        Baseline {
            name: "a+b".to_owned(),
            file: None,
            outputs: vec![BaselineOutput { matrix: vec![vec![1, -2], vec![0, 3]], scale_log2: 2 }],
            results: results.iter().map(result).collect(),
        }
    }

    fn comparison(measure: Measure) -> Comparison {
        let against = vec!["x".to_owned(), "y".to_owned()];
        Comparison { title: "t".to_owned(), isa: "i".to_owned(), division: None, measure, against }
    }

    #[test]
    fn the_lowest_legal_result_counts() {
        let of = |measure| {
            let results = [("x", 9, Some(18), true), ("y", 8, Some(20), true), ("z", 1, Some(1), true)];
            comparison(measure).rival(&baseline(&results)).map(|(name, cost)| (name.to_owned(), cost))
        };
        assert_eq!(of(Measure::Cycles), Some(("x".to_owned(), 18)));
        assert_eq!(of(Measure::Instructions), Some(("y".to_owned(), 8)));
        let illegal = baseline(&[("x", 2, Some(4), false), ("y", 3, None, true)]);
        assert_eq!(comparison(Measure::Cycles).rival(&illegal), None);
    }

    #[test]
    fn a_filter_becomes_a_kernel_file_with_its_origin() {
        let text = baseline(&[]).kernel_file();
        assert!(text.starts_with("(filter a-b (inputs image)"), "{text}");
        assert!(text.contains("(scale 1/4 (kernel (origin 1 1)\n    (1 -2)\n    (0 3))))"), "{text}");
    }
}
