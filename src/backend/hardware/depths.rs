//! The depths of delay lines, shown to be least: with a word less in any of them, frames take longer, or never end.

use std::fmt::Write as _;

use super::machine::Design;
use super::simulate::{Elastic, Pace};
use crate::report::counted;

/// The most work.
const MAX_WORK: u64 = 1 << 32;

/// How fast frames of `height` rows go through a design whose cells advance by themselves, and how fast if one delay line holds a word
/// less, as a table.
///
/// # Errors
/// There is too much to simulate, or a pixel takes several clocks.
pub(super) fn depths(design: &Design, height: usize) -> Result<String, String> {
    if design.frame.hold > 1 {
        return Err("depths are shown for pixels of one clock: leave --clocks-per-pixel out".to_owned());
    }
    let elastic = Elastic::new(design, height);
    let lines = elastic.depths();
    if elastic.work().saturating_mul(lines.len() as u64 + 1) > MAX_WORK {
        return Err(format!(
            "there are {} delay lines, and as many simulations are too much: use a smaller --width and --height",
            lines.len()
        ));
    }
    let Pace::Goes(all) = elastic.run(None) else {
        return Err("the simulation does not end".to_owned());
    };
    let mut text = format!("{} for two frames\n", counted(all as u64, "clock"));
    let [mut longer, mut stopped] = [0, 0];
    for (cell, clocks) in &lines {
        // A line that keeps one word in several has that many times fewer, and each is worth as many clocks.
        let every = design.columns.of[cell.index()].every as usize;
        let words = clocks.div_ceil(every);
        let _ = write!(
            text,
            "{}: {}; with {}, ",
            design.cell_name(*cell),
            counted(words as u64, "word"),
            words - 1
        );
        let _ = match elastic.run(Some((*cell, (words - 1) * every))) {
            Pace::Stops(words) => {
                stopped += 1;
                writeln!(text, "the results stop after {}", counted(words as u64, "word"))
            }
            Pace::Goes(found) if found > all => {
                longer += 1;
                writeln!(text, "{}", counted(found as u64, "clock"))
            }
            Pace::Goes(_) => writeln!(text, "nothing changes"),
        };
    }
    let _ = writeln!(
        text,
        "{} delay lines: with a word less in one of them, frames never end for {stopped} and take longer for {longer}",
        lines.len()
    );
    Ok(text)
}
