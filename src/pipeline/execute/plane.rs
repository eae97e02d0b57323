//! Pictures, and parts of the plane with values.

use rayon::iter::{IndexedParallelIterator, ParallelIterator};
use rayon::slice::ParallelSliceMut;

use crate::pipeline::{Fold, PixelType};

/// A picture: rows from the north, each from the west.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// The pixels.
    pub data: Data,
}

/// Values in a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// Integers, or numerators over the denominator of the node.
    Exact(Vec<i128>),
    /// Values of single precision.
    Float(Vec<f32>),
}

/// A rectangle of pixels. `x` counts columns to the east and `y` rows to the south.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rect {
    pub(super) x: i64,
    pub(super) y: i64,
    pub(super) width: i64,
    pub(super) height: i64,
}

impl Rect {
    /// The rectangle from these columns and rows to those, both included.
    pub(super) fn between([x0, y0]: [i64; 2], [x1, y1]: [i64; 2]) -> Self {
        Self { x: x0, y: y0, width: x1 - x0 + 1, height: y1 - y0 + 1 }
    }

    /// The last column and row.
    pub(super) fn last(self) -> [i64; 2] {
        [self.x + self.width - 1, self.y + self.height - 1]
    }

    /// The smallest rectangle that contains both.
    pub(super) fn union(self, other: Self) -> Self {
        let ([a, b], [c, d]) = (self.last(), other.last());
        Self::between([self.x.min(other.x), self.y.min(other.y)], [a.max(c), b.max(d)])
    }
}

/// Where a node is computed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) rect: Rect,
    pub(super) planes: Option<usize>,
}

/// The values of a node in a rectangle.
#[derive(Clone, Debug)]
pub(super) struct Plane {
    pub(super) place: Place,
    pub(super) data: Data,
}

impl Plane {
    /// A picture as a plane, in the numbers of its type.
    pub(super) fn of(image: &Image, pixel: PixelType) -> Self {
        let rect = Rect { x: 0, y: 0, width: image.width as i64, height: image.height as i64 };
        let data = match (&image.data, pixel) {
            (Data::Exact(values), PixelType::Float32) => {
                Data::Float(values.iter().map(|v| *v as f32).collect())
            }
            (data, _) => data.clone(),
        };
        Self { place: Place { rect, planes: None }, data }
    }

    /// No pixels.
    pub(super) fn empty() -> Self {
        let rect = Rect { x: 0, y: 0, width: 0, height: 0 };
        Self { place: Place { rect, planes: None }, data: Data::Exact(Vec::new()) }
    }

    /// The same integer everywhere.
    pub(super) fn filled(place: Place, value: i128) -> Self {
        Self { place, data: Data::Exact(vec![value; place.len()]) }
    }

    /// The part of a plane in a rectangle, as a picture.
    pub(super) fn image(&self, rect: Rect, pixel: PixelType) -> Image {
        let part = self.spread(Place { rect, planes: None });
        let data = match (part.data, pixel) {
            (Data::Exact(values), PixelType::Float32) => {
                Data::Float(values.iter().map(|v| *v as f32).collect())
            }
            (data, _) => data,
        };
        Image { width: rect.width as usize, height: rect.height as usize, data }
    }

    /// The values in a part of the plane, for all its planes.
    pub(super) fn spread(&self, place: Place) -> Self {
        let at = place.pixels().map(|at| self.index(at).expect("values are computed where they are needed"));
        let data = match &self.data {
            Data::Exact(values) => Data::Exact(at.map(|at| values[at]).collect()),
            Data::Float(values) => Data::Float(at.map(|at| values[at]).collect()),
        };
        Self { place, data }
    }

    /// The index of a pixel; `None` in planes that do not exist.
    ///
    /// # Panics
    /// If the pixel is not in the rectangle: values are computed where they are needed.
    pub(super) fn index(&self, [x, y, z]: [i64; 3]) -> Option<usize> {
        let Place { rect, planes } = self.place;
        let (column, row) = (x - rect.x, y - rect.y);
        let inside = (0..rect.width).contains(&column) && (0..rect.height).contains(&row);
        assert!(inside, "column {x} and row {y} are in {rect:?}");
        let plane = match planes {
            None => 0,
            Some(planes) => usize::try_from(z).ok().filter(|z| *z < planes)?,
        };
        Some((plane * rect.height as usize + row as usize) * rect.width as usize + column as usize)
    }

    /// The integer at a pixel; zero in planes that do not exist.
    pub(super) fn exact(&self, at: [i64; 3]) -> i128 {
        match (&self.data, self.index(at)) {
            (Data::Exact(values), Some(index)) => values[index],
            (_, None) => 0,
            (Data::Float(_), _) => unreachable!("operands of exact operations are exact"),
        }
    }

    /// The value of single precision at a pixel; zero in planes that do not exist.
    pub(super) fn float(&self, at: [i64; 3]) -> f32 {
        match (&self.data, self.index(at)) {
            (Data::Float(values), Some(index)) => values[index],
            (_, None) => 0.0,
            (Data::Exact(_), _) => unreachable!("operands in single precision are converted"),
        }
    }
}

impl Place {
    /// The number of values.
    pub(super) fn len(self) -> usize {
        self.rect.width as usize * self.rect.height as usize * self.planes.unwrap_or(1)
    }

    /// A value for each pixel, in the order of [`Self::pixels`]; rows are computed at the same time. `None` if a pixel has none.
    pub(super) fn computed<T: Clone + Default + Send>(
        self,
        value: &(dyn Fn([i64; 3]) -> Option<T> + Sync),
    ) -> Option<Vec<T>> {
        let Rect { x, y, width, height } = self.rect;
        let mut values = vec![T::default(); self.len()];
        values.par_chunks_mut(width.max(1) as usize).enumerate().try_for_each(|(number, row)| {
            let number = number as i64;
            for (column, to) in (x..).zip(row) {
                *to = value([column, y + number % height, number / height])?;
            }
            Some(())
        })?;
        Some(values)
    }

    /// All pixels in order: planes, rows from the north, columns from the west.
    pub(super) fn pixels(self) -> impl Iterator<Item = [i64; 3]> {
        let Self { rect, planes } = self;
        let planes = 0..planes.unwrap_or(1) as i64;
        planes.flat_map(move |z| {
            (rect.y..rect.y + rect.height)
                .flat_map(move |y| (rect.x..rect.x + rect.width).map(move |x| [x, y, z]))
        })
    }
}

/// One step of a fold: the total, and the value of the variable where the least was found. `None` on overflow.
pub(super) fn folded(
    fold: Fold,
    mut total: Plane,
    next: &Plane,
    mut argument: Option<Plane>,
    at: i32,
) -> Option<(Plane, Option<Plane>)> {
    match (&mut total.data, &next.data) {
        (Data::Exact(total), Data::Exact(next)) => {
            for (index, (total, next)) in total.iter_mut().zip(next).enumerate() {
                *total = match fold {
                    Fold::Add => total.checked_add(*next)?,
                    Fold::Maximum => (*total).max(*next),
                    Fold::Minimum | Fold::ArgumentOfMinimum => {
                        if *next < *total {
                            note(&mut argument, index, at);
                        }
                        (*total).min(*next)
                    }
                };
            }
        }
        (Data::Float(total), Data::Float(next)) => {
            for (index, (total, next)) in total.iter_mut().zip(next).enumerate() {
                let less = match fold {
                    Fold::Maximum => *total < *next,
                    _ => *next < *total,
                };
                match fold {
                    Fold::Add => *total += next,
                    _ if less => {
                        note(&mut argument, index, at);
                        *total = *next;
                    }
                    _ => {}
                }
            }
        }
        _ => unreachable!("a value has one kind of numbers"),
    }
    Some((total, argument))
}

fn note(argument: &mut Option<Plane>, index: usize, at: i32) {
    if let Some(Plane { data: Data::Exact(values), .. }) = argument {
        values[index] = at.into();
    }
}
