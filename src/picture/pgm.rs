//! PGM files, plain (P2) and binary (P5), as <https://netpbm.sourceforge.net/doc/pgm.html> defines them.

use super::format::{PictureError, pixel_count};
use super::raster::Raster;

/// Reads the first picture of a file that begins with `P2` or `P5`.
///
/// # Errors
/// [`PictureError::Damaged`], and those of [`pixel_count`].
pub(super) fn read(bytes: &[u8]) -> Result<Raster, PictureError> {
    let is_plain = bytes.starts_with(b"P2");
    let mut text = Text { rest: &bytes[2..] };
    let size = [text.number("the width")?, text.number("the height")?];
    let most = text.number("the greatest sample")?;
    let most = u16::try_from(most).ok().filter(|most| *most > 0);
    let most = most.ok_or_else(|| damaged("the greatest sample must be from 1 to 65535"))?;
    let count = pixel_count(size.map(|side| side as usize))?;
    let fits = |sample: u32| match u16::try_from(sample).ok().filter(|sample| *sample <= most) {
        Some(sample) => Ok(sample),
        None => Err(damaged(format!("it has a sample of {sample}, above its greatest, {most}"))),
    };
    let samples: Result<Vec<u16>, PictureError> = if is_plain {
        (0..count).map(|_| fits(text.number("a sample")?)).collect()
    } else {
        let bytes = text.binary()?;
        let width = if most > 255 { 2 } else { 1 };
        let raster = bytes.get(..count * width).ok_or_else(ends_early)?;
        let sample = |bytes: &[u8]| bytes.iter().fold(0, |sample, byte| sample << 8 | u32::from(*byte));
        raster.chunks_exact(width).map(|bytes| fits(sample(bytes))).collect()
    };
    Ok(Raster { size, channels: 1, most, samples: samples? })
}

/// A binary file: one byte per sample up to 255, otherwise two.
pub(super) fn write(raster: &Raster) -> Vec<u8> {
    let Raster { size: [width, height], most, .. } = raster;
    let mut bytes = format!("P5\n{width} {height} {most}\n").into_bytes();
    bytes.extend(raster.bytes());
    bytes
}

fn damaged(reason: impl Into<String>) -> PictureError {
    PictureError::Damaged { format: "PGM", reason: reason.into() }
}

fn ends_early() -> PictureError {
    damaged("it ends too early")
}

/// What is left of a file.
struct Text<'a> {
    rest: &'a [u8],
}

impl<'a> Text<'a> {
    /// The next number; `what` names it. Comments go from `#` to the end of their line.
    fn number(&mut self, what: &str) -> Result<u32, PictureError> {
        loop {
            match self.rest {
                [byte, rest @ ..] if byte.is_ascii_whitespace() => self.rest = rest,
                [b'#', ..] => {
                    let line = self.rest.iter().position(|byte| *byte == b'\n').unwrap_or(self.rest.len());
                    self.rest = &self.rest[line..];
                }
                _ => break,
            }
        }
        let digits = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (number, rest) = self.rest.split_at(digits);
        if number.is_empty() {
            return Err(match rest.first() {
                Some(byte) => damaged(format!("expected {what}, found `{}`", byte.escape_ascii())),
                None => ends_early(),
            });
        }
        self.rest = rest;
        let digit = |byte: &u8| u32::from(byte - b'0');
        let number = number.iter().try_fold(0u32, |all, byte| all.checked_mul(10)?.checked_add(digit(byte)));
        number.ok_or_else(|| damaged(format!("{what} has too many digits")))
    }

    /// The bytes after the header, which ends with one blank.
    fn binary(self) -> Result<&'a [u8], PictureError> {
        match self.rest {
            [byte, rest @ ..] if byte.is_ascii_whitespace() => Ok(rest),
            [] => Err(ends_early()),
            _ => Err(damaged("a blank must follow the greatest sample")),
        }
    }
}
