//! What a picture is taken to be beyond its edges.

/// The continuation of a picture of finite size to the whole plane.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Border {
    /// One value everywhere: `vvv|abcd|vvv`. `zero` is the constant 0.
    Constant(i64),
    /// The nearest pixel: `aaa|abcd|ddd`.
    Replicate,
    /// Reflection at the edge: `cba|abcd|dcb`.
    Reflect,
    /// Reflection at the outermost pixel: `dcb|abcd|cba`.
    Reflect101,
    /// The other side of the picture, as on a torus: `bcd|abcd|abc`.
    Wrap,
}

impl Border {
    /// The default, as that of `--border`.
    pub const DEFAULT: Self = Self::Reflect101;

    /// The names that files use for a border without further arguments.
    pub const NAMES: [&'static str; 5] = ["zero", "replicate", "reflect", "reflect101", "wrap"];

    /// The border of this name, one of [`NAMES`](Self::NAMES).
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "zero" => Self::Constant(0),
            "replicate" => Self::Replicate,
            "reflect" => Self::Reflect,
            "reflect101" => Self::Reflect101,
            "wrap" => Self::Wrap,
            _ => return None,
        })
    }

    /// The pixel of a row or column of `size` pixels that stands at place `at`; `None` for a constant border outside.
    /// Reflections repeat as often as needed. `size` must not be zero.
    pub fn place(self, at: i64, size: i64) -> Option<i64> {
        if (0..size).contains(&at) {
            return Some(at);
        }
        match self {
            Self::Constant(_) => None,
            Self::Replicate => Some(at.clamp(0, size - 1)),
            Self::Wrap => Some(at.rem_euclid(size)),
            Self::Reflect => {
                let within = at.rem_euclid(2 * size);
                Some(within.min(2 * size - 1 - within))
            }
            Self::Reflect101 => {
                let period = (2 * size - 2).max(1);
                let within = at.rem_euclid(period);
                Some(within.min(period - within))
            }
        }
    }
}

impl std::fmt::Display for Border {
    /// As files write it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Constant(0) => f.write_str("zero"),
            Self::Constant(value) => write!(f, "constant {value}"),
            Self::Replicate => f.write_str("replicate"),
            Self::Reflect => f.write_str("reflect"),
            Self::Reflect101 => f.write_str("reflect101"),
            Self::Wrap => f.write_str("wrap"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borders_continue_a_row_as_drawn() {
        let drawn = |border: Border, size: i64| -> String {
            let letter = |at| border.place(at, size).map_or('v', |place| (b'a' + place as u8) as char);
            (-5..size + 5).map(letter).collect()
        };
        assert_eq!(drawn(Border::Constant(3), 4), "vvvvvabcdvvvvv");
        assert_eq!(drawn(Border::Replicate, 4), "aaaaaabcdddddd");
        assert_eq!(drawn(Border::Reflect, 4), "ddcbaabcddcbaa");
        assert_eq!(drawn(Border::Reflect101, 4), "bcdcbabcdcbabc");
        assert_eq!(drawn(Border::Wrap, 4), "dabcdabcdabcda");
        assert_eq!(drawn(Border::Reflect101, 1), "aaaaaaaaaaa");
    }

    #[test]
    fn names_read_back() {
        for name in Border::NAMES {
            assert_eq!(Border::named(name).unwrap().to_string(), name);
        }
    }
}
