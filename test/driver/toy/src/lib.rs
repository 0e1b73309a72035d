//! Says which kernels the object that smelt-cc made holds.
use std::ffi::{c_char, CStr};

extern "C" {
    fn toy_kernels() -> *const c_char;
}

pub fn kernels() -> &'static str {
    unsafe { CStr::from_ptr(toy_kernels()) }.to_str().unwrap()
}
