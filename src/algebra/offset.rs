//! Offsets, and the limits that keep computations with them small enough.

/// A displacement `(dx, dy, dz)`: east, north and up are positive; unused dimensions are zero.
pub type Offset = [i32; 3];

/// The offset of a pixel from itself.
pub const ORIGIN: Offset = [0; 3];

/// The largest absolute coordinate of an offset: far beyond any image, and the sum of two such offsets fits in an `i32`.
pub const MAX_REACH: i32 = 1 << 20;

/// The maximum number of places in a bounding box: a 2048 × 2048 kernel, 64 MiB of rationals.
pub const MAX_PLACES: usize = 1 << 22;

/// The maximum number of coefficient products in one composition: a few seconds of work. More would look like a hang.
pub const MAX_STEPS: usize = 1 << 28;
