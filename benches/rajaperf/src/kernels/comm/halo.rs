//! What the kernels of the group share: a grid with a halo around it, and for each of its 26
//! neighbours which cells are sent there, and which are filled with what comes from there.

use crate::prelude::*;
use crate::suite::Params;

/// The neighbours, as the steps along x, y, z that lead there: faces, edges, corners.
const NEIGHBOURS: [[i32; 3]; 26] = [
    [-1, 0, 0],
    [1, 0, 0],
    [0, -1, 0],
    [0, 1, 0],
    [0, 0, -1],
    [0, 0, 1],
    [-1, -1, 0],
    [-1, 1, 0],
    [1, -1, 0],
    [1, 1, 0],
    [-1, 0, -1],
    [-1, 0, 1],
    [1, 0, -1],
    [1, 0, 1],
    [0, -1, -1],
    [0, -1, 1],
    [0, 1, -1],
    [0, 1, 1],
    [-1, -1, -1],
    [-1, -1, 1],
    [-1, 1, -1],
    [-1, 1, 1],
    [1, -1, -1],
    [1, -1, 1],
    [1, 1, -1],
    [1, 1, 1],
];

/// Cells of the grid along a side, its halo not counted.
fn side(target: usize) -> usize {
    cube_side(target)
}

pub fn shape(params: &Params, target: usize, kernels: usize) -> Shape {
    let n = side(target);
    let cells = n.pow(3);
    let halo = (n + 2 * params.halo_width).pow(3) - cells;
    let iterations = params.halo_num_vars * halo;
    Shape {
        iterations,
        kernels,
        bytes_read: 2 * (4 + 8) * iterations,
        bytes_written: 2 * 8 * iterations,
        ..Shape::of(cells)
    }
}

/// Kernels of a repetition where each list and variable has one.
pub fn kernels(params: &Params) -> usize {
    2 * NEIGHBOURS.len() * params.halo_num_vars
}

/// The cells of the grid with its halo from `ranges` along x, y, z, x running fastest.
fn cells(ranges: [std::ops::Range<usize>; 3], whole: usize) -> Vec<i32> {
    let [x, y, z] = ranges;
    let rows = z.flat_map(|z| y.clone().map(move |y| (z * whole + y) * whole));
    rows.flat_map(|row| x.clone().map(move |x| (row + x) as i32))
        .collect()
}

/// For each neighbour the cells that are sent, and those that are received.
fn lists(n: usize, width: usize) -> Vec<[Vec<i32>; 2]> {
    let whole = n + 2 * width;
    let send = |step: i32| match step {
        -1 => width..2 * width,
        0 => width..width + n,
        _ => n..n + width,
    };
    let receive = |step: i32| match step {
        -1 => 0..width,
        0 => width..width + n,
        _ => width + n..whole,
    };
    let lists = |steps: [i32; 3]| {
        [
            cells(steps.map(send), whole),
            cells(steps.map(receive), whole),
        ]
    };
    NEIGHBOURS.map(lists).into()
}

/// The data of a run.
pub struct Halo {
    /// For each neighbour the cells that are packed, and those that are unpacked.
    pub lists: Vec<[Vec<i32>; 2]>,
    pub vars: Vec<Vec<f64>>,
    /// For each neighbour the packed values, one variable after the other.
    pub packed: Vec<Vec<f64>>,
    /// What is unpacked.
    pub arrived: Vec<Vec<f64>>,
}

impl Halo {
    pub fn new(run: &mut Run) -> Self {
        let (n, width, vars) = (
            side(run.target),
            run.params.halo_width,
            run.params.halo_num_vars,
        );
        let lists = lists(n, width);
        let init = &mut run.init;
        // The suite initialises its lists too, before it fills them.
        for _ in 0..2 * lists.len() {
            init.constant(0, 0);
        }
        let cells = (n + 2 * width).pow(3);
        let vars: Vec<Vec<f64>> = (0..vars)
            .map(|v| {
                init.constant(0, 0);
                (0..cells).map(|i| (i + v) as f64).collect()
            })
            .collect();
        // One array in each direction, cut up.
        let mut buffers = |which: usize| {
            let lens = lists.iter().map(|lists| lists[which].len() * vars.len());
            let mut all = init.data(lens.clone().sum()).into_iter();
            lens.map(|len| all.by_ref().take(len).collect()).collect()
        };
        let (packed, arrived) = (buffers(0), buffers(1));
        Self {
            lists,
            vars,
            packed,
            arrived,
        }
    }

    pub fn checksum(vars: &[Vec<f64>], packed: &[Vec<f64>]) -> Checksum {
        let all = vars.iter().chain(packed);
        all.fold(Checksum::new(), |sum, array| sum.array(array))
    }

    /// `Base_Seq` of both kernels.
    pub fn seq(run: &mut Run) -> smelt::Result<Checksum> {
        let Self {
            lists,
            mut vars,
            mut packed,
            arrived,
        } = Self::new(run);
        run.time_host(|| {
            for ([list, _], packed) in lists.iter().zip(&mut packed) {
                for (var, packed) in vars.iter().zip(packed.chunks_exact_mut(list.len().max(1))) {
                    for (packed, cell) in packed.iter_mut().zip(list) {
                        *packed = var[*cell as usize];
                    }
                }
            }
            for ([_, list], arrived) in lists.iter().zip(&arrived) {
                for (var, arrived) in vars.iter_mut().zip(arrived.chunks_exact(list.len().max(1))) {
                    for (value, cell) in arrived.iter().zip(list) {
                        var[*cell as usize] = *value;
                    }
                }
            }
        });
        Ok(Self::checksum(&vars, &packed))
    }
}
