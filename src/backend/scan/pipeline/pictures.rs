//! Pictures that are read where they are: what is computed from them point by point is continued beyond the edges in their place, so
//! that no copies of them are.

use std::collections::BTreeSet;

use crate::pipeline::{Border, NodeId};

use super::coordinate::Coordinate;
use super::expression::{Body, From, Operator, Read};
use super::loops::{Buffer, Copied, Kind, Loops, Picture, Target, Unit, Work};
use super::point::Refused;

/// The columns, in C and in Rust, that continue a row of `w` pixels to the west and to the east, the nearest first: column `i` beyond its
/// edge for margins that are less than `w`. A constant border has none.
pub(super) fn beyond(border: Border) -> Option<[&'static str; 2]> {
    match border {
        Border::Constant(_) => None,
        Border::Replicate => Some(["0", "w - 1"]),
        Border::Wrap => Some(["w - 1 - i", "i"]),
        Border::Reflect => Some(["i", "w - 1 - i"]),
        Border::Reflect101 => Some(["i + 1", "w - 2 - i"]),
    }
}

impl Loops<'_> {
    /// What computes a value on the picture, if it is continued beyond as the pictures are: what is computed point by point from
    /// pictures that are continued. Then these need not be copied.
    pub(super) fn continued(&mut self, id: NodeId) -> Result<Option<Body>, Refused> {
        let Buffer { margin, size, planes, ref variables, .. } = self.buffers[&id];
        let border = self.compiled.pipeline.border;
        if margin == [0; 4] || planes > 1 || !variables.is_empty() || matches!(border, Border::Constant(_)) {
            return Ok(None);
        }
        let body = self.body((0, true), |points, at| Ok(vec![points.own(id, at)?]))?;
        let is_continued = |id: NodeId| {
            self.units.iter().any(|unit| match &unit.work {
                Work::Rows(Target::Value(to), Kind::Continued(_), _) => *to == id && unit.size == size,
                _ => false,
            })
        };
        let itself = Coordinate::itself();
        let reads_continued = |read: &Read| match read.from {
            From::Picture(_) => true,
            From::Value(id) => read.row == itself && read.column == itself && is_continued(id),
            From::Pattern(_) => false,
        };
        let moves = body.code.nodes.iter().any(|node| match &node.operator {
            Operator::Load(load) => load.plus != 0 || load.by.is_some() || load.plane.is_some(),
            _ => false,
        });
        let is_alike = !moves && !body.code.reads.is_empty() && body.code.reads.iter().all(reads_continued);
        Ok(is_alike.then_some(body))
    }

    /// Leaves out copies of pictures that nothing reads.
    pub(super) fn without_idle_copies(mut self) -> Self {
        let mut read: BTreeSet<NodeId> = BTreeSet::new();
        for unit in &self.units {
            match &unit.work {
                Work::Copy(Copied { from: Picture::Value(id), .. }) => {
                    read.insert(*id);
                }
                Work::Copy(_) => {}
                Work::Region(number) => read.extend(&self.compiled.values.regions[*number].sources),
                Work::Rows(_, _, bodies) => {
                    let all = bodies.iter().flat_map(|body| &body.code.reads);
                    read.extend(all.filter_map(|read| match read.from {
                        From::Value(id) => Some(id),
                        _ => None,
                    }));
                }
            }
        }
        let is_idle = |unit: &Unit| match &unit.work {
            Work::Copy(copied) => (!read.contains(&copied.to)).then_some(copied.to),
            _ => None,
        };
        let idle: BTreeSet<NodeId> = self.units.iter().filter_map(is_idle).collect();
        self.units.retain(|unit| is_idle(unit).is_none());
        self.buffers.retain(|id, _| !idle.contains(id));
        self
    }
}
