//! Reading and writing picture files as register values or as raw samples: PNG, PGM, and NPY, whose numbers are taken as they are.
//!
//! A grey value g from 0 to 255 represents the register value g - 128. On the way back a register value is rounded to the nearest
//! integer and clamped to [-128, 127]. Samples of other depths are first scaled to 0 to 255 and rounded. Colours become grey
//! by 0.299 red + 0.587 green + 0.114 blue (ITU-R BT.601); transparency is ignored.

use super::format::{PictureError, PictureFormat, pixel_count};
use super::image::Image;
use super::npy::{Samples, is_npy, read_npy, write_npy};
use super::raster::{Raster, rows, sample};
use super::{pgm, png};

/// The grey value of the register value 0.
const MIDDLE: f64 = 128.0;

/// Reads a picture as register values.
///
/// # Errors
/// [`PictureError`].
pub fn read_picture(bytes: &[u8]) -> Result<Image, PictureError> {
    let (mut image, most) = read_samples(bytes)?;
    if is_npy(bytes) {
        return Ok(image);
    }
    for sample in image.pixels_mut() {
        *sample = (*sample * 255.0 / f64::from(most)).round() - MIDDLE;
    }
    Ok(image)
}

/// Encodes register values as a file with eight bits per sample, or of single precision.
///
/// # Errors
/// [`PictureError::NotWritten`] if the format cannot hold the image, for instance one without pixels.
pub fn write_picture(image: &Image, format: PictureFormat) -> Result<Vec<u8>, PictureError> {
    if format == PictureFormat::Npy {
        return Ok(write_numbers(image, None));
    }
    let mut grey = image.clone();
    grey.pixels_mut().iter_mut().for_each(|value| *value = value.round() + MIDDLE);
    write_samples(&grey, 255, format)
}

/// Reads the raw samples of a picture. Also returns the greatest value that a sample of a PNG or PGM file can have.
///
/// # Errors
/// [`PictureError`].
pub fn read_samples(bytes: &[u8]) -> Result<(Image, u16), PictureError> {
    let raster = match bytes {
        [0x89, b'P', b'N', b'G', ..] => png::read(bytes)?,
        [b'P', b'2' | b'5', ..] => pgm::read(bytes)?,
        _ if is_npy(bytes) => return Ok((numbers(bytes)?, u16::MAX)),
        _ => return Err(PictureError::UnknownFormat),
    };
    Ok((raster.grey(), raster.most))
}

/// The numbers of an array.
fn numbers(bytes: &[u8]) -> Result<Image, PictureError> {
    let ([width, height], samples) = read_npy(bytes)?;
    pixel_count([width, height])?;
    let numbers: Vec<f64> = match samples {
        Samples::Integers(values) => values.iter().map(|value| *value as f64).collect(),
        Samples::Singles(values) => values.iter().copied().map(f64::from).collect(),
    };
    let pixels = numbers.chunks_exact(width).rev().flatten().copied().collect();
    Ok(Image::from_pixels(width, height, pixels).expect("an array has as many numbers as its shape says"))
}

/// Encodes the numbers of an image: integers of 8, 16, 32 or 64 bits, rounded, or `None` for single precision.
pub fn write_numbers(image: &Image, integers: Option<(u32, bool)>) -> Vec<u8> {
    let samples = match integers {
        Some(_) => Samples::Integers(rows(image).map(|value| value.round() as i128).collect()),
        None => Samples::Singles(rows(image).map(|value| *value as f32).collect()),
    };
    write_npy([image.width(), image.height()], integers.unwrap_or((32, true)), &samples)
}

/// Encodes an image with its samples rounded and clamped to 0 to `most`: one byte per sample up to 255, otherwise two.
///
/// # Errors
/// [`PictureError::NotWritten`] if the format cannot hold the image, for instance one without pixels.
pub fn write_samples(image: &Image, most: u16, format: PictureFormat) -> Result<Vec<u8>, PictureError> {
    match format {
        PictureFormat::Png => png::write(&Raster::of(image, most)?),
        PictureFormat::Pgm => Ok(pgm::write(&Raster::of(image, most)?)),
        PictureFormat::Npy => {
            let samples = rows(image).map(|value| sample(*value, most).into());
            let samples = Samples::Integers(samples.collect());
            let bits = if most > 255 { 16 } else { 8 };
            Ok(write_npy([image.width(), image.height()], (bits, false), &samples))
        }
    }
}

#[cfg(test)]
mod tests {
    use ::png::{BitDepth, ColorType, Encoder};

    use super::*;

    fn ramp() -> Image {
        Image::from_pixels(3, 2, vec![0.0, 1.0, 127.0, -128.0, -64.0, -1.0]).unwrap()
    }

    fn samples_of(file: &[u8]) -> Vec<f64> {
        read_samples(file).unwrap().0.pixels().to_vec()
    }

    #[test]
    fn files_read_back_and_registers_hold_what_is_documented() {
        for format in [PictureFormat::Png, PictureFormat::Pgm] {
            let file = write_picture(&ramp(), format).unwrap();
            assert_eq!(read_picture(&file).unwrap(), ramp());
            assert_eq!(samples_of(&file)[3..], [0.0, 64.0, 127.0], "the last row of an image is north");
        }
        let file = write_picture(&ramp(), PictureFormat::Pgm).unwrap();
        assert!(file.ends_with(&[0, 64, 127, 128, 129, 255]), "the first row of a file is north");
        let beyond = Image::from_pixels(4, 1, vec![-300.0, 300.0, 0.4, f64::NAN]).unwrap();
        assert_eq!(
            samples_of(&write_picture(&beyond, PictureFormat::Pgm).unwrap()),
            [0.0, 255.0, 128.0, 0.0]
        );
    }

    #[test]
    fn arrays_are_taken_as_they_are() {
        let beyond = Image::from_pixels(2, 2, vec![-300.5, 300.0, 0.25, 1.0]).unwrap();
        let file = write_picture(&beyond, PictureFormat::Npy).unwrap();
        assert_eq!(read_picture(&file).unwrap(), beyond);
        assert_eq!(
            samples_of(&write_samples(&beyond, 255, PictureFormat::Npy).unwrap()),
            [0.0, 255.0, 0.0, 1.0]
        );
        assert_eq!(samples_of(&write_numbers(&beyond, Some((16, true)))), [-301.0, 300.0, 0.0, 1.0]);
    }

    #[test]
    fn samples_of_all_depths_read_back() {
        for most in [1, 9, 255, 256, 40_000, 65_534, 65_535] {
            let pixels = (0..300).map(|i| (i * 217 % (u32::from(most) + 1)).into()).collect();
            let image = Image::from_pixels(30, 10, pixels).unwrap();
            let pgm = write_samples(&image, most, PictureFormat::Pgm).unwrap();
            assert_eq!(read_samples(&pgm).unwrap(), (image.clone(), most));
            let png = write_samples(&image, most, PictureFormat::Png).unwrap();
            assert_eq!(read_samples(&png).unwrap(), (image, if most > 255 { 65_535 } else { 255 }));
        }
    }

    #[test]
    fn text_maps_comments_and_sixteen_bits() {
        let text = b"P2 # grey\n2 # columns\n 1\n100\n0 50";
        assert_eq!(read_picture(text).unwrap().pixels(), [-128.0, 0.0]);
        assert_eq!(samples_of(text), [0.0, 50.0]);
        let above = read_picture(b"P2 2 1 9 4 12").unwrap_err().to_string();
        assert!(above.contains("a sample of 12, above its greatest, 9"), "{above}");
        let wide = b"P5\n2 1\n65535\n\x00\x00\xFF\xFF";
        assert_eq!(read_picture(wide).unwrap().pixels(), [-128.0, 127.0]);
    }

    #[test]
    fn samples_are_rounded_and_limited() {
        let image = Image::from_pixels(3, 1, vec![-4.0, 300.0, 2.6]).unwrap();
        let file = write_samples(&image, 255, PictureFormat::Pgm).unwrap();
        assert_eq!(samples_of(&file), [0.0, 255.0, 3.0]);
    }

    #[test]
    fn colours_become_grey_and_transparency_is_ignored() {
        let file = |data: &[u8], color, depth| {
            let mut bytes = Vec::new();
            let mut encoder = Encoder::new(&mut bytes, 2, 1);
            encoder.set_color(color);
            encoder.set_depth(depth);
            encoder.write_header().unwrap().write_image_data(data).unwrap();
            samples_of(&bytes)
        };
        let (byte, wide) = (BitDepth::Eight, BitDepth::Sixteen);
        assert_eq!(file(&[255, 0, 0, 255, 255, 255], ColorType::Rgb, byte), [76.0, 255.0]);
        assert_eq!(file(&[255, 0, 0, 9, 255, 255, 255, 0], ColorType::Rgba, byte), [76.0, 255.0]);
        assert_eq!(file(&[7, 0, 8, 255], ColorType::GrayscaleAlpha, byte), [7.0, 8.0]);
        let red = [65_535u16, 0, 0, 65_535, 65_535, 65_535].map(u16::to_be_bytes).concat();
        assert_eq!(file(&red, ColorType::Rgb, wide), [19_595.0, 65_535.0]);
        assert_eq!(file(&[0b0110_0000], ColorType::Grayscale, BitDepth::Two), [85.0, 170.0]);
    }

    #[test]
    fn damaged_files_are_refused() {
        let png = write_picture(&ramp(), PictureFormat::Png).unwrap();
        for length in 0..png.len() - 12 {
            assert!(read_picture(&png[..length]).is_err(), "{length} bytes");
        }
        for text in [
            "P5",
            "P5 2",
            "P5 2 2 255",
            "P5 2 2 255\nab",
            "P5 2 2 255\nabc",
            "P2 1 1 0\n1",
            "P2 1 1 65536\n1",
            "P5 99999 99999 255\n",
            "P2 1 1 9 x",
            "P5 1 1 9a",
            "P2 99999999999 1 9",
        ] {
            assert!(read_picture(text.as_bytes()).is_err(), "{text}");
        }
        assert_eq!(read_picture(b"GIF89a"), Err(PictureError::UnknownFormat));
        assert_eq!(read_picture(b"P2 0 3 15\n"), Err(PictureError::Empty { width: 0, height: 3 }));
        assert!(write_picture(&Image::filled(0, 3, 0.0), PictureFormat::Png).is_err());
        assert_eq!(PictureFormat::of("out.jpg"), Err(PictureError::UnknownEnding));
    }
}
