//! The maps of one launch: host memory that the device sees until it has ended.
//!
//! Whatever happens, each map that was begun is ended, once, even when an earlier one's
//! end failed or the launch was left by a panic: a map that stayed would keep
//! device memory, and make a later launch see old data.

use super::device::Device;
use super::error::check;
use super::stream::Target;
use crate::Result;
use smelt_sys as sys;
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr::null_mut;

/// Arguments of a launch, at most; each has one map at most.
const MOST: usize = 16;

/// What a launch does with a buffer.
#[derive(Clone, Copy)]
pub(crate) enum Access {
    Read = 0,
    Write = 1,
    /// By atomics, beside others.
    Atomic = 2,
}

impl Access {
    /// That of an argument `&[T]`.
    pub(crate) const fn shared<T: crate::DeviceShare>() -> Self {
        if T::READONLY {
            Access::Read
        } else {
            Access::Atomic
        }
    }
}

#[derive(Clone, Copy)]
struct Map {
    host: *mut c_void,
    size: u64,
    direction: u32,
}

/// Where the arguments of a launch put their maps, and the buffers they use.
pub struct Maps {
    target: Target,
    uses: [MaybeUninit<sys::smelt_use>; MOST],
    use_len: usize,
    maps: [MaybeUninit<Map>; MOST],
    len: usize,
    /// Of shared memory, for each block.
    shared_bytes: u64,
}

impl Maps {
    #[inline]
    pub(crate) fn new(target: Target) -> Self {
        Self {
            target,
            uses: [const { MaybeUninit::uninit() }; MOST],
            use_len: 0,
            maps: [const { MaybeUninit::uninit() }; MOST],
            len: 0,
            shared_bytes: 0,
        }
    }

    /// Bytes of shared memory that each block has so far.
    #[inline]
    pub(crate) fn shared_bytes(&self) -> u64 {
        self.shared_bytes
    }

    #[inline]
    pub(crate) fn set_shared_bytes(&mut self, bytes: u64) {
        self.shared_bytes = bytes;
    }

    #[inline]
    pub(crate) fn device(&self) -> &Device {
        &self.target.device
    }

    /// The device and stream of the launch.
    #[inline]
    pub(crate) fn target(&self) -> Target {
        self.target
    }

    /// The stream of the launch.
    #[inline]
    pub(crate) fn stream(&self) -> *mut sys::smelt_stream {
        self.target.stream.as_ptr()
    }

    /// Notes that the launch uses the buffer.
    #[inline]
    pub(crate) fn note(&mut self, buffer: *mut sys::smelt_buffer, access: Access) {
        assert!(
            self.use_len < MOST,
            "one use for each of at most 16 arguments"
        );
        self.uses[self.use_len].write(sys::smelt_use {
            buffer,
            writes: access as u64,
        });
        self.use_len += 1;
    }

    /// The uses that were noted.
    #[inline]
    pub(crate) fn uses(&self) -> (*const sys::smelt_use, u64) {
        (self.uses.as_ptr().cast(), self.use_len as u64)
    }

    /// The device's address of `size` bytes at `host`, which stay borrowed until the
    /// maps have ended.
    pub(crate) fn begin(
        &mut self,
        host: *mut c_void,
        size: usize,
        direction: u32,
    ) -> Result<*mut c_void> {
        assert!(self.len < MOST, "one map for each of at most 16 arguments");
        let size = size as u64;
        let mut memory = null_mut();
        // SAFETY: a live stream, and memory that the argument borrows.
        check(unsafe { sys::smelt_map_begin(self.stream(), host, size, direction, &mut memory) })?;
        self.maps[self.len].write(Map {
            host,
            size,
            direction,
        });
        self.len += 1;
        Ok(memory)
    }

    /// Ends all, last first; the first error of those.
    #[inline]
    pub(crate) fn end(&mut self) -> Result<()> {
        let mut result = Ok(());
        while self.len > 0 {
            self.len -= 1;
            // SAFETY: written by begin, which counted it.
            let map = unsafe { self.maps[self.len].assume_init() };
            let stream = self.stream();
            // SAFETY: begun with the same numbers.
            let code = unsafe { sys::smelt_map_end(stream, map.host, map.size, map.direction) };
            result = result.and(check(code));
        }
        result
    }
}

impl Drop for Maps {
    #[inline]
    fn drop(&mut self) {
        // Only maps of a launch that failed are left here, and its error is known.
        let _ = self.end();
    }
}
