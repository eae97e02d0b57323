//! Pictures of eight bits as files hold them, PNG and PGM, and images as registers hold them.
//!
//! A grey value g from 0 to 255 stands for the register value g - 128; a register value is rounded to the nearest integer and
//! limited to [-128, 127] on its way back. Colours become grey by 0.299 red + 0.587 green + 0.114 blue (ITU-R BT.601);
//! transparency is ignored; sixteen bits lose the lower eight.

use std::io::Cursor;

use thiserror::Error;

use super::image::Image;

/// The most pixels that are read from a file: 8192 × 8192.
const MAX_PIXELS: usize = 1 << 26;

/// The grey value that stands for the register value 0.
const MIDDLE: f64 = 128.0;

/// A grey picture of eight bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    width: usize,
    height: usize,
    /// Row by row from the north, each from the west.
    grey: Vec<u8>,
}

/// Why a file is no picture.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PictureError {
    /// The file begins like none of the formats.
    #[error("expected a PNG or PGM file")]
    UnknownFormat,
    /// The file is not what it begins like.
    #[error("the {format} file cannot be read: {reason}")]
    Damaged {
        /// The format.
        format: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// A picture without pixels.
    #[error("the picture has {width} × {height} pixels: there is nothing to read")]
    Empty {
        /// Columns.
        width: usize,
        /// Rows.
        height: usize,
    },
    /// The picture is too large.
    #[error("the picture has {width} × {height} pixels, more than the {MAX_PIXELS} that are read")]
    TooLarge {
        /// Columns.
        width: usize,
        /// Rows.
        height: usize,
    },
    /// The name of a file to be written ends in neither.
    #[error("expected a file name that ends in .png or .pgm")]
    UnknownEnding,
}

/// The formats that pictures are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureFormat {
    /// Portable network graphics, eight bits of grey.
    Png,
    /// Portable grey map, binary.
    Pgm,
}

impl PictureFormat {
    /// The format that a file name's ending asks for.
    ///
    /// # Errors
    /// [`PictureError::UnknownEnding`].
    pub fn of(name: &str) -> Result<Self, PictureError> {
        match name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).as_deref() {
            Some("png") => Ok(Self::Png),
            Some("pgm") => Ok(Self::Pgm),
            _ => Err(PictureError::UnknownEnding),
        }
    }
}

impl Picture {
    /// The picture of a register.
    pub fn of(image: &Image) -> Self {
        let mut grey = Vec::with_capacity(image.width() * image.height());
        for y in (0..image.height()).rev() {
            // A conversion to u8 limits to its range, and takes what is no number for 0.
            grey.extend(image.row(y).iter().map(|value| (value.round() + MIDDLE) as u8));
        }
        Self { width: image.width(), height: image.height(), grey }
    }

    /// The picture as a register holds it.
    pub fn image(&self) -> Image {
        let rows = self.grey.chunks_exact(self.width.max(1)).rev();
        let pixels = rows.flatten().map(|grey| f64::from(*grey) - MIDDLE).collect();
        Image::from_pixels(self.width, self.height, pixels).expect("there are width · height grey values")
    }

    /// Reads a PNG or PGM file.
    ///
    /// # Errors
    /// [`PictureError`].
    pub fn decode(bytes: &[u8]) -> Result<Self, PictureError> {
        match bytes {
            [0x89, b'P', b'N', b'G', ..] => decode_png(bytes),
            [b'P', b'2' | b'5', ..] => decode_pgm(bytes),
            _ => Err(PictureError::UnknownFormat),
        }
    }

    /// The file of a picture.
    ///
    /// # Errors
    /// [`PictureError::Damaged`] where the format cannot hold it, as one without pixels.
    pub fn encode(&self, format: PictureFormat) -> Result<Vec<u8>, PictureError> {
        match format {
            PictureFormat::Pgm => {
                let mut bytes = format!("P5\n{} {}\n255\n", self.width, self.height).into_bytes();
                bytes.extend_from_slice(&self.grey);
                Ok(bytes)
            }
            PictureFormat::Png => {
                let wrong = |reason: String| PictureError::Damaged { format: "PNG", reason };
                let side = |n: usize| u32::try_from(n).map_err(|error| wrong(error.to_string()));
                let mut bytes = Vec::new();
                let mut encoder = png::Encoder::new(&mut bytes, side(self.width)?, side(self.height)?);
                encoder.set_color(png::ColorType::Grayscale);
                encoder.set_depth(png::BitDepth::Eight);
                let writer = encoder.write_header().and_then(|mut writer| {
                    writer.write_image_data(&self.grey)?;
                    writer.finish()
                });
                writer.map_err(|error| wrong(error.to_string()))?;
                Ok(bytes)
            }
        }
    }
}

pub(super) fn within_limits(width: usize, height: usize) -> Result<usize, PictureError> {
    if width == 0 || height == 0 {
        return Err(PictureError::Empty { width, height });
    }
    let pixels = width.checked_mul(height).filter(|n| *n <= MAX_PIXELS);
    pixels.ok_or(PictureError::TooLarge { width, height })
}

fn decode_png(bytes: &[u8]) -> Result<Picture, PictureError> {
    let wrong =
        |error: png::DecodingError| PictureError::Damaged { format: "PNG", reason: error.to_string() };
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(wrong)?;
    let (width, height) = (reader.info().width as usize, reader.info().height as usize);
    within_limits(width, height)?;
    let size = reader.output_buffer_size().ok_or(PictureError::TooLarge { width, height })?;
    let mut samples = vec![0; size];
    let frame = reader.next_frame(&mut samples).map_err(wrong)?;
    let samples = &samples[..frame.buffer_size()];
    let luma = |rgb: &[u8]| {
        let [r, g, b] = [rgb[0], rgb[1], rgb[2]].map(u32::from);
        ((299 * r + 587 * g + 114 * b + 500) / 1000) as u8
    };
    let grey = match frame.color_type {
        png::ColorType::Grayscale => samples.to_vec(),
        png::ColorType::GrayscaleAlpha => samples.iter().step_by(2).copied().collect(),
        png::ColorType::Rgb => samples.chunks_exact(3).map(luma).collect(),
        png::ColorType::Rgba => samples.chunks_exact(4).map(luma).collect(),
        png::ColorType::Indexed => {
            let reason = "its palette is missing".to_owned();
            return Err(PictureError::Damaged { format: "PNG", reason });
        }
    };
    Ok(Picture { width, height, grey })
}

fn decode_pgm(bytes: &[u8]) -> Result<Picture, PictureError> {
    let wrong = |reason: &str| PictureError::Damaged { format: "PGM", reason: reason.to_owned() };
    let mut header = Header { bytes, at: 2 };
    let mut field = |what: &str| header.number().ok_or_else(|| wrong(&format!("{what} is missing")));
    let (width, height, most) = (field("the width")?, field("the height")?, field("the greatest value")?);
    let pixels = within_limits(width, height)?;
    if !(1..=65535).contains(&most) {
        return Err(wrong("the greatest value is not within 1 to 65535"));
    }
    let scaled = |value: usize| (value.min(most) * 255 + most / 2) / most;
    let mut values = Vec::new();
    if bytes[1] == b'2' {
        for _ in 0..pixels {
            values.push(scaled(header.number().ok_or_else(|| wrong("it has too few pixels"))?) as u8);
        }
    } else {
        // One white space stands between the header and the pixels.
        let data = bytes.get(header.at + 1..).unwrap_or_default();
        let each = if most > 255 { 2 } else { 1 };
        let data = data.get(..pixels * each).ok_or_else(|| wrong("it has too few pixels"))?;
        let value = |sample: &[u8]| sample.iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte));
        values.extend(data.chunks_exact(each).map(|sample| scaled(value(sample)) as u8));
    }
    Ok(Picture { width, height, grey: values })
}

/// The numbers of a PGM file, between white space and `#` comments.
pub(super) struct Header<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
}

impl Header<'_> {
    pub(super) fn number(&mut self) -> Option<usize> {
        loop {
            match self.bytes.get(self.at)? {
                b'#' => self.at += self.bytes[self.at..].iter().take_while(|b| **b != b'\n').count(),
                byte if byte.is_ascii_whitespace() => self.at += 1,
                _ => break,
            }
        }
        let digits = self.bytes[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let text = std::str::from_utf8(&self.bytes[self.at..self.at + digits]).ok()?;
        self.at += digits;
        text.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ramp() -> Picture {
        Picture { width: 3, height: 2, grey: vec![0, 64, 127, 128, 129, 255] }
    }

    #[test]
    fn files_read_back_and_registers_hold_what_is_documented() {
        for format in [PictureFormat::Png, PictureFormat::Pgm] {
            assert_eq!(Picture::decode(&ramp().encode(format).unwrap()).unwrap(), ramp());
        }
        let image = ramp().image();
        assert_eq!(image.row(1), [-128.0, -64.0, -1.0], "the first row is north");
        assert_eq!(Picture::of(&image), ramp());
        let beyond = Image::from_pixels(4, 1, vec![-300.0, 300.0, 0.4, f64::NAN]).unwrap();
        assert_eq!(Picture::of(&beyond).grey, [0, 255, 128, 0]);
    }

    #[test]
    fn text_maps_comments_and_sixteen_bits() {
        let text = b"P2 # grey\n2 # columns\n 1\n100\n0 50";
        assert_eq!(Picture::decode(text).unwrap().grey, [0, 128]);
        let wide = b"P5\n2 1\n65535\n\x00\x00\xFF\xFF";
        assert_eq!(Picture::decode(wide).unwrap().grey, [0, 255]);
    }

    #[test]
    fn colours_become_grey() {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 2, 1);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.write_header().unwrap().write_image_data(&[255, 0, 0, 255, 255, 255]).unwrap();
        assert_eq!(Picture::decode(&bytes).unwrap().grey, [76, 255]);
    }

    #[test]
    fn damaged_files_are_refused() {
        let png = ramp().encode(PictureFormat::Png).unwrap();
        for length in 0..png.len() - 12 {
            assert!(Picture::decode(&png[..length]).is_err(), "{length} bytes");
        }
        for text in [
            "P5",
            "P5 2",
            "P5 2 2 255",
            "P5 2 2 255\nab",
            "P2 1 1 0\n1",
            "P5 99999 99999 255\n",
            "P2 1 1 9 x",
        ] {
            assert!(Picture::decode(text.as_bytes()).is_err(), "{text}");
        }
        assert_eq!(Picture::decode(b"GIF89a"), Err(PictureError::UnknownFormat));
        assert_eq!(Picture::decode(b"P2 0 3 15\n"), Err(PictureError::Empty { width: 0, height: 3 }));
        assert_eq!(PictureFormat::of("out.jpg"), Err(PictureError::UnknownEnding));
    }
}
