//! The native module of kalg for Python: few functions on texts, bytes and JSON. `python/kalg/_native.pyi` says what each
//! takes and gives; the package around it, in `python/kalg/`, makes objects of that.

mod command;
mod filters;
mod raise;
mod rules;
mod settings;
mod tasks;
mod wait;

/// The functions of the module.
#[pyo3::pymodule]
mod _native {
    #[pymodule_export]
    use crate::command::{command, commands};
    #[pymodule_export]
    use crate::filters::{approx, explain, imported, named, prove, stages};
    #[pymodule_export]
    use crate::rules::{rules_check, rules_infer, rules_list, rules_new, rules_stats};
    #[pymodule_export]
    use crate::tasks::{Shared, check, holds_pipeline, included, names, optimize, replay, run};

    /// The version of kalg.
    #[pymodule_export]
    const VERSION: &str = kalg::report::VERSION;
}
