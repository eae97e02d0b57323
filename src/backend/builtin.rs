//! The descriptors that are part of the program: name, place in the repository, text. No other file names a target.

use crate::syntax::{Diagnostics, Source};

/// The machine of this name, read by its class.
///
/// # Panics
/// If its descriptor is not valid, which a test excludes.
pub(super) fn find<T>(
    list: &[(&str, &str, &str)],
    name: &str,
    read: impl Fn(&Source) -> Result<T, Diagnostics>,
) -> Option<T> {
    let (_, path, text) = list.iter().find(|(own, ..)| *own == name)?;
    match read(&Source::new(*path, *text)) {
        Ok(machine) => Some(machine),
        Err(diagnostics) => panic!("the built-in descriptor {path} is not valid: {diagnostics:?}"),
    }
}

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
