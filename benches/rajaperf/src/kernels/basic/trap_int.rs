//! Basic_TRAP_INT: the integral of 1 / distance to a point, by the trapezoid rule. (The checksum is
//! that of all repetitions together.)

use crate::prelude::*;

pub const KERNEL: Kernel = Kernel {
    name: "TRAP_INT",
    group: Group::Basic,
    features: &[Feature::Forall, Feature::Reduction],
    reps: 50,
    shape: |_, n| Shape {
        bytes_read: 8,
        bytes_written: 8,
        flops: 10 * n,
        ..Shape::of(n)
    },
    seq,
    smelt,
    tunings: &[Tuning::sized("occgs"), Tuning::sized("direct")],
    bounded: true,
    ..Kernel::DEFAULT
};

/// Where the integral begins, its step, and the point.
#[derive(Clone, Copy, DeviceCopy)]
struct Line {
    x0: f64,
    h: f64,
    xp: f64,
    y: f64,
    yp: f64,
}

impl Line {
    #[inline(always)]
    fn term(&self, i: usize) -> f64 {
        let x = self.x0 + i as f64 * self.h;
        let (dx, dy) = (x - self.xp, self.y - self.yp);
        1.0 / (dx * dx + dy * dy).sqrt()
    }
}

fn data(run: &mut Run) -> Line {
    let [xn, x0, xp, y, yp] = std::array::from_fn(|_| run.init.scalar());
    Line {
        x0,
        h: xn - x0,
        xp,
        y,
        yp,
    }
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let (n, line) = (run.size, data(run));
    let mut sum = 0.0;
    run.time_host(|| sum += (0..n).map(|i| line.term(i)).sum::<f64>() * line.h);
    Ok(Checksum::of_number(sum))
}

fn integrate(share: Share, n: usize, line: Line, total: GridReduction<f64>) {
    let sum = share.fold(n, 0.0, |sum, i| sum + line.term(i));
    total.reduce(sum, |a, b| a + b);
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let (n, line) = (run.size, data(run));
    let (grid, blocks) = run.reduction_grid(n);
    let share = run.share(n, blocks);
    let mut reduction = Reduction::new(&run.gpu, blocks, 0.0)?;
    let mut sum = 0.0;
    // No array is read: safe and unsafe have nothing to differ in.
    run.time(|queue| {
        let args = (share, n, line, &mut reduction);
        queue.gpu.launch(grid, integrate, args)?;
        sum += reduction.get()? * line.h;
        Ok(())
    })?;
    Ok(Checksum::of_number(sum))
}
