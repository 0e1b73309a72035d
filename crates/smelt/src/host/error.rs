//! Errors: the runtime's code and text, and what a panic in a kernel left.

use smelt_sys as sys;
use std::ffi::{CStr, c_char, c_int};
use std::fmt;
use std::panic::Location;

/// `std::result::Result` with [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// Why a call failed.
///
/// `Debug` prints the same sentence as `Display`, so that `fn main() -> smelt::Result<()>`
/// ends with something to read.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// A thread of a kernel panicked. The others ran on, and what they wrote is kept; what that
    /// thread wrote itself may be there or not.
    Panic {
        /// Path of the kernel, such as `app::saxpy`; may be empty on the host's own instance.
        kernel: Box<str>,
        /// What the panic said.
        message: Box<str>,
        /// Source file of the panic; may be empty.
        file: Box<str>,
        /// Line in it, from 1; 0 if not known.
        line: u32,
        /// Column in it, from 1; 0 if not known.
        column: u32,
        /// Block of the first thread that panicked: x, y, z.
        block: [u32; 3],
        /// Its place in the block: x, y, z.
        thread: [u32; 3],
        /// How many threads panicked.
        threads: u32,
    },
    /// `SMELT_CPU_CHECK` found a kernel at fault. It ran to its end, and what it wrote is there.
    Fault(Box<Fault>),
    /// An argument that makes no sense: a length, a view, a device.
    Invalid(Box<str>),
    /// There is no such device.
    NoDevice(Box<str>),
    /// The host is out of memory.
    NoMemory(Box<str>),
    /// The device is out of memory: how much was asked for, is free, is held for reuse.
    NoDeviceMemory(Box<str>),
    /// The program's image does not have this kernel.
    NoKernel(Box<str>),
    /// The program was built for other kinds of device.
    NoImage(Box<str>),
    /// The program's image is damaged.
    BadImage(Box<str>),
    /// The launch asks for more than the device or the kernel allows: block or grid too
    /// large, more dimensions than the kernel's index tokens have, too much shared memory.
    Launch(Box<str>),
    /// The device went away.
    DeviceLost(Box<str>),
    /// This device cannot do that.
    Unsupported(Box<str>),
    /// The device's driver reported an error.
    Engine(Box<str>),
    /// Two versions of the runtime are in this program.
    Version(Box<str>),
    /// A code of the runtime that this crate does not know.
    Other {
        /// The code.
        code: i32,
        /// Its text.
        message: Box<str>,
    },
}

/// What `SMELT_CPU_CHECK` found: the first fault of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fault {
    /// Which sort of fault.
    pub kind: FaultKind,
    /// Path of the kernel, such as `app::saxpy`.
    pub kernel: Box<str>,
    /// What is wrong, and with whom.
    pub message: Box<str>,
    /// Where the thread that was at fault last stood.
    pub here: ThreadPlace,
    /// The other thread, and where it stood. None for [`FaultKind::Uninitialised`].
    pub other: Option<ThreadPlace>,
    /// Address of the memory; 0 for [`FaultKind::Barrier`].
    pub address: u64,
}

/// Sorts of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// Two threads touch one place, at least one writes, not both with atomics, and nothing
    /// orders them.
    Race,
    /// A read of shared memory that no thread of the block has written.
    Uninitialised,
    /// A barrier or warp operation that not all threads reach together.
    Barrier,
}

/// A thread, and a place in its code.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ThreadPlace {
    /// Source file.
    pub file: Box<str>,
    /// Line in it, from 1; 0 if not known.
    pub line: u32,
    /// Column in it, from 1; 0 if not known.
    pub column: u32,
    /// Block of the thread: x, y, z.
    pub block: [u32; 3],
    /// Its place in the block: x, y, z.
    pub thread: [u32; 3],
}

impl Fault {
    fn new(panic: &sys::smelt_panic) -> Self {
        let kind = match panic.fault {
            sys::SMELT_FAULT_RACE => FaultKind::Race,
            sys::SMELT_FAULT_UNINITIALISED => FaultKind::Uninitialised,
            _ => FaultKind::Barrier,
        };
        Self {
            kind,
            kernel: array(&panic.kernel).into(),
            message: array(&panic.message).into(),
            here: ThreadPlace {
                file: array(&panic.file).into(),
                line: panic.line,
                column: panic.column,
                block: panic.block,
                thread: panic.thread,
            },
            other: (kind != FaultKind::Uninitialised).then(|| ThreadPlace {
                file: array(&panic.other_file).into(),
                line: panic.other_line,
                column: panic.other_column,
                block: panic.other_block,
                thread: panic.other_thread,
            }),
            address: panic.address,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ThreadPlace {
            file, line, column, ..
        } = &self.here;
        write!(
            f,
            "kernel {} at {file}:{line}:{column}: {} (block {}, thread {})",
            self.kernel,
            self.message,
            Place(&self.here.block),
            Place(&self.here.thread)
        )
    }
}

impl Error {
    /// The runtime's code (`SMELT_E...` in `smelt.h`).
    pub fn code(&self) -> i32 {
        match self {
            Error::Panic { .. } => sys::SMELT_EPANIC,
            Error::Fault(_) => sys::SMELT_ECHECK,
            Error::Invalid(_) => sys::SMELT_EINVALID,
            Error::NoDevice(_) => sys::SMELT_ENO_DEVICE,
            Error::NoMemory(_) => sys::SMELT_ENO_MEMORY,
            Error::NoDeviceMemory(_) => sys::SMELT_ENO_DEVICE_MEMORY,
            Error::NoKernel(_) => sys::SMELT_ENO_KERNEL,
            Error::NoImage(_) => sys::SMELT_ENO_IMAGE,
            Error::BadImage(_) => sys::SMELT_EBAD_IMAGE,
            Error::Launch(_) => sys::SMELT_ELAUNCH,
            Error::DeviceLost(_) => sys::SMELT_EDEVICE_LOST,
            Error::Unsupported(_) => sys::SMELT_EUNSUPPORTED,
            Error::Engine(_) => sys::SMELT_EENGINE,
            Error::Version(_) => sys::SMELT_EVERSION,
            Error::Other { code, .. } => *code,
        }
    }

    /// From a code that is not 0, with what this thread was told last.
    #[cold]
    pub(crate) fn last(code: c_int) -> Self {
        if (code == sys::SMELT_EPANIC || code == sys::SMELT_ECHECK)
            && let Some(panic) = Self::last_panic()
        {
            return panic;
        }
        let text = pointed(sys::smelt_last_error());
        let text = if text.is_empty() {
            pointed(sys::smelt_error_text(code))
        } else {
            text
        };
        let make = match code {
            sys::SMELT_EINVALID => Error::Invalid,
            sys::SMELT_ENO_DEVICE => Error::NoDevice,
            sys::SMELT_ENO_MEMORY => Error::NoMemory,
            sys::SMELT_ENO_DEVICE_MEMORY => Error::NoDeviceMemory,
            sys::SMELT_ENO_KERNEL => Error::NoKernel,
            sys::SMELT_ENO_IMAGE => Error::NoImage,
            sys::SMELT_EBAD_IMAGE => Error::BadImage,
            sys::SMELT_ELAUNCH => Error::Launch,
            sys::SMELT_EDEVICE_LOST => Error::DeviceLost,
            sys::SMELT_EUNSUPPORTED => Error::Unsupported,
            sys::SMELT_EENGINE => Error::Engine,
            sys::SMELT_EVERSION => Error::Version,
            _ => {
                return Error::Other {
                    code,
                    message: text,
                };
            }
        };
        make(text)
    }

    fn last_panic() -> Option<Self> {
        // SAFETY: plain numbers and texts, of which all zero is a value.
        let mut panic: sys::smelt_panic = unsafe { std::mem::zeroed() };
        panic.size = size_of::<sys::smelt_panic>() as u32;
        // SAFETY: a struct with its size.
        if unsafe { sys::smelt_last_panic(&mut panic) } != 0 {
            return None;
        }
        if panic.fault != sys::SMELT_FAULT_NONE {
            return Some(Error::Fault(Box::new(Fault::new(&panic))));
        }
        Some(Error::Panic {
            kernel: array(&panic.kernel).into(),
            message: array(&panic.message).into(),
            file: array(&panic.file).into(),
            line: panic.line,
            column: panic.column,
            block: panic.block,
            thread: panic.thread,
            threads: panic.threads,
        })
    }
}

#[inline]
pub(crate) fn check(code: c_int) -> Result<()> {
    if code == sys::SMELT_OK {
        return Ok(());
    }
    Err(Error::last(code))
}

/// Says where this thread's next calls come from, for errors and the profile.
#[inline]
pub(crate) fn at(from: &'static Location<'static>) {
    let file = from.file();
    // SAFETY: a text that lasts.
    unsafe { sys::smelt_at(file.as_ptr().cast(), file.len() as u64, from.line()) }
}

fn pointed(text: *const c_char) -> Box<str> {
    if text.is_null() {
        return "".into();
    }
    // SAFETY: the runtime's texts end with NUL and last until its next call.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into()
}

/// Text in an array of the runtime's, up to its NUL.
pub(crate) fn array(text: &[c_char]) -> String {
    let bytes: Vec<u8> = text
        .iter()
        .map(|&c| c as u8)
        .take_while(|&c| c != 0)
        .collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Panic {
                kernel,
                message,
                file,
                line,
                column,
                block,
                thread,
                threads,
            } => {
                f.write_str("kernel ")?;
                if !kernel.is_empty() {
                    write!(f, "{kernel} ")?;
                }
                f.write_str("panicked")?;
                if !file.is_empty() {
                    write!(f, " at {file}:{line}:{column}")?;
                }
                write!(
                    f,
                    ": {message} (block {}, thread {}",
                    Place(block),
                    Place(thread)
                )?;
                if *threads > 1 {
                    write!(f, "; {threads} threads panicked")?;
                }
                f.write_str(")")
            }
            Error::Fault(fault) => fault.fmt(f),
            Error::Invalid(text)
            | Error::NoDevice(text)
            | Error::NoMemory(text)
            | Error::NoDeviceMemory(text)
            | Error::NoKernel(text)
            | Error::NoImage(text)
            | Error::BadImage(text)
            | Error::Launch(text)
            | Error::DeviceLost(text)
            | Error::Unsupported(text)
            | Error::Engine(text)
            | Error::Version(text)
            | Error::Other { message: text, .. } => f.write_str(text),
        }
    }
}

/// `x` alone where y and z are 0.
struct Place<'a>(&'a [u32; 3]);

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [x, 0, 0] => write!(f, "{x}"),
            [x, y, z] => write!(f, "({x}, {y}, {z})"),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}
