//! Long tests of all parts, for an optimised build: `cargo test --release --test sweep`. Plain `cargo test` leaves them out.
//! Each file is next to the part that it tests.

#[path = "../scratch.rs"]
mod scratch;
#[path = "../listed.rs"]
mod listed;
#[path = "../array/check_corpus.rs"]
mod check_corpus;
#[path = "../array/check_properties.rs"]
mod check_properties;
#[path = "../array/compiled.rs"]
mod compiled;
#[path = "../array/corpus.rs"]
mod corpus;
#[path = "../array/figures.rs"]
mod figures;
#[path = "../array/generated.rs"]
mod generated;
#[path = "../array/large.rs"]
mod large;
#[path = "../array/objectives.rs"]
mod objectives;
#[path = "../array/optimum.rs"]
mod optimum;
#[path = "../array/properties.rs"]
mod properties;
#[path = "../array/scamp5_programs.rs"]
mod scamp5_programs;
#[path = "../array/search_requests.rs"]
mod search_requests;
#[path = "../array/shorten_properties.rs"]
mod shorten_properties;
#[path = "../array/several.rs"]
mod several;
#[path = "../array/turned.rs"]
mod turned;
#[path = "../vector/check_code.rs"]
mod check_code;
#[path = "../vector/check_emitted.rs"]
mod check_emitted;
#[path = "../vector/code_request.rs"]
mod code_request;
#[path = "../vector/command.rs"]
mod command;
#[path = "../vector/vliw_cpp.rs"]
mod vliw_cpp;
#[path = "../vector/vliw_filters.rs"]
mod vliw_filters;
#[path = "../vector/vliw_operands.rs"]
mod vliw_operands;
#[path = "../vector/vliw_saturation.rs"]
mod vliw_saturation;
#[path = "../vector/vyasa.rs"]
mod vyasa;
#[path = "../vector/vliw_command.rs"]
mod vliw_command;
#[path = "../scan/constants.rs"]
mod constants;
#[path = "../scan/measured.rs"]
mod measured;
#[path = "../scan/native.rs"]
mod native;
#[path = "../scan/plans.rs"]
mod plans;
#[path = "../scan/pipeline_code.rs"]
mod pipeline_code;
#[path = "../scan/stream_code.rs"]
mod stream_code;
#[path = "../scan/stream_command.rs"]
mod stream_command;
#[path = "../scan/tables.rs"]
mod tables;
#[path = "../engine/egraph_growth.rs"]
mod egraph_growth;
#[path = "../engine/egraph_saturation.rs"]
mod egraph_saturation;
#[path = "../engine/kernel_file.rs"]
mod kernel_file;
#[path = "../engine/large_files.rs"]
mod large_files;
#[path = "../engine/peephole.rs"]
mod peephole;
#[path = "../engine/rules_soundness.rs"]
mod rules_soundness;
#[path = "../engine/rules_mutation.rs"]
mod rules_mutation;
#[path = "../engine/rules_oracle.rs"]
mod rules_oracle;
#[path = "../cli/bench.rs"]
mod bench;
#[path = "../cli/batch.rs"]
mod batch;
#[path = "../cli/book.rs"]
mod book;
#[path = "../cli/explain.rs"]
mod explain;
#[path = "../cli/shorten.rs"]
mod shorten;
#[path = "../cli/run.rs"]
mod run;
#[path = "../cli/written.rs"]
mod written;
#[path = "../cli/fuzz_corpus.rs"]
mod fuzz_corpus;
#[path = "../hardware/designs.rs"]
mod designs;
#[path = "../hardware/applications.rs"]
mod applications;
#[path = "../hardware/depths.rs"]
mod depths;
#[path = "../hardware/driver.rs"]
mod driver;
#[path = "../hardware/emitted.rs"]
mod emitted;
#[path = "../hardware/front.rs"]
mod front;
#[path = "../hardware/hls.rs"]
mod hls;
#[path = "../hardware/waves.rs"]
mod waves;
#[path = "../hardware/whole_corpus.rs"]
mod whole_corpus;
