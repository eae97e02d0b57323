//! Results as pages for a browser. A page is one file that needs nothing else: a template with its style and its scripts, and the
//! record as JSON. The scripts only draw; what they show is in the record.

mod program;
mod stages;
mod check;
mod shortened;
mod egraph;

use serde::Serialize;

use super::json_line;
use super::svg::escaped;

pub use check::{check_page, walked_check_page};
pub use egraph::egraph_page;
pub use program::program_page;
pub use shortened::shortened_page;
pub use stages::{ShownStage, stages_page};

/// The template, and what all pages share.
const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SHARED: [&str; 2] = [include_str!("page.js"), include_str!("kernel.js")];

/// What steps through programs: the simulation, what all such pages share, and programs with conditions.
const SIMULATION: [&str; 2] = [include_str!("simulate.js"), include_str!("steps.js")];
const GUARDED: &str = include_str!("guarded.js");

/// A page. The last of `scripts` defines the function `show`, which draws the data.
pub fn page(title: &str, scripts: &[&str], data: &impl Serialize) -> String {
    let scripts = [&SHARED, scripts].concat().join("\n");
    // In JSON, `<` stands only in texts; written so, nothing in them ends the script element.
    let data = json_line(data).replace('<', "\\u003c");
    let parts = [("style", STYLE), ("title", &escaped(title)), ("script", &scripts), ("data", &data)];
    parts.iter().fold(TEMPLATE.to_owned(), |page, (name, part)| page.replace(&format!("<!--{name}-->"), part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_users_stay_texts() {
        let text = "</script><script>alert(1)</script><!--data--><!--";
        let page = page(text, &[], &serde_json::json!({ "text": text }));
        assert!(!page.contains("alert(1)</script>") && !page.contains("<!--"), "{page}");
        assert!(page.contains("<title>&lt;/script&gt;"), "{page}");
        let (_, data) = page.split_once("id=\"data\">").unwrap();
        let (data, _) = data.split_once("</script>").unwrap();
        assert_eq!(serde_json::from_str::<serde_json::Value>(data).unwrap()["text"], text);
    }

    #[test]
    fn nothing_is_fetched() {
        let page = page("t", &[], &0);
        assert!(page.contains("default-src 'none'"));
        for word in ["src=", "href=", "@import", "fetch(", "url("] {
            assert!(!page.contains(word), "{word}");
        }
    }
}
