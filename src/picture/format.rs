//! The formats of picture files, and what is wrong with a file.

use thiserror::Error;

/// The maximum number of pixels of a picture file: 8192 × 8192.
const MAX_PIXELS: usize = 1 << 26;

/// The number of pixels in a picture of this size.
///
/// # Errors
/// [`PictureError::Empty`], [`PictureError::TooLarge`].
pub(super) fn pixel_count([width, height]: [usize; 2]) -> Result<usize, PictureError> {
    match width.checked_mul(height) {
        Some(0) => Err(PictureError::Empty { width, height }),
        Some(pixels) if pixels <= MAX_PIXELS => Ok(pixels),
        _ => Err(PictureError::TooLarge { width, height }),
    }
}

/// Why a file cannot be read or written as a picture.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PictureError {
    /// The first bytes match no known format.
    #[error("expected a PNG, PGM or NPY file")]
    UnknownFormat,
    /// The contents do not match the format that the first bytes announce.
    #[error("the {format} file cannot be read: {reason}")]
    Damaged {
        /// The format.
        format: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// The format cannot hold the picture.
    #[error("the picture cannot be written: {reason}")]
    NotWritten {
        /// What is wrong.
        reason: String,
    },
    /// The picture has no pixels.
    #[error("the picture has {width} × {height} pixels: there is nothing to read")]
    Empty {
        /// Columns.
        width: usize,
        /// Rows.
        height: usize,
    },
    /// The picture is too large.
    #[error("the picture has {width} × {height} pixels; the maximum is {MAX_PIXELS}")]
    TooLarge {
        /// Columns.
        width: usize,
        /// Rows.
        height: usize,
    },
    /// The extension of the output file is unknown.
    #[error("expected a file name that ends in .png, .pgm or .npy")]
    UnknownEnding,
}

/// The formats in which pictures are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureFormat {
    /// Portable Network Graphics, greyscale.
    Png,
    /// Portable Graymap, binary.
    Pgm,
    /// An array of NumPy.
    Npy,
}

impl PictureFormat {
    /// Returns the format for a file name's extension.
    ///
    /// # Errors
    /// [`PictureError::UnknownEnding`].
    pub fn of(name: &str) -> Result<Self, PictureError> {
        match name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).as_deref() {
            Some("png") => Ok(Self::Png),
            Some("pgm") => Ok(Self::Pgm),
            Some("npy") => Ok(Self::Npy),
            _ => Err(PictureError::UnknownEnding),
        }
    }
}
