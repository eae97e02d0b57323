//! What each part of the compiler is worth: the cost of filters with the whole compiler and without single parts.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;

use super::comparison::markdown;
use super::parts::Figure;
use super::record::VERSION;

/// The measurements; the first variant is the whole compiler.
#[derive(Clone, Debug, Default)]
pub struct Ablation {
    /// A sentence about the filters and the settings.
    pub about: String,
    /// The number of decimals of costs; `costs` counts in units of the last one.
    pub decimals: u32,
    /// The variants.
    pub variants: Vec<String>,
    /// The filters.
    pub filters: Vec<AblatedFilter>,
}

/// The costs of one filter.
#[derive(Clone, Debug)]
pub struct AblatedFilter {
    /// Its file.
    pub file: String,
    /// Its cost with each variant; `None` if no program was found.
    pub costs: Vec<Option<u32>>,
}

/// A comparison of a variant with the whole compiler.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Worth {
    /// The variant.
    pub variant: String,
    /// Filters that cost more or no longer have a program.
    pub worse: usize,
    /// Filters that cost less.
    pub better: usize,
    /// The geometric mean of the variant's cost over the whole compiler's, for filters with both programs.
    pub ratio: Option<Figure>,
}

impl Worth {
    /// Whether this variant leaves something out and no program gets worse.
    pub fn is_dead_weight(&self) -> bool {
        self.worse == 0 && self.variant.starts_with('−')
    }
}

impl Ablation {
    /// Compares every other variant with the first.
    pub fn worths(&self) -> Vec<Worth> {
        (1..self.variants.len()).map(|variant| self.worth(variant)).collect()
    }

    fn worth(&self, variant: usize) -> Worth {
        let mut worth = Worth { variant: self.variants[variant].clone(), ..Worth::default() };
        let mut ratios = Vec::new();
        for filter in &self.filters {
            match (filter.costs[0], filter.costs[variant]) {
                (Some(whole), Some(without)) => {
                    worth.worse += usize::from(without > whole);
                    worth.better += usize::from(without < whole);
                    // A filter that equals its input costs nothing; it counts as one.
                    ratios.push(f64::from(without.max(1)) / f64::from(whole.max(1)));
                }
                (Some(_), None) => worth.worse += 1,
                (None, Some(_)) => worth.better += 1,
                (None, None) => {}
            }
        }
        worth.ratio = Figure::geometric_mean(&ratios);
        worth
    }

    /// A cost as a number, an integer if there are no decimals.
    fn shown(&self, cost: u32) -> serde_json::Number {
        let scaled = Figure::new(f64::from(cost) / 10f64.powi(self.decimals as i32));
        let fraction = serde_json::Number::from_f64(scaled.get()).filter(|_| self.decimals > 0);
        fraction.unwrap_or_else(|| cost.into())
    }

    /// The table in Markdown, followed by the conclusions in sentences.
    pub fn markdown(&self) -> String {
        let mut rows = vec![[vec!["filter".to_owned()], self.variants.clone()].concat()];
        for filter in &self.filters {
            let cell = |cost: &Option<u32>| {
                let text = cost.map_or("–".to_owned(), |cost| self.shown(cost).to_string());
                let worse = cost.unwrap_or(u32::MAX) > filter.costs[0].unwrap_or(u32::MAX);
                if worse { format!("**{text}**") } else { text }
            };
            rows.push([vec![filter.file.clone()], filter.costs.iter().map(cell).collect()].concat());
        }
        let worths = self.worths();
        let mut sum = |name: &str, first: &str, cell: &dyn Fn(&Worth) -> String| {
            let cells = worths.iter().map(cell).collect();
            rows.push([vec![name.to_owned(), first.to_owned()], cells].concat());
        };
        sum("geometric mean of ratios", "1.000", &|worth| {
            worth.ratio.map_or("–".to_owned(), |ratio| format!("{:.3}", ratio.get()))
        });
        sum("worse", "", &|worth| worth.worse.to_string());
        sum("better", "", &|worth| worth.better.to_string());
        let mut text = format!(
            "{} Bold is worse than with all; – means no program within the budget.\n\n{}\n",
            self.about,
            markdown(&rows)
        );
        for worth in &worths {
            let (Worth { worse, better, .. }, all) = (worth, self.filters.len());
            let verdict = match (worth.is_dead_weight(), better) {
                (true, 0) => "never changes a result: dead weight".to_owned(),
                (true, better) => format!("makes no result worse, and {better} of {all} better: dead weight"),
                (false, better) => format!("makes {worse} of {all} results worse, and {better} better"),
            };
            // Writing to a string cannot fail.
            let _ = writeln!(text, "* `{}` {verdict}.", worth.variant);
        }
        text
    }

    /// One line of JSON per filter, and a summary line.
    pub fn json(&self) -> Vec<serde_json::Value> {
        let line = |filter: &AblatedFilter| {
            let costs = filter.costs.iter().map(|cost| cost.map(|cost| self.shown(cost)));
            let costs: BTreeMap<&String, Option<serde_json::Number>> =
                self.variants.iter().zip(costs).collect();
            serde_json::json!({ "file": filter.file, "costs": costs })
        };
        let dead: Vec<String> =
            self.worths().into_iter().filter(Worth::is_dead_weight).map(|worth| worth.variant).collect();
        let summary = serde_json::json!({
            "about": self.about, "summary": self.worths(), "dead_weight": dead, "version": VERSION,
        });
        self.filters.iter().map(line).chain([summary]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ablation(costs: &[[Option<u32>; 3]]) -> Ablation {
        let filter = |costs: &[Option<u32>; 3]| AblatedFilter { file: "f".to_owned(), costs: costs.to_vec() };
        Ablation {
            about: "A test.".to_owned(),
            decimals: 0,
            variants: ["all", "− a", "− b"].map(str::to_owned).to_vec(),
            filters: costs.iter().map(filter).collect(),
        }
    }

    #[test]
    fn what_never_makes_a_result_worse_is_dead_weight() {
        let ablation = ablation(&[
            [Some(4), Some(8), Some(4)],
            [Some(2), None, Some(1)],
            [Some(0), Some(1), Some(0)],
            [None, None, None],
        ]);
        let [a, b] = &ablation.worths()[..] else { panic!() };
        assert_eq!((a.worse, a.better, a.is_dead_weight()), (3, 0, false));
        assert!((a.ratio.unwrap().get() - 2f64.sqrt()).abs() < 1e-6, "{a:?}");
        assert_eq!((b.worse, b.better, b.is_dead_weight()), (0, 1, true));
        let text = ablation.markdown();
        assert!(text.contains("**8**") && text.contains("**–**") && !text.contains("**4**"), "{text}");
        assert!(text.contains("`− b` makes no result worse, and 1 of 4 better: dead weight"), "{text}");
        assert_eq!(ablation.json().last().unwrap()["dead_weight"], serde_json::json!(["− b"]));
        assert_eq!(ablation.json()[0]["costs"]["− a"], serde_json::json!(8));
        let finer = Ablation { decimals: 3, ..ablation };
        assert_eq!(finer.json()[0]["costs"]["− a"], serde_json::json!(0.008));
        assert!(finer.markdown().contains("**0.008**"));
    }
}
