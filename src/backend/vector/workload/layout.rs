//! Data layouts in the notation of Vyasa's table VII: `(K/16)(C/2)SR(16)(2)`, `(C/2)Y'X'(2)`, `KCSR`.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::Dim;

/// A part of a layout. Consecutive indices of the last part are adjacent in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    /// A whole dimension.
    Whole(Dim),
    /// The blocks of a dimension, with their size in elements.
    Blocks(Dim, usize),
    /// The elements within a block.
    Within(Dim, usize),
}

impl Part {
    fn dim(self) -> Dim {
        match self {
            Self::Whole(dim) | Self::Blocks(dim, _) | Self::Within(dim, _) => dim,
        }
    }
}

/// The order of a tensor in memory, outermost part first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    parts: Vec<Part>,
    text: String,
}

/// An error in the text of a layout.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum LayoutError {
    /// A character that begins no part.
    #[error("expected a dimension or `(` at `{rest}`")]
    Unexpected {
        /// The rest of the text.
        rest: String,
    },
    /// A parenthesis without `D/N`, `D:N` or `N` in it.
    #[error("expected `(D/N)`, `(D:N)` or `(N)`, found `({inside})`")]
    Block {
        /// The text between the parentheses.
        inside: String,
    },
    /// An inner block without a dimension that is split into blocks of its size.
    #[error("no dimension is cut into blocks of {size} that are still open")]
    NoBlocks {
        /// The size of the block.
        size: usize,
    },
    /// A dimension that occurs twice, or is split into blocks that are missing.
    #[error("the dimension `{dim}` is laid out twice, or in part only")]
    Repeated {
        /// The dimension.
        dim: Dim,
    },
}

impl FromStr for Layout {
    type Err = LayoutError;

    fn from_str(text: &str) -> Result<Self, LayoutError> {
        let mut parts: Vec<Part> = Vec::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            if let Some(after) = rest.strip_prefix('(') {
                let Some((inside, after)) = after.split_once(')') else {
                    return Err(LayoutError::Unexpected { rest: rest.to_owned() });
                };
                parts.push(block(inside, &parts)?);
                rest = after;
            } else {
                let dim = Dim::named(&first.to_lowercase().to_string())
                    .ok_or_else(|| LayoutError::Unexpected { rest: rest.to_owned() })?;
                parts.push(Part::Whole(dim));
                rest = rest[first.len_utf8()..].trim_start_matches(['\'', '’']);
            }
        }
        for part in &parts {
            let whole = |p: &&Part| matches!(p, Part::Whole(d) if *d == part.dim());
            let of = |p: &&Part| p.dim() == part.dim();
            let complete = match parts.iter().filter(of).count() {
                1 => parts.iter().filter(whole).count() == 1,
                2 => parts.iter().filter(whole).count() == 0,
                _ => false,
            };
            if !complete {
                return Err(LayoutError::Repeated { dim: part.dim() });
            }
        }
        Ok(Self { parts, text: text.to_owned() })
    }
}

/// Parses the text between parentheses, after the parts `before`.
fn block(inside: &str, before: &[Part]) -> Result<Part, LayoutError> {
    let bad = || LayoutError::Block { inside: inside.to_owned() };
    let size = |text: &str| text.parse::<usize>().ok().filter(|n| (1..=1024).contains(n)).ok_or_else(bad);
    let dim = |text: &str| Dim::named(&text.trim_end_matches(['\'', '’']).to_lowercase()).ok_or_else(bad);
    if let Some((name, count)) = inside.split_once('/') {
        return Ok(Part::Blocks(dim(name)?, size(count)?));
    }
    if let Some((name, count)) = inside.split_once(':') {
        return Ok(Part::Within(dim(name)?, size(count)?));
    }
    let count = size(inside)?;
    let open = |d: Dim| !before.iter().any(|p| matches!(p, Part::Within(other, _) if *other == d));
    let blocks = before.iter().find_map(|part| match part {
        Part::Blocks(d, n) if *n == count && open(*d) => Some(*d),
        _ => None,
    });
    blocks.map(|d| Part::Within(d, count)).ok_or(LayoutError::NoBlocks { size: count })
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Layout {
    /// The placement of a tensor of these extents (an unnamed dimension has extent 1). The stride of a dimension in
    /// `aligned`, or of its blocks, is rounded up to a multiple of `alignment` elements unless it is innermost.
    pub fn place(&self, extent: impl Fn(Dim) -> usize, aligned: &[Dim], alignment: usize) -> Placement {
        let mut strides = Vec::new();
        let mut stride = 1;
        for part in self.parts.iter().rev() {
            let (divisor, count) = match *part {
                Part::Whole(dim) => (1, extent(dim)),
                Part::Blocks(dim, size) => (size, extent(dim).div_ceil(size)),
                Part::Within(_, size) => (1, size),
            };
            let within = matches!(part, Part::Within(..));
            if stride > 1 && !within && aligned.contains(&part.dim()) {
                stride = usize::next_multiple_of(stride, alignment);
            }
            strides.push(Stride { dim: part.dim(), divisor, modulus: count, stride });
            stride *= count;
        }
        Placement { strides, base: 0, table: None, length: stride }
    }

    /// Whether every dimension of `dims` is laid out.
    pub fn covers(&self, dims: impl IntoIterator<Item = Dim>) -> bool {
        dims.into_iter().all(|dim| self.parts.iter().any(|part| part.dim() == dim))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Stride {
    dim: Dim,
    divisor: usize,
    modulus: usize,
    stride: usize,
}

/// The placement of the elements of a tensor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placement {
    strides: Vec<Stride>,
    base: usize,
    /// The places of the elements, if they are not in that order.
    table: Option<Vec<usize>>,
    length: usize,
}

impl Placement {
    /// Adds `before` elements before the first one and `after` elements after the last one.
    pub fn within(mut self, before: usize, after: usize) -> Self {
        self.base += before;
        self.length += before + after;
        self
    }

    /// Permutes the elements: the element at `i` moves to `table[i]` of `length`.
    pub fn permuted(mut self, table: Vec<usize>, length: usize) -> Self {
        self.table = Some(table);
        self.length = length;
        self
    }

    /// The index of the element at coordinates of zero, and the contribution of each coordinate as
    /// `d / divisor % modulus * stride`, innermost first: dimension `d`, divisor, modulus and stride. `None` for permuted elements.
    pub fn terms(&self) -> Option<(usize, impl Iterator<Item = (Dim, [usize; 3])>)> {
        let of = |s: &Stride| (s.dim, [s.divisor, s.modulus, s.stride]);
        self.table.is_none().then(|| (self.base, self.strides.iter().map(of)))
    }

    /// The number of elements that the tensor occupies, including padding.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether the tensor has no elements.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The index of the element at these coordinates.
    pub fn index(&self, at: impl Fn(Dim) -> usize) -> usize {
        let strides = self.strides.iter();
        let place = self.base + strides.map(|s| at(s.dim) / s.divisor % s.modulus * s.stride).sum::<usize>();
        self.table.as_ref().map_or(place, |table| table[place])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(text: &str, extents: &[(Dim, usize)], at: &[(Dim, usize)]) -> usize {
        let find =
            |list: &[(Dim, usize)], dim, or| list.iter().find(|(d, _)| *d == dim).map_or(or, |(_, n)| *n);
        let layout: Layout = text.parse().unwrap();
        layout.place(|dim| find(extents, dim, 1), &[], 8).index(|dim| find(at, dim, 0))
    }

    #[test]
    fn the_layouts_of_table_vii_place_their_elements() {
        use Dim::*;
        assert_eq!(index("KYX", &[(K, 2), (Y, 3), (X, 4)], &[(K, 1), (Y, 2), (X, 3)]), 12 + 8 + 3);
        let channels = [(C, 8), (Y, 4), (X, 10)];
        assert_eq!(index("(C/2)Y'X'(2)", &channels, &[(C, 3), (Y, 1), (X, 2)]), 80 + 20 + 4 + 1);
        let weights = [(K, 32), (C, 8), (S, 3), (R, 3)];
        let at = [(K, 17), (C, 3), (S, 1), (R, 2)];
        assert_eq!(index("(K/16)(C/2)SR(16)(2)", &weights, &at), ((4 + 1) * 9 + 3 + 2) * 32 + 2 + 1);
        assert_eq!(index("(K/8)(C/8)SR(C:8)(K:8)", &weights, &at), (2 * 9 + 3 + 2) * 64 + 3 * 8 + 1);
    }

    #[test]
    fn outer_strides_are_aligned_where_asked() {
        let layout: Layout = "KSR".parse().unwrap();
        let extent = |dim| match dim {
            Dim::K => 4,
            Dim::S | Dim::R => 3,
            _ => 1,
        };
        let placement = layout.place(extent, &[Dim::K], 8);
        assert_eq!(placement.index(|dim| usize::from(dim == Dim::K)), 16);
        assert_eq!(placement.len(), 64);
    }

    #[test]
    fn mistakes_are_named() {
        let error = |text: &str| text.parse::<Layout>().unwrap_err();
        assert_eq!(error("KQ"), LayoutError::Unexpected { rest: "Q".to_owned() });
        assert_eq!(error("K(4)"), LayoutError::NoBlocks { size: 4 });
        assert_eq!(error("KK"), LayoutError::Repeated { dim: Dim::K });
        assert_eq!(error("(K/4)"), LayoutError::Repeated { dim: Dim::K });
        assert_eq!(error("(K/0)"), LayoutError::Block { inside: "K/0".to_owned() });
    }
}
