//! Programmable hardware, and the designs that run on it: what they mean, their delay lines, and how they are written.

mod descriptor;
mod operation;
mod netlist;
mod meaning;
mod frame;
mod lattice;
mod design;
mod driver;
mod proof;
mod raster;
mod expression;
mod hls;
mod hls_places;
mod verilog;
mod verilog_digits;
mod verilog_lines;
mod verilog_margins;
mod verilog_places;
mod verilog_raster;

pub use descriptor::{HardwareMachine, read_machine};
pub use design::{Delay, Design, Each, Line};
pub use driver::driver;
pub use frame::{Frame, Margin, Reach, Throughput};
pub use hls::hls;
pub use lattice::{Columns, Lattice, lattices};
pub use meaning::{extreme, stepped, value, wrapped};
pub use netlist::{Cell, CellId, Netlist, Operand, Port, common_divisor, common_multiple, rarer_text};
pub use operation::{Factor, Operation, Since};
pub use proof::{Moment, Proof};
pub use verilog::verilog;
