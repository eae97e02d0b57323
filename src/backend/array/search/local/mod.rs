//! Local search: a program is improved by making parts of it anew.

pub(crate) mod rematerialise;
pub(crate) mod settle;
pub(crate) mod windows;
