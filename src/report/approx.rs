//! The record of an approximation.

use serde::Serialize;

use super::{Figure, json_line};

/// The result of `kalg approx` for one filter.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ApproxRecord {
    /// The filter's file, as named on the command line.
    pub file: String,
    /// The filter's name.
    pub filter: String,
    /// All coefficients are multiples of 2^-depth.
    pub depth: u32,
    /// The largest error of a coefficient.
    pub max_error: f64,
    /// The root mean square error of the coefficients.
    pub rms_error: f64,
    /// The largest error of an output pixel, on a synthetic scene with pixels from -128 to 127.
    pub image_max_error: Option<Figure>,
    /// The root mean square error of the output pixels, on the same scene.
    pub image_rms_error: Option<Figure>,
    /// The filter as a kernel file.
    pub text: String,
    /// The version of kalg.
    pub version: String,
}

impl ApproxRecord {
    /// One line of JSON.
    pub fn to_json(&self) -> String {
        json_line(self)
    }

    /// A kernel file with the errors in comments.
    pub fn to_text(&self) -> String {
        let mut text = format!(
            "; {} of {}, coefficients at multiples of 2^-{}: off by at most {}, {:.6} RMS.\n",
            self.filter, self.file, self.depth, self.max_error, self.rms_error
        );
        if let (Some(most), Some(rms)) = (self.image_max_error, self.image_rms_error) {
            text += &format!(
                "; Pixels of a scene of -128 to 127: off by at most {}, {} RMS.\n",
                most.get(),
                rms.get()
            );
        }
        text + &self.text
    }
}
