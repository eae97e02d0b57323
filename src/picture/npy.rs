//! NumPy's `.npy` files with two dimensions: pictures of any type, rows from the north.

use super::format::PictureError;

const MAGIC: &[u8] = b"\x93NUMPY";

/// The numbers of a picture, rows from the north.
#[derive(Clone, Debug, PartialEq)]
pub enum Samples {
    /// Integers.
    Integers(Vec<i128>),
    /// Values of single precision.
    Singles(Vec<f32>),
}

/// Whether a file begins as `.npy` files do.
pub fn is_npy(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Reads an array with two dimensions of integers, truth values or single precision; returns columns, rows and numbers.
///
/// # Errors
/// [`PictureError::Damaged`], which says what is not supported, and [`PictureError::Empty`].
pub fn read_npy(bytes: &[u8]) -> Result<([usize; 2], Samples), PictureError> {
    let damaged = |reason: &str| PictureError::Damaged { format: "NPY", reason: reason.to_owned() };
    let short = || damaged("it ends too early");
    let version = *bytes.get(MAGIC.len()).ok_or_else(short)?;
    let (start, length) = match version {
        1 => {
            let length = bytes.get(8..10).ok_or_else(short)?;
            (10, usize::from(u16::from_le_bytes([length[0], length[1]])))
        }
        2 | 3 => {
            let length = bytes.get(8..12).ok_or_else(short)?;
            (12, u32::from_le_bytes([length[0], length[1], length[2], length[3]]) as usize)
        }
        _ => return Err(damaged("its version is unknown")),
    };
    let end = start + length;
    let header =
        bytes.get(start..end).and_then(|header| std::str::from_utf8(header).ok()).ok_or_else(short)?;
    let value = |key: &str| header.split_once(&format!("'{key}':")).map(|(_, rest)| rest.trim_start());
    if !value("fortran_order").is_some_and(|order| order.starts_with("False")) {
        return Err(damaged("its rows are not contiguous (fortran_order)"));
    }
    let shape = value("shape").and_then(|shape| shape.strip_prefix('(')?.split_once(')'));
    let sides: Option<Vec<usize>> = shape
        .map(|(sides, _)| sides.split(',').map(|side| side.trim().parse().ok()).collect())
        .unwrap_or_default();
    let Some([height, width]) = sides.as_deref() else {
        return Err(damaged("it does not have two dimensions, rows and columns"));
    };
    let (width, height) = (*width, *height);
    if width == 0 || height == 0 {
        return Err(PictureError::Empty { width, height });
    }
    let descr =
        value("descr").and_then(|descr| descr.strip_prefix('\'')?.split_once('\'')).map(|(descr, _)| descr);
    let descr = descr.unwrap_or_default();
    let kind = descr.trim_start_matches(['|', '<', '=']);
    let size = match kind {
        "u1" | "i1" | "b1" => 1,
        "u2" | "i2" => 2,
        "u4" | "i4" | "f4" => 4,
        "u8" | "i8" => 8,
        _ => return Err(damaged(&format!("its type `{descr}` is not supported: integers and `<f4` are"))),
    };
    let places = width.checked_mul(height).and_then(|pixels| pixels.checked_mul(size));
    let data = places.and_then(|places| bytes.get(end..end.checked_add(places)?)).ok_or_else(short)?;
    let numbers = data.chunks_exact(size);
    if kind == "f4" {
        let single = |b: &[u8]| f32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        return Ok(([width, height], Samples::Singles(numbers.map(single).collect())));
    }
    let signed = kind.starts_with('i');
    let integer = |bytes: &[u8]| {
        let low = bytes.iter().rev().fold(0i128, |value, byte| value << 8 | i128::from(*byte));
        if signed && low >> (8 * size - 1) != 0 { low - (1 << (8 * size)) } else { low }
    };
    Ok(([width, height], Samples::Integers(numbers.map(integer).collect())))
}

/// Writes an array with two dimensions: integers of 8, 16, 32 or 64 bits, or single precision. Integers keep their low bits.
pub fn write_npy([width, height]: [usize; 2], (bits, signed): (u32, bool), samples: &Samples) -> Vec<u8> {
    let size = bits as usize / 8;
    let (kind, order) = (if signed { 'i' } else { 'u' }, if size == 1 { '|' } else { '<' });
    let descr = match samples {
        Samples::Integers(_) => format!("{order}{kind}{size}"),
        Samples::Singles(_) => "<f4".to_owned(),
    };
    let mut header =
        format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({height}, {width}), }}");
    // The numbers begin at a multiple of 64 bytes.
    while !(MAGIC.len() + 4 + header.len() + 1).is_multiple_of(64) {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = MAGIC.to_vec();
    bytes.extend([1, 0]);
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    match samples {
        Samples::Integers(values) => {
            values.iter().for_each(|value| bytes.extend(&value.to_le_bytes()[..size]))
        }
        Samples::Singles(values) => values.iter().for_each(|value| bytes.extend(value.to_le_bytes())),
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_read_back() {
        let integers = Samples::Integers(vec![0, 1, 127, -128, -1, 5]);
        for bits in [8, 16, 32, 64] {
            let file = write_npy([3, 2], (bits, true), &integers);
            assert_eq!(read_npy(&file).unwrap(), ([3, 2], integers.clone()));
            for length in 0..file.len() {
                assert!(read_npy(&file[..length]).is_err(), "{length} bytes");
            }
        }
        let large = Samples::Integers(vec![u64::MAX.into()]);
        assert_eq!(read_npy(&write_npy([1, 1], (64, false), &large)).unwrap().1, large);
        let singles = Samples::Singles(vec![0.5, -2.0]);
        assert_eq!(read_npy(&write_npy([1, 2], (32, true), &singles)).unwrap(), ([1, 2], singles));
    }
}
