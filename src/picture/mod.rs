//! Images and picture files.

mod image;
mod file;
mod npy;
mod quality;

pub use file::{PictureError, PictureFormat, read_picture, read_samples, write_picture, write_samples};
pub use image::{Image, Pattern};
pub use npy::{Samples, is_npy, read_npy, write_npy};
pub use quality::{rms, ssim};
