//! Printing from kernels.

use std::fmt;

/// Prints from a kernel, as [`std::print!`] does from the host.
///
/// The text appears on the host's standard output at the next wait for the
/// launch ([`Device::wait`](crate::Device::wait), [`Stream::wait`](crate::Stream::wait),
/// or the end of a launch that brings data back). What one thread prints comes in the order
/// in which it printed, and no other thread's text gets into its lines.
///
/// Values may be integers, floats, `bool`, `char`, `&str`, raw pointers, references to these,
/// and by `{:?}` enums without fields that derive `Debug`; with all of `format!`'s options. Other
/// types are refused by smelt-cc, which names them.
///
/// Lines wait in a buffer of `SMELT_PRINT_BUFFER` bytes (an environment variable; 1 MiB if it is
/// not set) for each stream. Lines that find it full are dropped, and counted on standard error.
/// One call's values may have 184 bytes in all, of which each number takes 8, and each string
/// what is left; a string that is longer ends in `...`.
///
/// ```
/// # use smelt::prelude::*;
/// fn kernel(x: &[f32]) {
///     let i = thread::index().get();
///     if let Some(x) = x.get(i) {
///         smelt::println!("x[{i}] = {x:.3}");
///     }
/// }
///
/// # fn main() -> smelt::Result<()> {
/// let gpu = Device::default()?;
/// gpu.launch(Grid::cover(2), kernel, (&[1.0, 0.5],))?;
/// gpu.wait()?;
/// # Ok(())
/// # }
/// ```
#[macro_export]
macro_rules! print {
    ($($arg:tt)*) => {
        $crate::__print($crate::__format_args!($($arg)*))
    };
}

/// [`print!`](crate::print) with a newline behind the text.
///
/// ```
/// # use smelt::prelude::*;
/// fn kernel(n: u32) {
///     smelt::println!("{n} is {n:#x}");
/// }
/// # fn main() -> smelt::Result<()> {
/// # let gpu = Device::default()?;
/// # gpu.launch(Grid::cover(1), kernel, (255,))?;
/// # gpu.wait()
/// # }
/// ```
#[macro_export]
macro_rules! println {
    () => {
        $crate::__print($crate::__format_args!("\n"))
    };
    ($($arg:tt)*) => {
        $crate::__print($crate::__format_args!("{}\n", $crate::__format_args!($($arg)*)))
    };
}

/// What the macros hand over. smelt-cc knows this function by its path and puts in its place
/// what leaves the values in the stream's buffer; this body is for the host's own instance of
/// a kernel.
#[doc(hidden)]
#[inline(never)]
pub fn emit(args: fmt::Arguments<'_>) {
    std::print!("{args}");
}
