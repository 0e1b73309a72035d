//! What kernels print goes the way of `print!`, so that it keeps its order with what the host
//! prints, and `cargo test` catches it.

use smelt_sys as sys;
use std::ffi::{c_char, c_void};
use std::panic::catch_unwind;

/// From the first launch on.
pub(crate) fn install() {
    // SAFETY: the function needs no data.
    unsafe { sys::smelt_print_to(Some(put), std::ptr::null_mut()) };
}

unsafe extern "C" fn put(_data: *mut c_void, text: *const c_char, size: u64) {
    // SAFETY: libsmelt passes a text and its size.
    let text = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), size as usize) };
    let text = String::from_utf8_lossy(text);
    // print! panics where nobody reads; C is above.
    let _ = catch_unwind(|| print!("{text}"));
}
