//! The engine: files and their mistakes, the algebra of the papers, rules, the e-graph.

mod egraph_growth;
mod egraph_rewrites;
mod egraph_saturation;
mod errors;
mod paper_algebra;
mod rules_files;
mod toy_backend;
mod rules_mutation;
mod rules_oracle;
mod rules_saturation;
mod rules_soundness;
