//! `kalg bench` with loops of processors, beside OpenCV: runs the script of the corpus where Python finds OpenCV.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};

use super::outcome::CommandError;

/// The script, relative to the working folder.
const SCRIPT: &str = "corpus/scan-order/opencv.py";

/// The interpreters that are tried.
const PYTHONS: [&str; 2] = ["python3", "python"];

/// The times of a filter or a pipeline at one size, in milliseconds of the thread.
#[derive(Serialize, Deserialize)]
pub(super) struct Beside {
    name: String,
    /// Types of pixels and results, or `pipeline`.
    types: String,
    /// Columns and rows.
    size: usize,
    compilers: Vec<String>,
    /// The version of OpenCV.
    opencv: String,
    /// For each compiler.
    kalg_ms: Vec<f64>,
    opencv_ms: f64,
    greatest_difference: f64,
    mean_difference: f64,
}

/// Times everything whose name contains `only`. Nothing is timed, and the reason is printed, where Python, OpenCV or the script are not
/// there.
///
/// # Errors
/// The script fails.
pub(super) fn times(only: Option<&str>) -> Result<Vec<Beside>, CommandError> {
    let finds = |python: &&str| {
        let mut command = Command::new(python);
        command.args(["-c", "import cv2, numpy"]).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    let Some(python) = PYTHONS.into_iter().find(finds) else {
        eprintln!("no Python finds OpenCV, so there is no comparison with it");
        return Ok(Vec::new());
    };
    if !Path::new(SCRIPT).is_file() {
        eprintln!("`{SCRIPT}` is not in this folder, so there is no comparison with OpenCV");
        return Ok(Vec::new());
    }
    let failed = |why: String| CommandError::Usage(format!("`{SCRIPT}` failed: {why}"));
    let own = std::env::current_exe().map_err(|error| failed(error.to_string()))?;
    let mut command = Command::new(python);
    command.arg(SCRIPT).arg(own).arg("--json").args(only).stderr(Stdio::inherit());
    let run = command.output().map_err(|error| failed(error.to_string()))?;
    if !run.status.success() {
        return Err(failed(run.status.to_string()));
    }
    let text = String::from_utf8_lossy(&run.stdout);
    let read = |line: &str| serde_json::from_str(line).map_err(|error| failed(error.to_string()));
    text.lines().map(read).collect()
}

/// The times as a table, with the faster compiler of each.
pub(super) fn table(rows: &[Beside]) -> String {
    let Some(first) = rows.first() else { return String::new() };
    let mut text = format!(
        "\n## Generated C beside OpenCV {}, one thread\n\n\
         The faster of {}. Pipelines are compared with chains of calls that round otherwise.\n\n\
         | filter or pipeline | pixels | size | OpenCV | kalg | times as fast | greatest difference | mean difference |\n\
         |---|---|---|---|---|---|---|---|\n",
        first.opencv,
        first.compilers.join(" and ")
    );
    for row in rows {
        let own = row.kalg_ms.iter().copied().fold(f64::INFINITY, f64::min);
        let _ = writeln!(
            text,
            "| {} | {} | {}² | {:.3} | {own:.3} | {:.2} | {:.3} | {:.3} |",
            row.name,
            row.types,
            row.size,
            row.opencv_ms,
            row.opencv_ms / own,
            row.greatest_difference,
            row.mean_difference
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_faster_compiler_counts() {
        let line = r#"{"name": "f", "types": "pipeline", "size": 512, "compilers": ["a", "b"], "opencv": "5", "kalg_ms": [4.0, 2.0],
            "opencv_ms": 3.0, "greatest_difference": 1.0, "mean_difference": 0.5}"#;
        let text = table(&[serde_json::from_str(line).unwrap()]);
        assert!(text.contains("| f | pipeline | 512² | 3.000 | 2.000 | 1.50 | 1.000 | 0.500 |"), "{text}");
        assert!(table(&[]).is_empty());
    }
}
