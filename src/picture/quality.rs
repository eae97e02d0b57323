//! Measures of the difference between two images.

use super::image::Image;

/// The range of eight-bit values.
const SPAN: f64 = 255.0;

/// The root mean square difference of two images of the same size.
pub fn rms(image: &Image, reference: &Image) -> f64 {
    let squares = image.pixels().iter().zip(reference.pixels()).map(|(a, b)| (a - b) * (a - b));
    (squares.sum::<f64>() / image.pixels().len().max(1) as f64).sqrt()
}

/// The width of the window of [`ssim`].
const WINDOW: usize = 11;

/// The mean structural similarity of two images of the same size (Wang, Bovik, Sheikh and Simoncelli, "Image quality
/// assessment: from error visibility to structural similarity", IEEE TIP 2004): a Gaussian window of 11 × 11 with a deviation of
/// 1.5, K1 = 0.01, K2 = 0.03, a dynamic range of 255, averaged over all windows that lie inside. 1 for equal images; `None`
/// if an image is smaller than a window.
pub fn ssim(image: &Image, reference: &Image) -> Option<f64> {
    if image.width() < WINDOW || image.height() < WINDOW {
        return None;
    }
    let product = |a: &Image, b: &Image| {
        let pixels = a.pixels().iter().zip(b.pixels()).map(|(a, b)| a * b).collect();
        Image::from_pixels(a.width(), a.height(), pixels)
    };
    // The means must not be negative, as for grey values.
    let lifted = |image: &Image| {
        let pixels = image.pixels().iter().map(|value| value + 128.0).collect();
        Image::from_pixels(image.width(), image.height(), pixels)
    };
    let (a, b) = (lifted(image)?, lifted(reference)?);
    let [mean_a, mean_b] = [&a, &b].map(smoothed);
    let (aa, bb, ab) =
        (smoothed(&product(&a, &a)?), smoothed(&product(&b, &b)?), smoothed(&product(&a, &b)?));
    let (c1, c2) = ((0.01 * SPAN) * (0.01 * SPAN), (0.03 * SPAN) * (0.03 * SPAN));
    let mut sum = 0.0;
    for index in 0..mean_a.len() {
        let (ma, mb) = (mean_a[index], mean_b[index]);
        let (va, vb, cov) = (aa[index] - ma * ma, bb[index] - mb * mb, ab[index] - ma * mb);
        sum += (2.0 * ma * mb + c1) * (2.0 * cov + c2) / ((ma * ma + mb * mb + c1) * (va + vb + c2));
    }
    Some(sum / mean_a.len() as f64)
}

/// The weighted mean of every window that lies inside.
fn smoothed(image: &Image) -> Vec<f64> {
    let weight = |i: usize| (-((i as f64 - 5.0) / 1.5).powi(2) / 2.0).exp();
    let total: f64 = (0..WINDOW).map(weight).sum();
    let window: Vec<f64> = (0..WINDOW).map(|i| weight(i) / total).collect();
    let width = image.width() - WINDOW + 1;
    let mean = |values: &mut dyn Iterator<Item = f64>| values.zip(&window).map(|(v, w)| v * w).sum::<f64>();
    let mut rows = Vec::with_capacity(width * image.height());
    for y in 0..image.height() {
        let row = image.row(y);
        rows.extend((0..width).map(|x| mean(&mut row[x..x + WINDOW].iter().copied())));
    }
    let mut out = Vec::with_capacity(width * (image.height() - WINDOW + 1));
    for y in 0..=image.height() - WINDOW {
        out.extend((0..width).map(|x| mean(&mut (0..WINDOW).map(|i| rows[(y + i) * width + x]))));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::Random;
    use crate::picture::Pattern;

    #[test]
    fn equal_images_are_alike_and_noise_makes_them_less_so() {
        let image = Image::synthetic(Pattern::Scene, [40, 30], [-128, 127], 1);
        assert_eq!(rms(&image, &image), 0.0);
        assert!((ssim(&image, &image).unwrap() - 1.0).abs() < 1e-12);
        let noisy = |deviation: f64| {
            let mut random = Random::new(7);
            let pixels = image.pixels().iter().map(|v| v + deviation * random.normal()).collect();
            Image::from_pixels(40, 30, pixels).unwrap()
        };
        let [little, much] = [2.0, 20.0].map(noisy);
        assert!((rms(&little, &image) - 2.0).abs() < 0.2 && (rms(&much, &image) - 20.0).abs() < 2.0);
        let [little, much] = [&little, &much].map(|other| ssim(other, &image).unwrap());
        assert!(1.0 > little && little > much && much > 0.0, "{little}, {much}");
        assert_eq!(ssim(&Image::filled(10, 20, 0.0), &Image::filled(10, 20, 0.0)), None);
    }

    #[test]
    fn constant_images_are_compared_by_their_means_only() {
        let (a, b) = (Image::filled(11, 11, -28.0), Image::filled(11, 11, 22.0));
        // Grey values 100 and 150: (2·100·150 + 6.5025) / (100² + 150² + 6.5025).
        assert!((ssim(&a, &b).unwrap() - 30_006.502_5 / 32_506.502_5).abs() < 1e-9);
    }
}
