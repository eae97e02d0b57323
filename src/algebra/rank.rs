//! Exact factorisations of low-rank matrices into sums of products of a column and a row, in small integers.

/// A matrix as Σ column · row. Factorisations are not unique: a multiple of one column may be added to another if the
/// rows compensate.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Factors {
    /// The columns, each as long as the matrix is high.
    pub columns: Vec<Vec<i64>>,
    /// The rows, each as long as the matrix is wide, in the order of their columns.
    pub rows: Vec<Vec<i64>>,
}

/// Factorisations of a matrix, given in rows, with as many products as its rank: one with columns as short as integers
/// allow, one with such rows, and each of these also with as many zeros as exchanges between the products achieve.
/// Empty if the rank is zero or above `most`, or if numbers grow too large.
pub fn factorisations(matrix: &[Vec<i64>], most: usize) -> Vec<Factors> {
    let columns = || Some(factors(matrix, most)?.shortened());
    let rows = || Some(factors(&transpose(matrix), most)?.shortened()?.transposed());
    let mut found = Vec::new();
    for short in [columns().flatten(), rows()].into_iter().flatten() {
        found.extend([short.sparse(), short]);
    }
    found.iter_mut().for_each(Factors::order);
    found.sort();
    found.dedup();
    found.sort_by_key(|factors| (factors.non_zeros(), factors.weight()));
    found
}

fn transpose(matrix: &[Vec<i64>]) -> Vec<Vec<i64>> {
    let width = matrix.first().map_or(0, Vec::len);
    (0..width).map(|column| matrix.iter().map(|row| row[column]).collect()).collect()
}

/// P · K = E, where P is a product of integer steps with integer inverses and E has `rank` non-zero rows, so K = P⁻¹ · E.
/// The columns of P⁻¹ are a basis of all integer vectors, so the first ones are a basis of all integer vectors in their
/// span.
fn factors(matrix: &[Vec<i64>], most: usize) -> Option<Factors> {
    let height = matrix.len();
    let mut rows = matrix.to_vec();
    let unit = |at: usize| (0..height).map(|i| i64::from(i == at)).collect();
    let mut columns: Vec<Vec<i64>> = (0..height).map(unit).collect();
    let mut rank = 0;
    for pivot in 0..rows.first().map_or(0, Vec::len) {
        // Euclid's algorithm on the entries below the finished rows.
        while let Some(least) =
            (rank..height).filter(|i| rows[*i][pivot] != 0).min_by_key(|i| rows[*i][pivot].unsigned_abs())
        {
            if rank == most {
                return None;
            }
            rows.swap(rank, least);
            columns.swap(rank, least);
            let mut left = false;
            for row in rank + 1..height {
                let times = rows[row][pivot].checked_div(rows[rank][pivot])?;
                exchange(&mut rows, row, rank, times.checked_neg()?)?;
                exchange(&mut columns, rank, row, times)?;
                left |= rows[row][pivot] != 0;
            }
            if !left {
                rank += 1;
                break;
            }
        }
    }
    rows.truncate(rank);
    columns.truncate(rank);
    (rank > 0).then_some(Factors { columns, rows })
}

/// line(to) += times · line(from)
fn exchange(lines: &mut [Vec<i64>], to: usize, from: usize, times: i64) -> Option<()> {
    if times == 0 {
        return Some(());
    }
    for at in 0..lines[to].len() {
        lines[to][at] = lines[to][at].checked_add(times.checked_mul(lines[from][at])?)?;
    }
    Some(())
}

impl Factors {
    /// The matrix, in rows; `None` on overflow.
    pub fn product(&self) -> Option<Vec<Vec<i64>>> {
        let [height, width] = [&self.columns, &self.rows].map(|lines| lines.first().map_or(0, Vec::len));
        let at = |y: usize, x: usize| {
            let mut products =
                self.columns.iter().zip(&self.rows).map(|(column, row)| column[y].checked_mul(row[x]));
            products.try_fold(0i64, |sum, product| sum.checked_add(product?))
        };
        (0..height).map(|y| (0..width).map(|x| at(y, x)).collect()).collect()
    }

    /// The same matrix after column(to) += times · column(from), with the opposite change of the other row.
    fn exchanged(&self, to: usize, from: usize, times: i64) -> Option<Self> {
        let mut other = self.clone();
        exchange(&mut other.columns, to, from, times)?;
        exchange(&mut other.rows, from, to, times.checked_neg()?)?;
        Some(other)
    }

    /// The same matrix with columns that adding a multiple of another column cannot shorten.
    fn shortened(mut self) -> Option<Self> {
        let dot = |a: &[i64], b: &[i64]| -> i128 {
            a.iter().zip(b).map(|(a, b)| i128::from(*a) * i128::from(*b)).sum()
        };
        loop {
            let mut settled = true;
            for (to, from) in self.pairs() {
                let (with, own) = (
                    dot(&self.columns[to], &self.columns[from]),
                    dot(&self.columns[from], &self.columns[from]),
                );
                // The nearest integer to −with/own, halves towards zero: the length changes only if this is not zero.
                let times = -with.signum() * ((2 * with.abs() + own - 1) / (2 * own));
                if times != 0 {
                    self = self.exchanged(to, from, i64::try_from(times).ok()?)?;
                    settled = false;
                }
            }
            if settled {
                return Some(self);
            }
        }
    }

    /// The same matrix with as many zeros as exchanges achieve, where each exchange must create at least one.
    fn sparse(&self) -> Self {
        let key = |factors: &Self| (factors.non_zeros(), factors.weight());
        let mut best = self.clone();
        loop {
            let mut next: Option<Self> = None;
            for (to, from) in best.pairs() {
                let of_columns = best.columns[to].iter().map(|v| -v).zip(&best.columns[from]);
                let of_rows = best.rows[from].iter().copied().zip(&best.rows[to]);
                let mut tried = Vec::new();
                for (value, by) in of_columns.chain(of_rows) {
                    if *by == 0 || value == 0 || value % by != 0 || tried.contains(&(value / by)) {
                        continue;
                    }
                    tried.push(value / by);
                    let other = best.exchanged(to, from, value / by);
                    next = next.into_iter().chain(other).min_by_key(key);
                }
            }
            match next {
                Some(next) if key(&next) < key(&best) => best = next,
                _ => return best,
            }
        }
    }

    fn pairs(&self) -> Vec<(usize, usize)> {
        let rank = self.columns.len();
        (0..rank * rank).map(|i| (i / rank, i % rank)).filter(|(a, b)| a != b).collect()
    }

    fn transposed(self) -> Self {
        Self { columns: self.rows, rows: self.columns }
    }

    /// Sorts the products and makes the first entry of each column positive.
    fn order(&mut self) {
        let mut products: Vec<(Vec<i64>, Vec<i64>)> =
            std::mem::take(&mut self.columns).into_iter().zip(std::mem::take(&mut self.rows)).collect();
        for (column, row) in &mut products {
            if column.iter().find(|v| **v != 0).is_some_and(|v| *v < 0) {
                column.iter_mut().chain(row).for_each(|v| *v = -*v);
            }
        }
        products.sort();
        (self.columns, self.rows) = products.into_iter().unzip();
    }

    fn entries(&self) -> impl Iterator<Item = i64> + '_ {
        self.columns.iter().chain(&self.rows).flatten().copied()
    }

    /// The number of non-zero entries, each of which takes a multiplication.
    pub fn non_zeros(&self) -> usize {
        self.entries().filter(|v| *v != 0).count()
    }

    fn weight(&self) -> u64 {
        self.entries().fold(0, |sum: u64, v| sum.saturating_add(v.unsigned_abs()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sum(products: &[(&[i64], &[i64])]) -> Vec<Vec<i64>> {
        let columns = products.iter().map(|(column, _)| column.to_vec()).collect();
        let rows = products.iter().map(|(_, row)| row.to_vec()).collect();
        Factors { columns, rows }.product().unwrap()
    }

    #[test]
    fn a_difference_of_gaussians_is_seen_as_one() {
        let matrix = sum(&[
            (&[1, 6, 15, 20, 15, 6, 1], &[1, 6, 15, 20, 15, 6, 1]),
            (&[0, 0, 1, 2, 1, 0, 0], &[0, 0, -64, -128, -64, 0, 0]),
        ]);
        let found = factorisations(&matrix, 3);
        assert_eq!(found[0].columns, [[0, 0, 1, 2, 1, 0, 0], [1, 6, 15, 20, 15, 6, 1]]);
        assert_eq!(found[0].rows, [[0, 0, -64, -128, -64, 0, 0], [1, 6, 15, 20, 15, 6, 1]]);
        // Shorter columns are possible.
        assert!(found.iter().any(|factors| factors.columns.contains(&vec![1, 6, 3, -4, 3, 6, 1])));
    }

    #[test]
    fn ranks_beyond_the_bound_and_zero_have_none() {
        let identity: Vec<Vec<i64>> = (0..4).map(|i| (0..4).map(|j| i64::from(i == j)).collect()).collect();
        assert_eq!(factorisations(&identity, 3), []);
        assert_eq!(factorisations(&identity, 4).len(), 1);
        assert_eq!(factorisations(&[vec![0, 0], vec![0, 0]], 3), []);
        assert_eq!(factorisations(&[], 3), []);
        assert_eq!(factorisations(&[vec![i64::MAX, 1], vec![1, i64::MIN], vec![3, 7]], 3), []);
    }

    proptest! {
        #[test]
        fn every_sum_of_products_is_found_again(
            columns in prop::collection::vec(prop::collection::vec(-9i64..10, 6), 1..4),
            rows in prop::collection::vec(prop::collection::vec(-9i64..10, 5), 3),
        ) {
            let rows = rows[..columns.len()].to_vec();
            let most = columns.len();
            let matrix = Factors { columns, rows }.product().unwrap();
            let found = factorisations(&matrix, most);
            prop_assert_eq!(found.is_empty(), matrix.iter().flatten().all(|v| *v == 0));
            for factors in &found {
                prop_assert!(factors.columns.len() <= most);
                prop_assert_eq!(factors.product(), Some(matrix.clone()));
            }
        }
    }
}
