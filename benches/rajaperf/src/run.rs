//! One run of one variant of a kernel: its data, its repetitions, its times.

use crate::data::Init;
use crate::prim::Share;
use crate::suite::{Kernel, Params, Shape, Variant};
use smelt::{AtomicF64, Buffer, Device, DeviceKind, DeviceShare, Grid, Plain};
use std::hint::black_box;
use std::slice::from_raw_parts;
use std::time::{Duration, Instant};

/// What a variant is run with, and what it leaves: times and bytes moved.
pub struct Run<'a> {
    pub gpu: Device,
    pub params: &'a Params,
    /// The size asked for, before the kernel rounds it.
    pub target: usize,
    /// The size in fact run ([`Shape::size`]).
    pub size: usize,
    pub reps: usize,
    /// Threads in a block.
    pub block: usize,
    /// Name of the tuning, without a block size.
    pub tuning: &'static str,
    /// What `checksum_scale_factor` of the suite is made of: default over actual size.
    pub scale: f64,
    /// The suite's data.
    pub init: Init,
    /// Blocks that fill the device when each thread does several elements.
    pub full_grid: usize,
    /// The same for kernels that reduce.
    reducing: usize,
    /// Whether the device is the CPU.
    pub on_cpu: bool,
    variant: Variant,
    kernel_time: Duration,
    transfer_time: Duration,
    transfer_bytes: usize,
    /// Arrays moved to the device so far.
    arrays: usize,
    /// Number of an array of which only half is moved to the device, to see whether a kernel that
    /// indexes past its end is caught.
    pub short: Option<usize>,
}

/// Where repetitions are launched.
pub struct Queue {
    pub gpu: Device,
    /// Whether the safe form of a kernel is wanted; [`launch!`](crate::launch) asks it.
    pub safe: bool,
    /// Whether the device is the CPU.
    pub on_cpu: bool,
}

/// Launches the first kernel of the two in Smelt_Safe, the second in Smelt_Unsafe.
///
/// ```text
/// launch!(queue, grid, [add, add_unchecked], (&a, &b, &mut c))
/// ```
#[macro_export]
macro_rules! launch {
    ($queue:expr, $grid:expr, [$safe:expr, $unchecked:expr], $args:tt) => {
        if $queue.safe {
            $queue.gpu.launch($grid, $safe, $args)
        } else {
            $queue.gpu.launch($grid, $unchecked, $args)
        }
    };
}

/// What to run, beside the kernel.
#[derive(Clone, Copy)]
pub struct Choice {
    pub variant: Variant,
    pub tuning: &'static str,
    pub block: usize,
    pub target: usize,
    pub reps: usize,
}

impl<'a> Run<'a> {
    pub fn new(gpu: Device, units: u32, kernel: &Kernel, params: &'a Params, it: Choice) -> Self {
        let shape: Shape = (kernel.shape)(params, it.target);
        // A device that does not say what it is will not run either.
        let kind = gpu.info().map_or(DeviceKind::Cpu, |info| info.kind);
        // That run at once, where a multiprocessor takes so many threads.
        let blocks_of = |threads: usize| match kind {
            // A block a thread of the operating system.
            DeviceKind::Cpu => units as usize,
            _ => units as usize * (threads / it.block.clamp(32, 1024)),
        };
        Self {
            gpu,
            params,
            target: it.target,
            size: shape.size,
            reps: it.reps,
            block: it.block,
            tuning: it.tuning,
            scale: kernel.size as f64 / shape.size.max(1) as f64,
            init: Init::new(),
            full_grid: blocks_of(2048),
            reducing: blocks_of(1536),
            on_cpu: kind == DeviceKind::Cpu,
            variant: it.variant,
            kernel_time: Duration::ZERO,
            transfer_time: Duration::ZERO,
            transfer_bytes: 0,
            arrays: 0,
            short: None,
        }
    }

    /// Whether this is Smelt_Safe, where the two variants need data laid out differently.
    pub fn is_safe(&self) -> bool {
        self.variant == Variant::SmeltSafe
    }

    /// A thread for each of `n`, in blocks of the tuning's size.
    pub fn cover(&self, n: usize) -> Grid {
        Grid::cover(n).block(self.block)
    }

    /// The grid of tuning `four` over `n` elements, if that is the tuning.
    pub fn four(&self, n: usize) -> Option<Grid> {
        (self.tuning == "four").then(|| crate::stripes::grid(n, self.block))
    }

    /// The tuning's block as a rectangle, 32 wide where it can be.
    pub fn block2(&self) -> (usize, usize, usize) {
        let width = self.block.min(32);
        (width, (self.block / width).max(1), 1)
    }

    /// Blocks for `n` elements, but no more than fill the device: for kernels that
    /// stride over the rest.
    pub fn fill(&self, n: usize) -> Grid {
        Grid::blocks(n.div_ceil(self.block).clamp(1, self.full_grid)).threads(self.block)
    }

    /// The grid of a reduction over `n` elements and its number of blocks: with tuning
    /// `direct` a thread for each element, else no more than run at once. Kernels that reduce have some 40
    /// registers, of which a multiprocessor has enough for 1,536 threads: what did not fit would run after
    /// all else.
    pub fn reduction_grid(&self, n: usize) -> (Grid, usize) {
        let blocks = n.div_ceil(self.block).max(1);
        let blocks = match self.tuning.ends_with("direct") {
            true => blocks,
            false => blocks.min(self.reducing),
        };
        (Grid::blocks(blocks).threads(self.block), blocks)
    }

    /// How so many blocks share out `n` elements that they reduce.
    pub fn share(&self, n: usize, blocks: usize) -> Share {
        match self.on_cpu {
            true => Share::runs(n, blocks * self.block),
            false => Share::TURNS,
        }
    }

    /// Times the repetitions of `body` on the host.
    pub fn time_host(&mut self, mut body: impl FnMut()) {
        let start = Instant::now();
        for _ in 0..self.reps {
            body();
            // What it reads and writes may have changed: no repetition can be left out.
            black_box(&mut body);
        }
        self.kernel_time += start.elapsed();
    }

    /// Times the repetitions of `body` on the device, to the end of the last.
    pub fn time(&mut self, mut body: impl FnMut(&Queue) -> smelt::Result<()>) -> smelt::Result<()> {
        let queue = Queue {
            gpu: self.gpu,
            safe: self.is_safe(),
            on_cpu: self.on_cpu,
        };
        self.gpu.wait()?;
        let start = Instant::now();
        for _ in 0..self.reps {
            body(&queue)?;
        }
        self.gpu.wait()?;
        self.kernel_time += start.elapsed();
        Ok(())
    }

    /// A copy of `data` on the device. What is one value all over is made there and not moved.
    pub fn to_device<T: Plain>(&mut self, data: &[T]) -> smelt::Result<Buffer<T>> {
        let data = &data[..self.length(data.len())];
        let start = Instant::now();
        let (buffer, moved) = match one_value(data) {
            Some(value) => (Buffer::filled(&self.gpu, data.len(), value)?, 0),
            None => (Buffer::from_slice(&self.gpu, data)?, size_of_val(data)),
        };
        self.transferred(start, moved);
        Ok(buffer)
    }

    /// The elements of `data`, atomics included, on the device.
    pub fn move_to_device<T: DeviceShare>(&mut self, mut data: Vec<T>) -> smelt::Result<Buffer<T>> {
        data.truncate(self.length(data.len()));
        let start = Instant::now();
        let bytes = size_of_val(&data[..]);
        let buffer = Buffer::from_vec(&self.gpu, data)?;
        self.transferred(start, bytes);
        Ok(buffer)
    }

    /// Numbers that threads share on the device: safe kernels may write them through any index.
    pub fn cells_to_device(&mut self, data: Vec<f64>) -> smelt::Result<Buffer<AtomicF64>> {
        if one_value(&data).is_none_or(|value| value.to_bits() != 0) {
            return self.move_to_device(data.into_iter().map(AtomicF64::new).collect());
        }
        let start = Instant::now();
        let len = self.length(data.len());
        let buffer = Buffer::zeroed(&self.gpu, len)?;
        self.transferred(start, 0);
        Ok(buffer)
    }

    /// Their values on the host.
    pub fn cells_to_host(&mut self, cells: &Buffer<AtomicF64>) -> smelt::Result<Vec<f64>> {
        let cells = self.to_host(cells)?;
        Ok(cells.into_iter().map(AtomicF64::into_inner).collect())
    }

    /// A copy of `buffer` on the host.
    pub fn to_host<T: DeviceShare>(&mut self, buffer: &Buffer<T>) -> smelt::Result<Vec<T>> {
        let start = Instant::now();
        let data = buffer.to_vec()?;
        self.transferred(start, size_of_val(&data[..]));
        Ok(data)
    }

    /// How much of the next array goes to the device: all, but of the one that is to be short half.
    fn length(&mut self, len: usize) -> usize {
        self.arrays += 1;
        match self.short {
            Some(short) if short + 1 == self.arrays => len / 2,
            _ => len,
        }
    }

    fn transferred(&mut self, start: Instant, bytes: usize) {
        self.transfer_time += start.elapsed();
        self.transfer_bytes += bytes;
    }

    /// Time of all repetitions, in seconds.
    pub fn kernel_seconds(&self) -> f64 {
        self.kernel_time.as_secs_f64()
    }

    /// Time of moving the data there and the results back, in seconds.
    pub fn transfer_seconds(&self) -> f64 {
        self.transfer_time.as_secs_f64()
    }

    /// Arrays moved to the device.
    pub fn arrays(&self) -> usize {
        self.arrays
    }

    pub fn transfer_bytes(&self) -> usize {
        self.transfer_bytes
    }
}

/// The value that all elements are, bit by bit.
fn one_value<T: Plain>(data: &[T]) -> Option<T> {
    let first = *data.first()?;
    // SAFETY: every bit of a Plain type belongs to its value.
    let bytes = unsafe { from_raw_parts(data.as_ptr().cast::<u8>(), size_of_val(data)) };
    let (head, rest) = bytes.split_at(size_of::<T>());
    // Each byte is the one an element earlier.
    (head.is_empty() || bytes[..rest.len()] == *rest).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_value_is_one_all_over() {
        assert_eq!(one_value::<u8>(&[]), None);
        assert_eq!(one_value(&[3.5]), Some(3.5));
        assert_eq!(one_value(&[7i32; 100]), Some(7));
        assert_eq!(one_value(&[0.0, -0.0]), None);
        assert_eq!(one_value(&[[1, 2], [1, 2], [1, 3]]), None);
        for at in 0..9 {
            let mut data = [5u64; 9];
            data[at] = 4;
            assert_eq!(one_value(&data), None);
        }
    }
}
