//! The trace of a program: its instructions with their transfers, as the machine's description states them.

use crate::backend::array::machine::{Program, RegisterId, Target, Transfer, Violation};
use crate::report::{LineRecord, RegisterValue, SummandRecord, TransferRecord, WriteRecord};

/// Returns a record for each instruction. `written` has the values that each writes.
///
/// # Errors
/// [`Violation`] if the target does not allow an instruction.
pub fn trace(
    target: &Target,
    program: &Program,
    written: Vec<Vec<RegisterValue>>,
) -> Result<Vec<LineRecord>, Violation> {
    let name = |register| target.register_name(register).to_owned();
    let line = |(instruction, values)| {
        let transfers = target.transfers(instruction)?;
        Ok(LineRecord {
            cycles: target.cycles(instruction)?,
            transfers: transfers.iter().map(|transfer| transfer_record(transfer, &name)).collect(),
            values,
        })
    };
    program.instructions.iter().zip(written).map(line).collect()
}

/// A transfer as a record.
pub fn transfer_record(transfer: &Transfer, name: &dyn Fn(RegisterId) -> String) -> TransferRecord {
    let write = transfer
        .writes
        .iter()
        .map(|write| WriteRecord { register: name(write.register), offset: write.offset });
    let read = transfer.reads.iter().map(|(read, weight)| SummandRecord {
        register: name(read.register),
        offset: read.offset,
        coefficient: weight.to_string(),
    });
    TransferRecord { writes: write.collect(), reads: read.collect() }
}
