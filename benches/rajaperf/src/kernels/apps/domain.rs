//! The mesh of the Apps kernels: a square or a cube of real zones in layers of others, two of
//! nodes before it and one behind in each dimension.
//!
//! A zone has the number of its lowest node, so zones and nodes are numbered alike and arrays over
//! either have one stride a dimension.

use crate::prelude::*;
use std::ops::Range;

/// Layers of nodes before the real ones, and before and behind together.
const BEFORE: usize = 2;
const AROUND: usize = 3;
/// More nodes than any memory has.
const MOST: usize = 1 << 48;

pub struct Domain {
    /// Real zones of a side.
    pub side: usize,
    dimensions: u32,
    /// Nodes of a side, those around included.
    pub nodes: usize,
}

impl Domain {
    /// Of two dimensions, with about `size` real zones.
    pub fn square(size: usize) -> Self {
        Self::new(square_side(size), 2)
    }

    /// Of three dimensions, with about `size` real zones.
    pub fn cube(size: usize) -> Self {
        Self::new(cube_side(size), 3)
    }

    fn new(side: usize, dimensions: u32) -> Self {
        Self {
            side,
            dimensions,
            nodes: side + 1 + AROUND,
        }
    }

    /// Nodes, those around included; the length of an array over nodes.
    pub fn len(&self) -> usize {
        self.nodes.pow(self.dimensions)
    }

    pub fn real_zones(&self) -> usize {
        self.side.pow(self.dimensions)
    }

    pub fn real_nodes(&self) -> usize {
        (self.side + 1).pow(self.dimensions)
    }

    /// Distances between neighbours.
    pub fn steps(&self) -> Steps {
        let j = self.nodes as u32;
        Steps {
            j,
            k: if self.dimensions == 3 { j * j } else { 0 },
        }
    }

    /// The node at the same place in each dimension.
    fn diagonal(&self, at: usize) -> usize {
        let steps = self.steps();
        at * (1 + steps.j as usize + steps.k as usize)
    }

    /// The first zone that has a neighbour in each direction.
    pub fn first_zone(&self) -> usize {
        self.diagonal(BEFORE - 1)
    }

    /// One more than the last such zone; the length of an array over zones.
    pub fn end_zone(&self) -> usize {
        self.diagonal(BEFORE + self.side) + 1
    }

    /// Where the real zones lie in each dimension.
    pub fn real_range(&self) -> Range<usize> {
        BEFORE..BEFORE + self.side
    }

    /// The numbers of the real zones.
    pub fn zone_list(&self) -> Vec<usize> {
        let range = || self.real_range();
        let (j, k) = (self.steps().j as usize, self.steps().k as usize);
        let planes = if self.dimensions == 3 { range() } else { 0..1 };
        planes
            .flat_map(|z| range().map(move |y| y * j + z * k))
            .flat_map(|row| range().map(move |x| row + x))
            .collect()
    }

    /// Along `axis` (0 is the fastest) where each node lies, `distance` apart.
    pub fn positions(&self, axis: u32, distance: f64) -> Vec<f64> {
        let step = self.nodes.pow(axis);
        (0..self.len())
            .map(|node| (node / step % self.nodes) as f64 * distance)
            .collect()
    }
}

/// Distances between a node and its neighbours in the second and third dimension.
#[derive(Clone, Copy, DeviceCopy)]
pub struct Steps {
    pub j: u32,
    pub k: u32,
}

impl Steps {
    /// The eight nodes of zone `i`, x fastest.
    #[inline(always)]
    pub fn nodes(self, i: usize) -> [usize; 8] {
        let (j, k) = (self.j as usize, self.k as usize);
        let low = [i, i + 1, i + j, i + 1 + j];
        let [a, b, c, d] = low;
        [a, b, c, d, a + k, b + k, c + k, d + k]
    }

    /// The values of `x` at the eight nodes of zone `i`.
    #[inline(always)]
    pub fn corners(self, x: &[f64], i: usize) -> [f64; 8] {
        // No sum below overflows, and the farthest is checked first: so the compiler
        // knows the others to be inside.
        assert!(i < MOST);
        let [a, b, c, d, e, f, g, h] = self.nodes(i);
        let far = x[h];
        [x[a], x[b], x[c], x[d], x[e], x[f], x[g], far]
    }

    /// As [`corners`](Self::corners).
    ///
    /// # Safety
    /// The nodes are below the length of `x`.
    #[inline(always)]
    pub unsafe fn corners_unchecked(self, x: &[f64], i: usize) -> [f64; 8] {
        let [a, b, c, d, e, f, g, h] = self.nodes(i);
        // SAFETY: the caller's.
        let at = |node| unsafe { *x.get_unchecked(node) };
        [at(a), at(b), at(c), at(d), at(e), at(f), at(g), at(h)]
    }

    /// The nodes of the first `n` zones, each of the eight as a slice over the zones.
    #[inline(always)]
    pub fn corner_slices(self, x: &[f64], n: usize) -> [&[f64]; 8] {
        let [a, b, c, d, e, f, g, h] = self.nodes(0);
        let from = |node: usize| &x[node..][..n];
        [
            from(a),
            from(b),
            from(c),
            from(d),
            from(e),
            from(f),
            from(g),
            from(h),
        ]
    }
}

/// Element `i` of each.
#[inline(always)]
pub fn each(slices: &[&[f64]; 8], i: usize) -> [f64; 8] {
    let [a, b, c, d, e, f, g, h] = slices;
    [a[i], b[i], c[i], d[i], e[i], f[i], g[i], h[i]]
}
