//! The maps of one launch: host memory that the device sees until it has ended.
//!
//! Whatever happens, each map that was begun is ended, once, even when an earlier one's
//! end failed or the launch was left by a panic: a map that stayed would keep
//! device memory, and make a later launch see old data.

use super::device::Device;
use super::error::{check, check_on};
use crate::Result;
use smelt_sys as sys;
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr::null_mut;

/// Arguments of a launch, at most; each has one map at most.
const MOST: usize = 16;

#[derive(Clone, Copy)]
struct Map {
    host: *mut c_void,
    size: u64,
    direction: u32,
}

/// Where the arguments of a launch put their maps.
pub struct Maps {
    device: Device,
    maps: [MaybeUninit<Map>; MOST],
    len: usize,
}

impl Maps {
    #[inline]
    pub(crate) fn new(device: Device) -> Self {
        Self {
            device,
            maps: [const { MaybeUninit::uninit() }; MOST],
            len: 0,
        }
    }

    #[inline]
    pub(crate) fn device(&self) -> &Device {
        &self.device
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
        check(unsafe {
            sys::smelt_map_begin(self.device.stream(), host, size, direction, &mut memory)
        })?;
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
            let stream = self.device.stream();
            // SAFETY: begun with the same numbers.
            let code = unsafe { sys::smelt_map_end(stream, map.host, map.size, map.direction) };
            result = result.and(check_on(code, stream));
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
