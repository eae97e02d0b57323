//! Values: a single row, or several named rows.

use crate::algebra::{AlgebraError, Footprint};

use super::{Domain, One, Single, Value};

impl<K: Clone> Value<K> {
    /// All single values.
    pub(super) fn ones(&mut self) -> Vec<&mut One<K>> {
        match self {
            Self::One(one) => vec![one],
            Self::Filter(outputs) => outputs.iter_mut().map(|(_, one)| one).collect(),
        }
    }

    /// Applies `operation` to every kernel.
    pub(super) fn map(
        &self,
        operation: &impl Fn(&K) -> Result<K, AlgebraError>,
    ) -> Result<Self, AlgebraError> {
        match self {
            Self::One(one) => one.map(operation).map(Self::One),
            Self::Filter(outputs) => {
                let outputs = outputs.iter().map(|(name, one)| Ok((name.clone(), one.map(operation)?)));
                outputs.collect::<Result<_, _>>().map(Self::Filter)
            }
        }
    }
}

impl<K: Clone> One<K> {
    /// A value that is not an instruction, at a place of the trace.
    pub(super) fn new(single: Single<K>, at: usize) -> Self {
        Self { single, stores: Footprint::empty(), at }
    }

    /// Applies `operation` to every kernel. The place in the trace is unchanged.
    pub(super) fn map(
        &self,
        operation: &impl Fn(&K) -> Result<K, AlgebraError>,
    ) -> Result<Self, AlgebraError> {
        let single = match &self.single {
            Single::Plain(kernel) => Single::Plain(operation(kernel)?),
            Single::Row(row) => Single::Row(
                row.iter()
                    .map(|kernel| kernel.as_ref().map(operation).transpose())
                    .collect::<Result<_, _>>()?,
            ),
        };
        Ok(Self { single, stores: self.stores.clone(), at: self.at })
    }

    /// The sum of at least one value; either all values are plain, or all are rows over `channels` channels. Its place
    /// in the trace is that of the first.
    pub(super) fn sum<D: Domain<Kernel = K>>(
        domain: &D,
        ones: &[&Self],
        channels: usize,
    ) -> Result<Self, AlgebraError> {
        let mut stores = Footprint::empty();
        let (mut plain, mut rows) = (Vec::new(), Vec::new());
        for one in ones {
            stores = stores.union(&one.stores)?;
            match &one.single {
                Single::Plain(kernel) => plain.push(kernel),
                Single::Row(row) => rows.push(row),
            }
        }
        if rows.is_empty() {
            return Ok(Self { single: Single::Plain(domain.sum(&plain)?), stores, at: ones[0].at });
        }
        let mut row = Vec::with_capacity(channels);
        for channel in 0..channels {
            let read: Vec<&K> = rows.iter().filter_map(|row| row[channel].as_ref()).collect();
            row.push(if read.is_empty() { None } else { Some(domain.sum(&read)?) });
        }
        Ok(Self { single: Single::Row(row), stores, at: ones[0].at })
    }

    /// The value with `places` touched in every kernel.
    pub(super) fn touching<D: Domain<Kernel = K>>(
        &self,
        domain: &D,
        places: &Footprint,
    ) -> Result<Self, AlgebraError> {
        if places.is_empty() { Ok(self.clone()) } else { self.map(&|kernel| domain.touch(kernel, places)) }
    }
}
