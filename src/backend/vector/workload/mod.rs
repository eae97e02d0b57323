//! Tensor convolutions as workloads: sizes, element types, weights, data layouts and published schedules.
//!
//! A workload is the input of a vector machine: `out(x, y, z, k) = Σ w(r, s, t, c, k) · in(x + r, y + s, z + t, c)`
//! with stride 1, over a tile of fixed size. Depth-wise convolutions take the input channel `k` and have no `c`. This
//! layer knows no machine.
//!
//! ```
//! use kalg::syntax::Source;
//! use kalg::backend::vector::workload::read_workload;
//!
//! let text = "(convolution blur (type int16) (output (x 64) (y 4)) (filter (r 3) (s 3)) (weights run-time))";
//! let workload = read_workload(&Source::new("blur.conv", text)).unwrap();
//! assert_eq!(workload.macs(), 64 * 4 * 9);
//! assert_eq!(workload.input, [66, 6, 1, 1]);
//! ```

mod dim;
mod layout;
mod placements;
mod schedule;
mod convolution;
mod read;

pub use convolution::{Weights, Workload};
pub use dim::{Dim, Element};
pub use layout::{Layout, LayoutError, Placement};
pub use placements::{At, Operand, TensorPlacements};
pub(super) use read::element;
pub use read::read_workload;
pub use schedule::{Layouts, Schedule};
