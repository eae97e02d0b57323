//! From a pipeline to a design: cells, their registers, and when each value is there.

mod flow;
mod lags;
mod sums;
mod extremes;
mod division;
mod lower;
mod split;
mod sparse;
mod tables;
mod price;
mod products;

pub use extremes::long_runs;
pub use lags::{Lags, lags_in_step, registers};
pub(super) use lower::not_made;
pub use lower::{Forms, lattice, lower};
pub use price::{operations_price, place_luts};
pub use products::products;
pub use sparse::sparse;
pub use split::{design_price, split};
