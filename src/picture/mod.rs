//! Images, and the files that they are read from and written to.

mod image;
mod file;
mod quality;
mod samples;

pub use file::{Picture, PictureError, PictureFormat};
pub use image::{Image, Pattern};
pub use quality::{rms, ssim};
pub use samples::{read_samples, write_samples};
