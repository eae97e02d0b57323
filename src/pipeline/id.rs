//! Names of nodes and variables: their indices.

/// The index of a variable in a pipeline's variables.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VariableId(pub usize);

/// The index of a node in a pipeline's nodes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(u32);

impl NodeId {
    /// The id of the node at this index.
    ///
    /// # Panics
    /// If there are 2^32 nodes, more than a source can hold.
    pub fn new(index: usize) -> Self {
        Self(u32::try_from(index).expect("a source has fewer nodes than bytes"))
    }

    /// The index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}
