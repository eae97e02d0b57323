//! The samples of a picture as files have them.

use super::format::PictureError;
use super::image::Image;

/// The pixels from the north, as in files.
pub(super) fn rows(image: &Image) -> impl Iterator<Item = &f64> {
    (0..image.height()).rev().flat_map(|y| image.row(y))
}

/// A value rounded and clamped to 0 to `most`; 0 for NaN.
pub(super) fn sample(value: f64, most: u16) -> u16 {
    value.round().clamp(0.0, most.into()) as u16
}

/// Samples row by row from the north, those of a pixel together.
pub(super) struct Raster {
    /// Columns and rows.
    pub(super) size: [u32; 2],
    /// The samples of a pixel: grey, or red, green and blue; opacity may follow.
    pub(super) channels: usize,
    /// The greatest value that a sample can have.
    pub(super) most: u16,
    pub(super) samples: Vec<u16>,
}

impl Raster {
    /// The pixels of an image as samples.
    ///
    /// # Errors
    /// [`PictureError::NotWritten`] if the image has no pixels, or sides that files cannot state.
    pub(super) fn of(image: &Image, most: u16) -> Result<Self, PictureError> {
        let refused = |reason: String| PictureError::NotWritten { reason };
        let side = |n: usize| u32::try_from(n).map_err(|error| refused(error.to_string()));
        let size = [side(image.width())?, side(image.height())?];
        if size.contains(&0) {
            return Err(refused("it has no pixels".to_owned()));
        }
        let samples = rows(image).map(|value| sample(*value, most)).collect();
        Ok(Self { size, channels: 1, most, samples })
    }

    /// The samples as bytes, the higher one of a sample first.
    pub(super) fn bytes(&self) -> impl Iterator<Item = u8> {
        let skipped = if self.most > 255 { 0 } else { 1 };
        self.samples.iter().flat_map(move |sample| sample.to_be_bytes().into_iter().skip(skipped))
    }

    /// The picture in grey, as unscaled samples.
    pub(super) fn grey(&self) -> Image {
        let [width, height] = self.size.map(|side| side as usize);
        let grey = |pixel: &[u16]| match pixel {
            [red, green, blue, ..] => {
                let [red, green, blue] = [*red, *green, *blue].map(u32::from);
                (299 * red + 587 * green + 114 * blue + 500) / 1000
            }
            _ => pixel[0].into(),
        };
        // Files begin in the north, images in the south.
        let rows = self.samples.chunks_exact(width * self.channels).rev();
        let pixels = rows.flat_map(|row| row.chunks_exact(self.channels)).map(|pixel| grey(pixel).into());
        Image::from_pixels(width, height, pixels.collect()).expect("a raster has all pixels")
    }
}
