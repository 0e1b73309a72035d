//! `smelt.h`, written by hand. `tests/header.rs` compares it with the header.
//!
//! The contracts (threads, ownership, errors) stand in the header and are not
//! repeated here.

#![allow(non_camel_case_types)]
#![deny(unsafe_op_in_unsafe_fn)]

use std::ffi::{c_char, c_int, c_void};

pub const SMELT_VERSION_MAJOR: u32 = 0;
pub const SMELT_VERSION_MINOR: u32 = 1;

pub const SMELT_OK: c_int = 0;
pub const SMELT_EINVALID: c_int = -1;
pub const SMELT_ENO_DEVICE: c_int = -2;
pub const SMELT_ENO_MEMORY: c_int = -3;
pub const SMELT_ENO_DEVICE_MEMORY: c_int = -4;
pub const SMELT_ENO_KERNEL: c_int = -5;
pub const SMELT_ENO_IMAGE: c_int = -6;
pub const SMELT_EBAD_IMAGE: c_int = -7;
pub const SMELT_ELAUNCH: c_int = -8;
pub const SMELT_EPANIC: c_int = -9;
pub const SMELT_EDEVICE_LOST: c_int = -10;
pub const SMELT_EUNSUPPORTED: c_int = -11;
pub const SMELT_EENGINE: c_int = -12;
pub const SMELT_EVERSION: c_int = -13;
pub const SMELT_ECHECK: c_int = -14;

pub const SMELT_FAULT_NONE: u32 = 0;
pub const SMELT_FAULT_RACE: u32 = 1;
pub const SMELT_FAULT_UNINITIALISED: u32 = 2;
pub const SMELT_FAULT_BARRIER: u32 = 3;

pub const SMELT_DEVICE_CPU: u32 = 1;
pub const SMELT_DEVICE_NVIDIA: u32 = 2;
pub const SMELT_DEVICE_AMD: u32 = 3;
pub const SMELT_DEVICE_NULL: u32 = 4;

pub const SMELT_MAP_TO: u32 = 1;
pub const SMELT_MAP_FROM: u32 = 2;
pub const SMELT_MAP_TOFROM: u32 = 3;
pub const SMELT_MAP_ALLOC: u32 = 4;

pub const SMELT_PROFILE_KERNEL: u32 = 1;
pub const SMELT_PROFILE_TO: u32 = 2;
pub const SMELT_PROFILE_FROM: u32 = 3;
pub const SMELT_PROFILE_ON: u32 = 4;
pub const SMELT_PROFILE_WAIT: u32 = 5;

#[repr(C)]
pub struct smelt_device {
    _opaque: [u8; 0],
}

#[repr(C)]
pub struct smelt_stream {
    _opaque: [u8; 0],
}

#[repr(C)]
pub struct smelt_event {
    _opaque: [u8; 0],
}

#[repr(C)]
pub struct smelt_buffer {
    _opaque: [u8; 0],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct smelt_counters {
    pub size: u32,
    pub reserved: u32,
    pub launches: u64,
    pub copies_to: u64,
    pub bytes_to: u64,
    pub copies_from: u64,
    pub bytes_from: u64,
    pub copies_on: u64,
    pub bytes_on: u64,
    pub waits: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct smelt_use {
    pub buffer: *mut smelt_buffer,
    pub writes: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct smelt_profile_entry {
    pub size: u32,
    pub kind: u32,
    pub line: u32,
    pub device: u32,
    pub count: u64,
    pub nanoseconds: u64,
    pub bytes: u64,
    pub needless_bytes: u64,
    pub name: [c_char; 256],
    pub file: [c_char; 256],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct smelt_device_info {
    pub size: u32,
    pub kind: u32,
    pub units: u32,
    pub warp_size: u32,
    pub max_block_threads: u32,
    pub max_block_dim: [u32; 3],
    pub memory_bytes: u64,
    pub shared_bytes: u64,
    pub name: [c_char; 96],
    pub arch: [c_char; 32],
    pub engine: [c_char; 16],
    pub driver: [c_char; 48],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct smelt_panic {
    pub size: u32,
    pub threads: u32,
    pub line: u32,
    pub column: u32,
    pub block: [u32; 3],
    pub thread: [u32; 3],
    pub kernel: [c_char; 256],
    pub file: [c_char; 256],
    pub message: [c_char; 1024],
    pub fault: u32,
    pub other_line: u32,
    pub other_column: u32,
    pub other_block: [u32; 3],
    pub other_thread: [u32; 3],
    pub reserved: u32,
    pub address: u64,
    pub other_file: [c_char; 256],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct smelt_launch {
    pub size: u32,
    pub grid_kind: u32,
    pub kernel: [u64; 2],
    pub grid: [u64; 3],
    pub block: [u32; 3],
    pub shared_bytes: u32,
    pub params: *const c_void,
    pub params_size: u64,
    pub params_align: u64,
    pub host_entry: Option<unsafe extern "C" fn(params: *const c_void)>,
    pub uses: *const smelt_use,
    pub use_count: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct smelt_kernel_info {
    pub size: u32,
    pub flags: u32,
    pub max_threads: u32,
    pub registers: u32,
    pub spill_bytes: u32,
    pub stack_bytes: u32,
    pub shared_bytes: u32,
    pub suggested_block: u32,
    pub name: [c_char; 256],
    pub file: [c_char; 256],
    pub line: u32,
}

/// Takes what kernels print: text and its size.
pub type smelt_print_fn =
    Option<unsafe extern "C" fn(data: *mut c_void, text: *const c_char, size: u64)>;

// The kind is said here and not by the build script alone: of a static library that
// rustc does not see named, a dylib exports nothing.
#[link(name = "smelt", kind = "static")]
unsafe extern "C" {
    pub safe fn smelt_last_error() -> *const c_char;
    pub safe fn smelt_error_text(code: c_int) -> *const c_char;
    pub fn smelt_at(file: *const c_char, file_size: u64, line: u32);

    pub fn smelt_device_count(count: *mut u32) -> c_int;
    pub fn smelt_device_get(index: u32, device: *mut *mut smelt_device) -> c_int;
    pub fn smelt_device_default(device: *mut *mut smelt_device) -> c_int;
    pub fn smelt_device_info(device: *mut smelt_device, info: *mut smelt_device_info) -> c_int;
    pub fn smelt_device_shares_memory(device: *mut smelt_device) -> c_int;
    pub fn smelt_device_memory(
        device: *mut smelt_device,
        free_bytes: *mut u64,
        used_bytes: *mut u64,
        pooled_bytes: *mut u64,
    ) -> c_int;

    pub fn smelt_device_counters(device: *mut smelt_device, counters: *mut smelt_counters)
    -> c_int;
    pub fn smelt_device_wait(device: *mut smelt_device) -> c_int;

    pub fn smelt_device_stream(device: *mut smelt_device, stream: *mut *mut smelt_stream) -> c_int;
    pub fn smelt_stream_create(device: *mut smelt_device, stream: *mut *mut smelt_stream) -> c_int;
    pub fn smelt_stream_destroy(stream: *mut smelt_stream) -> c_int;
    pub fn smelt_stream_retire(stream: *mut smelt_stream) -> c_int;
    pub fn smelt_stream_check(stream: *mut smelt_stream) -> c_int;
    pub fn smelt_stream_panicked(stream: *const smelt_stream) -> u64;
    pub fn smelt_stream_query(stream: *mut smelt_stream) -> c_int;
    pub fn smelt_stream_follow(stream: *mut smelt_stream, other: *mut smelt_stream) -> c_int;
    pub fn smelt_stream_call(
        stream: *mut smelt_stream,
        function: Option<unsafe extern "C" fn(data: *mut c_void)>,
        data: *mut c_void,
    ) -> c_int;
    pub fn smelt_stream_wait(stream: *mut smelt_stream) -> c_int;
    pub fn smelt_stream_panic(stream: *mut smelt_stream, panic: *mut smelt_panic) -> c_int;
    pub fn smelt_last_panic(panic: *mut smelt_panic) -> c_int;
    pub fn smelt_print_to(put: smelt_print_fn, data: *mut c_void) -> c_int;
    pub fn smelt_device_print_buffer(device: *mut smelt_device, bytes: u64) -> c_int;
    pub fn smelt_event_record(stream: *mut smelt_stream, event: *mut *mut smelt_event) -> c_int;
    pub fn smelt_event_record_timed(
        stream: *mut smelt_stream,
        event: *mut *mut smelt_event,
    ) -> c_int;
    pub fn smelt_event_query(event: *mut smelt_event) -> c_int;
    pub fn smelt_event_elapsed(
        from: *mut smelt_event,
        to: *mut smelt_event,
        nanoseconds: *mut i64,
    ) -> c_int;
    pub fn smelt_event_wait(event: *mut smelt_event) -> c_int;
    pub fn smelt_stream_wait_event(stream: *mut smelt_stream, event: *mut smelt_event) -> c_int;
    pub fn smelt_event_destroy(event: *mut smelt_event) -> c_int;

    pub fn smelt_memory_alloc(
        device: *mut smelt_device,
        size: u64,
        memory: *mut *mut c_void,
    ) -> c_int;
    pub fn smelt_memory_free(
        device: *mut smelt_device,
        stream: *mut smelt_stream,
        memory: *mut c_void,
    ) -> c_int;
    pub fn smelt_copy_to_device(
        stream: *mut smelt_stream,
        device_dst: *mut c_void,
        host_src: *const c_void,
        size: u64,
    ) -> c_int;
    pub fn smelt_copy_from_device(
        stream: *mut smelt_stream,
        host_dst: *mut c_void,
        device_src: *const c_void,
        size: u64,
    ) -> c_int;
    pub fn smelt_copy_on_device(
        stream: *mut smelt_stream,
        device_dst: *mut c_void,
        device_src: *const c_void,
        size: u64,
    ) -> c_int;
    pub fn smelt_copy_to_device_async(
        stream: *mut smelt_stream,
        device_dst: *mut c_void,
        host_src: *const c_void,
        size: u64,
    ) -> c_int;
    pub fn smelt_copy_from_device_async(
        stream: *mut smelt_stream,
        host_dst: *mut c_void,
        device_src: *const c_void,
        size: u64,
    ) -> c_int;
    pub fn smelt_memory_fill(
        stream: *mut smelt_stream,
        device_dst: *mut c_void,
        pattern: *const c_void,
        pattern_size: u64,
        size: u64,
    ) -> c_int;
    pub fn smelt_host_alloc(
        device: *mut smelt_device,
        size: u64,
        memory: *mut *mut c_void,
    ) -> c_int;
    pub fn smelt_host_free(device: *mut smelt_device, memory: *mut c_void) -> c_int;

    pub fn smelt_buffer_create(
        device: *mut smelt_device,
        size: u64,
        buffer: *mut *mut smelt_buffer,
    ) -> c_int;
    pub fn smelt_buffer_wrap(
        device: *mut smelt_device,
        memory: *mut c_void,
        size: u64,
        buffer: *mut *mut smelt_buffer,
    ) -> c_int;
    pub fn smelt_buffer_destroy(buffer: *mut smelt_buffer) -> c_int;
    pub fn smelt_buffer_memory(buffer: *const smelt_buffer) -> *mut c_void;
    pub fn smelt_buffer_wait(buffer: *mut smelt_buffer, all: c_int) -> c_int;
    pub fn smelt_buffer_write(
        stream: *mut smelt_stream,
        buffer: *mut smelt_buffer,
        offset: u64,
        host: *const c_void,
        size: u64,
    ) -> c_int;
    pub fn smelt_buffer_read(
        stream: *mut smelt_stream,
        buffer: *mut smelt_buffer,
        offset: u64,
        host: *mut c_void,
        size: u64,
    ) -> c_int;
    pub fn smelt_buffer_write_async(
        stream: *mut smelt_stream,
        buffer: *mut smelt_buffer,
        offset: u64,
        host: *const c_void,
        size: u64,
    ) -> c_int;
    pub fn smelt_buffer_read_async(
        stream: *mut smelt_stream,
        buffer: *mut smelt_buffer,
        offset: u64,
        host: *mut c_void,
        size: u64,
    ) -> c_int;
    pub fn smelt_buffer_fill(
        stream: *mut smelt_stream,
        buffer: *mut smelt_buffer,
        offset: u64,
        pattern: *const c_void,
        pattern_size: u64,
        size: u64,
    ) -> c_int;
    pub fn smelt_buffer_copy(
        stream: *mut smelt_stream,
        to: *mut smelt_buffer,
        to_offset: u64,
        from: *mut smelt_buffer,
        from_offset: u64,
        size: u64,
    ) -> c_int;

    pub fn smelt_map_begin(
        stream: *mut smelt_stream,
        host: *mut c_void,
        size: u64,
        direction: u32,
        device_memory: *mut *mut c_void,
    ) -> c_int;
    pub fn smelt_map_update(
        stream: *mut smelt_stream,
        host: *mut c_void,
        size: u64,
        direction: u32,
    ) -> c_int;
    pub fn smelt_map_end(
        stream: *mut smelt_stream,
        host: *mut c_void,
        size: u64,
        direction: u32,
    ) -> c_int;

    pub fn smelt_kernel_launch(stream: *mut smelt_stream, launch: *const smelt_launch) -> c_int;
    pub fn smelt_kernel_info(
        device: *mut smelt_device,
        kernel: *const u64,
        info: *mut smelt_kernel_info,
    ) -> c_int;
    pub fn smelt_kernel_find(name: *const c_char, kernel: *mut u64) -> c_int;
    pub safe fn smelt_has_kernels() -> c_int;

    pub fn smelt_profile_start() -> c_int;
    pub fn smelt_profile_stop() -> c_int;
    pub fn smelt_profile_count(count: *mut u32) -> c_int;
    pub fn smelt_profile_get(index: u32, entry: *mut smelt_profile_entry) -> c_int;

    /// Records a panic of the host's own instance of a kernel, for the thread
    /// that runs it. The texts need no NUL.
    pub fn smelt_host_panic(
        message: *const c_char,
        len: usize,
        file: *const c_char,
        file_len: usize,
        line: u32,
        column: u32,
    );
    pub safe fn smelt_host_running() -> c_int;

    /// Called by the constructor that smelt-cc's object brings. Declared so that a Rust
    /// dylib which holds the runtime exports it to the program's own kernels.
    #[doc(hidden)]
    pub fn smelt_image_register(image: *const c_void);
}
