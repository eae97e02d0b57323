//! The descriptors that are part of the program: name, path in the repository, text. No other file names a target.

use crate::syntax::{Diagnostics, Source};

/// Returns the machine of this name, as its class reads it.
///
/// # Panics
/// If its descriptor is not valid. A test excludes this.
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

/// The files that code emitted for vector machines includes.
pub(super) const HEADERS: [(&str, &str); 1] =
    [("kalg_vector.hpp", include_str!("../../rules/aie/kalg_vector.hpp"))];

/// Machines in scan order.
pub(super) const SCANS: [(&str, &str, &str); 2] = [
    ("ops", "rules/ops/target.sexp", include_str!("../../rules/ops/target.sexp")),
    ("cpu", "rules/cpu/target.sexp", include_str!("../../rules/cpu/target.sexp")),
];

/// Line-buffered hardware.
pub(super) const HARDWARE: [(&str, &str, &str); 1] =
    [("fpga", "rules/fpga/target.sexp", include_str!("../../rules/fpga/target.sexp"))];

/// The modules that designs for line-buffered hardware are made of.
pub(super) const HARDWARE_MODULES: &str = include_str!("../../rules/fpga/modules.sv");

/// The driver of designs, with names and sizes to be put in.
pub(super) const DRIVER: &str = include_str!("../../rules/fpga/driver.c");

/// The templates that C++ for synthesis is made of.
pub(super) const HLS_TEMPLATES: &str = include_str!("../../rules/fpga/templates.hpp");

/// The templates of operations that depend on their place.
pub(super) const HLS_PLACES: &str = include_str!("../../rules/fpga/places.hpp");
