//! Devices.

use super::error::{array, at, check};
use super::launch::{Grid, launch};
use super::stream::{Stream, Target};
use crate::Result;
use crate::arg::Args;
use smelt_sys as sys;
use std::fmt;
use std::panic::Location;
use std::ptr::{NonNull, null_mut};

/// A device of this machine: a GPU, or the CPU. A copy is the same device.
///
/// All work given to a device itself is done in the order it was given in, whatever thread it
/// came from. Streams ([`stream`](Self::stream)) run beside that and beside each other.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Device {
    device: NonNull<sys::smelt_device>,
    /// The device's own stream.
    stream: NonNull<sys::smelt_stream>,
}

// SAFETY: the runtime owns what these point to, never frees it, and takes calls from
// any thread.
unsafe impl Send for Device {}
// SAFETY: as above.
unsafe impl Sync for Device {}

/// What kind of device it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeviceKind {
    /// The processor of this machine.
    Cpu,
    /// A GPU of NVIDIA.
    Nvidia,
    /// A GPU of AMD.
    Amd,
    /// Runs nothing; for tests of the runtime.
    Null,
}

/// What [`Device::info`] tells.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// The vendor's name for it.
    pub name: String,
    /// What kind it is.
    pub kind: DeviceKind,
    /// Architecture, as `sm_90`, `gfx90a`, `x86_64`; empty where not known.
    pub arch: String,
    /// What runs its kernels: `offload`, `cpu`, `null`.
    pub engine: String,
    /// Version of its driver; empty where there is none.
    pub driver: String,
    /// Multiprocessors, compute units, or threads of the operating system.
    pub units: u32,
    /// Threads in a warp.
    pub warp_size: u32,
    /// Most threads in a block.
    pub max_block_threads: u32,
    /// Most threads in a block along x, y, z.
    pub max_block_dim: [u32; 3],
    /// Memory of the device, in bytes.
    pub memory_bytes: u64,
    /// Most shared memory of a block, in bytes.
    pub shared_bytes: u64,
}

/// Bytes of device memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Memory {
    /// Free, says the driver; `None` where it does not say.
    pub free_bytes: Option<u64>,
    /// In use by this program.
    pub used_bytes: u64,
    /// Held for reuse.
    pub pooled_bytes: u64,
}

/// What [`Device::counters`] tells: numbers since the program began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// Kernels launched.
    pub launches: u64,
    /// Copies from the host to the device.
    pub copies_to: u64,
    /// Their bytes.
    pub bytes_to: u64,
    /// Copies from the device to the host.
    pub copies_from: u64,
    /// Their bytes.
    pub bytes_from: u64,
    /// Copies within the device.
    pub copies_on: u64,
    /// Their bytes.
    pub bytes_on: u64,
    /// Times that the host waited for a stream.
    pub waits: u64,
}

impl Device {
    /// The best device there is: NVIDIA, AMD, else the CPU. `SMELT_DEVICE` in the
    /// environment (`cpu`, `nvidia`, `amd`, or an index) narrows the choice.
    ///
    /// # Errors
    /// [`Error::NoDevice`](crate::Error::NoDevice) if nothing fits `SMELT_DEVICE`, or if only
    /// the CPU does and `SMELT_REQUIRE_DEVICE=1` is set.
    #[allow(clippy::should_implement_trait)]
    pub fn default() -> Result<Self> {
        let mut device = null_mut();
        // SAFETY: gives a device that lasts.
        check(unsafe { sys::smelt_device_default(&mut device) })?;
        Self::opened(device)
    }

    /// All devices, best first; never empty unless `SMELT_DEVICE` excludes all.
    ///
    /// # Errors
    /// Those of opening a device.
    pub fn all() -> Result<Vec<Self>> {
        let mut count = 0;
        // SAFETY: writes a number.
        check(unsafe { sys::smelt_device_count(&mut count) })?;
        (0..count).map(Self::nth).collect()
    }

    /// The processor of this machine as a device.
    ///
    /// # Errors
    /// [`Error::NoDevice`](crate::Error::NoDevice) if `SMELT_DEVICE` excludes it.
    pub fn cpu() -> Result<Self> {
        for device in Self::all()? {
            if device.info()?.kind == DeviceKind::Cpu {
                return Ok(device);
            }
        }
        Err(crate::Error::NoDevice(
            "the CPU is not among the devices that SMELT_DEVICE allows".into(),
        ))
    }

    fn nth(index: u32) -> Result<Self> {
        let mut device = null_mut();
        // SAFETY: gives a device that lasts.
        check(unsafe { sys::smelt_device_get(index, &mut device) })?;
        Self::opened(device)
    }

    fn opened(device: *mut sys::smelt_device) -> Result<Self> {
        let mut stream = null_mut();
        // SAFETY: a live device; gives a stream that lasts as long.
        check(unsafe { sys::smelt_device_stream(device, &mut stream) })?;
        Ok(Self {
            device: NonNull::new(device).expect("a device was given"),
            stream: NonNull::new(stream).expect("a stream was given"),
        })
    }

    pub(crate) fn raw(&self) -> *mut sys::smelt_device {
        self.device.as_ptr()
    }

    #[inline]
    pub(crate) fn target(&self) -> Target {
        Target {
            device: *self,
            stream: self.stream,
        }
    }

    /// Whether its kernels see the host's memory where it lies, so that nothing is copied.
    #[inline]
    pub fn shares_memory(&self) -> bool {
        // SAFETY: a live device.
        unsafe { sys::smelt_device_shares_memory(self.raw()) != 0 }
    }

    /// A new stream: work that runs beside that of the device and of other streams.
    ///
    /// # Errors
    /// [`Error::Engine`](crate::Error::Engine) and
    /// [`Error::NoMemory`](crate::Error::NoMemory) if the driver gives none.
    pub fn stream(&self) -> Result<Stream> {
        Stream::new(self)
    }

    /// The stream that the device's own launches go to.
    pub fn own_stream(&self) -> Stream {
        Stream::own(self.target())
    }

    /// Its name, kind and limits.
    ///
    /// # Errors
    /// [`Error::Engine`](crate::Error::Engine) if the driver does not answer.
    pub fn info(&self) -> Result<DeviceInfo> {
        // SAFETY: plain numbers and texts, of which all zero is a value.
        let mut info: sys::smelt_device_info = unsafe { std::mem::zeroed() };
        info.size = size_of::<sys::smelt_device_info>() as u32;
        // SAFETY: a live device, and a struct with its size.
        check(unsafe { sys::smelt_device_info(self.raw(), &mut info) })?;
        Ok(DeviceInfo {
            name: array(&info.name),
            kind: match info.kind {
                sys::SMELT_DEVICE_NVIDIA => DeviceKind::Nvidia,
                sys::SMELT_DEVICE_AMD => DeviceKind::Amd,
                sys::SMELT_DEVICE_NULL => DeviceKind::Null,
                _ => DeviceKind::Cpu,
            },
            arch: array(&info.arch),
            engine: array(&info.engine),
            driver: array(&info.driver),
            units: info.units,
            warp_size: info.warp_size,
            max_block_threads: info.max_block_threads,
            max_block_dim: info.max_block_dim,
            memory_bytes: info.memory_bytes,
            shared_bytes: info.shared_bytes,
        })
    }

    /// How its memory is used.
    ///
    /// # Errors
    /// [`Error::Engine`](crate::Error::Engine) if the driver does not answer.
    pub fn memory(&self) -> Result<Memory> {
        let (mut free, mut used, mut pooled) = (0, 0, 0);
        // SAFETY: a live device; writes numbers.
        check(unsafe { sys::smelt_device_memory(self.raw(), &mut free, &mut used, &mut pooled) })?;
        Ok(Memory {
            free_bytes: (free != u64::MAX).then_some(free),
            used_bytes: used,
            pooled_bytes: pooled,
        })
    }

    /// Runs `kernel` once for each thread of `grid`.
    ///
    /// `kernel` is any function or closure that is `Copy` and captures plain data; `args` is a
    /// tuple with what each of its parameters is made from, see [`arg`](crate::arg).
    ///
    /// Returns when the kernel has ended if an argument borrows memory of the host, with that
    /// memory up to date. Else it returns at once, and an error of the kernel is
    /// reported by the next call that waits: [`wait`](Self::wait), a copy from a
    /// [`Buffer`](crate::Buffer), or such a launch.
    ///
    /// # Errors
    /// [`Error::Launch`](crate::Error::Launch) if device or kernel do not allow the grid,
    /// [`Error::Panic`](crate::Error::Panic) if a thread panicked,
    /// [`Error::Invalid`](crate::Error::Invalid) for arguments that lie on another device or
    /// overlap, and those of moving data.
    #[track_caller]
    #[inline]
    pub fn launch<F, A, D>(&self, grid: Grid, kernel: F, args: A) -> Result<()>
    where
        F: Copy + Send + Sync + 'static,
        A: Args<F, D>,
    {
        launch(self.target(), &grid, kernel, args, Location::caller())
    }

    /// Waits for all work given to the device so far, that of its streams included.
    ///
    /// # Errors
    /// [`Error::Panic`](crate::Error::Panic) if a kernel among it panicked and no earlier
    /// call has said so; [`Error::Engine`](crate::Error::Engine) and
    /// [`Error::DeviceLost`](crate::Error::DeviceLost) from the driver.
    #[track_caller]
    #[inline]
    pub fn wait(&self) -> Result<()> {
        at(Location::caller());
        // SAFETY: a live device.
        check(unsafe { sys::smelt_device_wait(self.raw()) })
    }

    /// The bytes for what kernels of a stream print between two waits, for each stream of the
    /// device from its next launch on: a line without room is dropped, and counted on standard
    /// error. From 4 KiB to 4 GiB; others become the nearest. 0 is what `SMELT_PRINT_BUFFER`
    /// says, else 1 MiB.
    ///
    /// ```
    /// # use smelt::prelude::*;
    /// # fn main() -> smelt::Result<()> {
    /// let gpu = Device::default()?;
    /// gpu.set_print_buffer(16 << 20);
    /// # Ok(())
    /// # }
    /// ```
    pub fn set_print_buffer(&self, bytes: usize) {
        // SAFETY: a live device: it cannot fail.
        unsafe { sys::smelt_device_print_buffer(self.raw(), bytes as u64) };
    }

    /// What went through the device since the program began.
    pub fn counters(&self) -> Counters {
        // SAFETY: plain numbers.
        let mut from: sys::smelt_counters = unsafe { std::mem::zeroed() };
        from.size = size_of::<sys::smelt_counters>() as u32;
        // SAFETY: a live device, and a struct with its size: it cannot fail.
        unsafe { sys::smelt_device_counters(self.raw(), &mut from) };
        Counters {
            launches: from.launches,
            copies_to: from.copies_to,
            bytes_to: from.bytes_to,
            copies_from: from.copies_from,
            bytes_from: from.bytes_from,
            copies_on: from.copies_on,
            bytes_on: from.bytes_on,
            waits: from.waits,
        }
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.info() {
            Ok(info) => write!(f, "Device({})", info.name),
            Err(_) => f.write_str("Device"),
        }
    }
}
