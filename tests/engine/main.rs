//! The engine: files and their errors, the algebra of the papers, rules, the e-graph. And the rules of the project itself.

mod damaged_files;
mod egraph_rewrites;
mod egraph_semirings;
mod errors;
mod factorisation;
mod house;
mod kernel_file;
mod paper_algebra;
mod paper_files;
mod pipelines;
mod pipelines_merged;
mod rules_files;
mod rules_saturation;
mod toy_backend;
