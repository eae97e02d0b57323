//! The descriptors that are part of the program: name, place in the repository, text. No other file names a target.

/// Pixel-processor arrays.
pub(super) const ARRAYS: [(&str, &str, &str); 1] =
    [("scamp5", "rules/scamp5/target.sexp", include_str!("../../rules/scamp5/target.sexp"))];

/// Vector machines.
pub(super) const VECTORS: [(&str, &str, &str); 1] =
    [("aie", "rules/aie/target.sexp", include_str!("../../rules/aie/target.sexp"))];

/// What the code emitted for vector machines includes.
pub(super) const HEADERS: [(&str, &str); 1] =
    [("kalg_vector.hpp", include_str!("../../rules/aie/kalg_vector.hpp"))];

/// Machines in scan order.
pub(super) const SCANS: [(&str, &str, &str); 1] =
    [("ops", "rules/ops/target.sexp", include_str!("../../rules/ops/target.sexp"))];
