//! Pictures as numbers: the samples of a PNG or PGM file as they are, eight or sixteen bits deep.
//!
//! Colours become grey as in [`super::Picture`], by 0.299 red + 0.587 green + 0.114 blue; transparency is ignored.

use std::io::Cursor;

use super::image::Image;
use crate::picture::file::{Header, PictureError, PictureFormat, within_limits};

/// Reads a PNG or PGM file: an image of its samples, and the greatest that it could hold.
///
/// # Errors
/// [`PictureError`].
pub fn read_samples(bytes: &[u8]) -> Result<(Image, u32), PictureError> {
    let ([width, height], samples, most) = match bytes {
        [0x89, b'P', b'N', b'G', ..] => png_samples(bytes)?,
        [b'P', b'2' | b'5', ..] => pgm_samples(bytes)?,
        _ => return Err(PictureError::UnknownFormat),
    };
    // Files begin in the north, images in the south.
    let rows = samples.chunks_exact(width.max(1)).rev();
    let pixels = rows.flatten().map(|sample| f64::from(*sample)).collect();
    let image = Image::from_pixels(width, height, pixels);
    image.map(|image| (image, most)).ok_or(PictureError::TooLarge { width, height })
}

/// The file of an image whose samples are rounded and limited to 0 to `most`: one byte each up to 255, two beyond.
///
/// # Errors
/// [`PictureError::Damaged`] where the format cannot hold it, as one without pixels.
pub fn write_samples(image: &Image, most: u16, format: PictureFormat) -> Result<Vec<u8>, PictureError> {
    let mut samples = Vec::with_capacity(image.pixels().len());
    for y in (0..image.height()).rev() {
        samples.extend(image.row(y).iter().map(|value| value.round().clamp(0.0, most.into()) as u16));
    }
    let deep = most > 255;
    let data: Vec<u8> = if deep {
        samples.iter().flat_map(|sample| sample.to_be_bytes()).collect()
    } else {
        samples.iter().map(|sample| *sample as u8).collect()
    };
    if format == PictureFormat::Pgm {
        let mut bytes = format!("P5\n{} {}\n{most}\n", image.width(), image.height()).into_bytes();
        bytes.extend(data);
        return Ok(bytes);
    }
    let wrong = |reason: String| PictureError::Damaged { format: "PNG", reason };
    let side = |n: usize| u32::try_from(n).map_err(|error| wrong(error.to_string()));
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, side(image.width())?, side(image.height())?);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(if deep { png::BitDepth::Sixteen } else { png::BitDepth::Eight });
    let written = encoder.write_header().and_then(|mut writer| {
        writer.write_image_data(&data)?;
        writer.finish()
    });
    written.map_err(|error| wrong(error.to_string()))?;
    Ok(bytes)
}

type Samples = ([usize; 2], Vec<u32>, u32);

fn png_samples(bytes: &[u8]) -> Result<Samples, PictureError> {
    let wrong =
        |error: png::DecodingError| PictureError::Damaged { format: "PNG", reason: error.to_string() };
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(wrong)?;
    let (width, height) = (reader.info().width as usize, reader.info().height as usize);
    within_limits(width, height)?;
    let size = reader.output_buffer_size().ok_or(PictureError::TooLarge { width, height })?;
    let mut data = vec![0; size];
    let frame = reader.next_frame(&mut data).map_err(wrong)?;
    let data = &data[..frame.buffer_size()];
    let deep = frame.bit_depth == png::BitDepth::Sixteen;
    let samples: Vec<u32> = if deep {
        data.chunks_exact(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(pair[1])).collect()
    } else {
        data.iter().copied().map(u32::from).collect()
    };
    let luma = |rgb: &[u32]| (299 * rgb[0] + 587 * rgb[1] + 114 * rgb[2] + 500) / 1000;
    let channels = frame.color_type.samples();
    let grey = if channels < 3 {
        samples.into_iter().step_by(channels).collect()
    } else {
        samples.chunks_exact(channels).map(luma).collect()
    };
    Ok(([width, height], grey, if deep { 65535 } else { 255 }))
}

fn pgm_samples(bytes: &[u8]) -> Result<Samples, PictureError> {
    let wrong = |reason: &str| PictureError::Damaged { format: "PGM", reason: reason.to_owned() };
    let mut header = Header { bytes, at: 2 };
    let mut field = |what: &str| header.number().ok_or_else(|| wrong(&format!("{what} is missing")));
    let (width, height, most) = (field("the width")?, field("the height")?, field("the greatest value")?);
    let pixels = within_limits(width, height)?;
    let most = u32::try_from(most).ok().filter(|most| (1..=65535).contains(most));
    let most = most.ok_or_else(|| wrong("the greatest value is not within 1 to 65535"))?;
    let mut samples = Vec::new();
    if bytes[1] == b'2' {
        for _ in 0..pixels {
            let sample = header.number().ok_or_else(|| wrong("it has too few pixels"))?;
            samples.push(sample.min(most as usize) as u32);
        }
    } else {
        // One white space stands between the header and the pixels.
        let each = if most > 255 { 2 } else { 1 };
        let data = bytes.get(header.at + 1..).unwrap_or_default();
        let data = data.get(..pixels * each).ok_or_else(|| wrong("it has too few pixels"))?;
        let value = |sample: &[u8]| sample.iter().fold(0, |sum, byte| sum << 8 | u32::from(*byte));
        samples.extend(data.chunks_exact(each).map(|sample| value(sample).min(most)));
    }
    Ok(([width, height], samples, most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_of_both_depths_read_back() {
        for (most, pixels) in [
            (255, vec![0.0, 7.0, 255.0, 128.0, 1.0, 2.0]),
            (65535, vec![0.0, 65535.0, 256.0, 255.0, 3.0, 4.0]),
        ] {
            let image = Image::from_pixels(3, 2, pixels).unwrap();
            for format in [PictureFormat::Png, PictureFormat::Pgm] {
                let file = write_samples(&image, most, format).unwrap();
                assert_eq!(read_samples(&file).unwrap(), (image.clone(), most.into()), "{format:?}");
            }
        }
    }

    #[test]
    fn samples_are_rounded_and_limited() {
        let image = Image::from_pixels(3, 1, vec![-4.0, 300.0, 2.6]).unwrap();
        let file = write_samples(&image, 255, PictureFormat::Pgm).unwrap();
        assert_eq!(read_samples(&file).unwrap().0.pixels(), [0.0, 255.0, 3.0]);
        assert_eq!(read_samples(b"P2 2 1 9 4 12").unwrap().0.pixels(), [4.0, 9.0]);
        assert!(read_samples(b"GIF89a").is_err() && read_samples(b"P5 2 2 255\nabc").is_err());
    }
}
