//! Rules: rule files, conditions, proposers and their soundness.

pub mod propose;
