//! The reference: convolution written out as loops over pixels and taps. It uses no kernel algebra and no simulator.

use crate::picture::Image;

/// out(p) = Σ coefficient · image(p + (dx, dy)) over taps (channel, dx, dy, coefficient); pixels outside are 0.
///
/// # Panics
/// If a tap names a channel without an image.
pub fn convolve(channels: &[Image], taps: &[(usize, i32, i32, f64)], [width, height]: [usize; 2]) -> Image {
    let mut pixels = vec![0.0; width * height];
    for y in 0..height {
        for x in 0..width {
            let mut sum = 0.0;
            for (channel, dx, dy, coefficient) in taps {
                let pixel = channels[*channel].get(x as i64 + i64::from(*dx), y as i64 + i64::from(*dy));
                sum += coefficient * pixel.unwrap_or(0.0);
            }
            pixels[y * width + x] = sum;
        }
    }
    Image::from_pixels(width, height, pixels).expect("there are width · height pixels")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tap_at_an_offset_takes_the_pixel_at_that_offset() {
        let image = Image::from_pixels(3, 2, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        let east_and_north = convolve(&[image], &[(0, 1, 0, 1.0), (0, 0, 1, 10.0)], [3, 2]);
        assert_eq!(east_and_north.pixels(), [42.0, 53.0, 60.0, 5.0, 6.0, 0.0]);
    }
}
