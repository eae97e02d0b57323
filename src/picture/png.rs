//! PNG files, by the crate of that name.

use std::io::{Cursor, ErrorKind};

use png::{BitDepth, ColorType, Compression, Decoder, DecodingError, Encoder, Filter, Transformations};

use super::format::{PictureError, pixel_count};
use super::raster::Raster;

/// Reads the first picture of a file. Palettes become colours, and samples of fewer than eight bits become samples of eight.
///
/// # Errors
/// [`PictureError::Damaged`], and those of [`pixel_count`].
pub(super) fn read(bytes: &[u8]) -> Result<Raster, PictureError> {
    let mut decoder = Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(Transformations::EXPAND);
    let info = decoder.read_header_info().map_err(damaged)?;
    let size = [info.width, info.height];
    let count = pixel_count(size.map(|side| side as usize))?;
    let mut reader = decoder.read_info().map_err(damaged)?;
    let (color, depth) = reader.output_color_type();
    let is_deep = depth == BitDepth::Sixteen;
    let mut bytes = vec![0; count * color.samples() * if is_deep { 2 } else { 1 }];
    reader.next_frame(&mut bytes).map_err(damaged)?;
    let samples = if is_deep {
        bytes.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect()
    } else {
        bytes.into_iter().map(u16::from).collect()
    };
    Ok(Raster { size, channels: color.samples(), most: if is_deep { u16::MAX } else { 255 }, samples })
}

/// A greyscale file: eight bits per sample up to 255, otherwise sixteen.
///
/// # Errors
/// [`PictureError::NotWritten`].
pub(super) fn write(raster: &Raster) -> Result<Vec<u8>, PictureError> {
    let Raster { size: [width, height], most, .. } = *raster;
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, width, height);
    encoder.set_color(ColorType::Grayscale);
    encoder.set_depth(if most > 255 { BitDepth::Sixteen } else { BitDepth::Eight });
    encoder.set_compression(Compression::Balanced);
    encoder.set_filter(Filter::Adaptive);
    let bytes: Vec<u8> = raster.bytes().collect();
    let written = encoder.write_header().and_then(|mut writer| {
        writer.write_image_data(&bytes)?;
        writer.finish()
    });
    written.map_err(|error| PictureError::NotWritten { reason: error.to_string() })?;
    Ok(file)
}

fn damaged(error: DecodingError) -> PictureError {
    let reason = match error {
        DecodingError::IoError(error) if error.kind() == ErrorKind::UnexpectedEof => {
            "it ends too early".to_owned()
        }
        error => error.to_string(),
    };
    PictureError::Damaged { format: "PNG", reason }
}
