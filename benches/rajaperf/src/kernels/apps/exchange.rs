//! How the threads of a block hand each other values in safe code.
//!
//! Kernels on small tensors go in stages: each thread makes a few values, then all threads read
//! those of all. [`Exchange::publish`] is one such step. It writes the thread's values to shared
//! memory, waits for the block, and gives a reference to everybody's.
//!
//! Why that is sound, as long as all threads of the block make the same calls (what
//! `sync::barrier` wants too):
//!
//! 1. Each thread writes its own elements only, and all of them, since the block has the
//!    shape in the type; so after the barrier all elements hold values.
//! 2. The reference borrows the exchange, so a thread's ends before its next call. There are two
//!    rooms in turn: a room is written again in the call after the next, behind the barrier of the
//!    next, which no thread passes before all have given up what they read.
//! 3. The rooms are this exchange's alone: [`exchange!`] makes them where it
//!    stands, which must not be in a loop.

use smelt::Shared;
use smelt::prelude::*;

/// What `K` values each of a block of X by Y by Z threads are: `values[k][z][y][x]`.
pub type Values<const K: usize, const X: usize, const Y: usize, const Z: usize> =
    [[[[f64; X]; Y]; Z]; K];

/// Two rooms for up to `V` values of each thread; made by [`exchange!`].
pub struct Exchange<const V: usize, const X: usize, const Y: usize, const Z: usize> {
    rooms: [&'static Shared<Values<V, X, Y, Z>>; 2],
    turn: usize,
}

/// `exchange!(V, [X, Y, Z])`: an [`Exchange`] for a block of X by Y by Z threads. Once in a
/// kernel, and not in a loop.
macro_rules! exchange {
    ($values:expr, [$x:expr, $y:expr, $z:expr]) => {{
        smelt::shared! {
            static FIRST: $crate::kernels::apps::exchange::Values<{ $values }, { $x }, { $y }, { $z }>;
            static SECOND: $crate::kernels::apps::exchange::Values<{ $values }, { $x }, { $y }, { $z }>;
        }
        $crate::kernels::apps::exchange::Exchange::of(&FIRST, &SECOND)
    }};
}
pub(super) use exchange;

impl<const V: usize, const X: usize, const Y: usize, const Z: usize> Exchange<V, X, Y, Z> {
    /// For [`exchange!`], which makes the rooms.
    ///
    /// # Panics
    /// If the block has another shape.
    #[inline(always)]
    pub fn of(
        first: &'static Shared<Values<V, X, Y, Z>>,
        second: &'static Shared<Values<V, X, Y, Z>>,
    ) -> Self {
        let dim = thread::block_dim();
        assert!(dim.x as usize == X && dim.y as usize == Y && dim.z as usize == Z);
        Self {
            rooms: [first, second],
            turn: 0,
        }
    }

    /// This thread's x, y and z in its block.
    #[inline(always)]
    pub fn place(&self) -> [usize; 3] {
        let t = thread::thread_index();
        let place = [t.x as usize, t.y as usize, t.z as usize];
        // SAFETY: the block has this shape, or there were no exchange.
        unsafe { std::hint::assert_unchecked(place[0] < X && place[1] < Y && place[2] < Z) };
        place
    }

    /// Gives this thread's values to the block, and the block's to this thread. All threads
    /// of the block must make the call.
    #[inline(always)]
    pub fn publish<const K: usize>(&mut self, values: [f64; K]) -> &Values<K, X, Y, Z> {
        const { assert!(K <= V) };
        let [x, y, z] = self.place();
        let room: *mut Values<K, X, Y, Z> = self.rooms[self.turn].as_mut_ptr().cast();
        self.turn = 1 - self.turn;
        for (k, value) in values.into_iter().enumerate() {
            // SAFETY: this thread's own elements, which nobody reads (2 above).
            unsafe { (*room)[k][z][y][x] = value };
        }
        sync::barrier();
        // SAFETY: all elements are written (1) and will not be before the reference ends (2).
        unsafe { &*room }
    }
}
