//! Checks code in vector intrinsics. The code is followed statement by statement, with elements of arrays as unknowns.
//! Each output element is then compared with a filter.
//!
//! Loops run as written: pointers and counters are numbers, so nothing is guessed about them. Sums are exact. A shift
//! by n bits is a factor of 2⁻ⁿ, and its rounding is recorded.
//!
//! ```
//! use kalg::syntax::Source;
//! use kalg::backend::vector::machine::VliwMachine;
//! use kalg::backend::vector::read::read_code;
//! use kalg::backend::vector::verify::lanes::{Layout, Settings, compare, follow, output_arrays};
//!
//! let text = "
//!     void sums(const int32_t *in, int32_t *out) {
//!         v16int32 x = concat(*(v8int32 *)in, *(v8int32 *)(in + 8));
//!         const int32_t ones[8] = {1, 1};
//!         v8acc80 sum = lmul8(x, 0, 0x76543210, *(v8int32 *)ones, 0, 0);
//!         sum = lmac8(sum, x, 1, 0x76543210, *(v8int32 *)ones, 1, 0);
//!         *(v8int32 *)out = srs(sum, 0);
//!     }";
//! let (code, _) = read_code(&Source::new("sums.cc", text), None, &[]).unwrap();
//! let machine = VliwMachine::builtin(VliwMachine::builtin_names()[0]).unwrap();
//! let run = follow(&machine, &code, &Settings::default()).unwrap();
//! assert_eq!(output_arrays(&run), [1]);
//! let layout = Layout { inputs: vec![vec![0]], ..Layout::default() };
//! let found = compare(&run, &layout, &Default::default(), &[]).unwrap();
//! let [sums] = &found.outputs[..] else { panic!("one output") };
//! assert_eq!((sums.groups.len(), sums.groups[0].count), (1, 8));
//! ```

mod sum;
mod memory;
mod value;
mod selection;
mod arguments;
mod run;
mod declare;
mod access;
mod multiply;
mod intrinsic;
mod planes;
mod picture;
mod anchor;
mod compare;

pub use compare::{Comparison, FoundTap, Group, Judged, Sought, Witness, compare, output_arrays};
pub use memory::{Array, Role};
pub use picture::{Layout, weights};
pub use run::{Execution, Remark, Settings, follow};
pub use sum::{Flaw, Product, Sum, Symbol};
