//! Images and picture files.

mod image;
mod format;
mod npy;
mod raster;
mod pgm;
mod png;
mod file;
mod quality;

pub use file::{read_picture, read_samples, write_numbers, write_picture, write_samples};
pub use format::{PictureError, PictureFormat};
pub use image::{Image, Pattern};
pub use npy::{Samples, is_npy, read_npy, write_npy};
pub use quality::{rms, ssim};
