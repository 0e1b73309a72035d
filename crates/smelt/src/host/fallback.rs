//! Kernels run by their own host instance, for programs built without smelt-cc.
//!
//! libsmelt calls [`entry`] for each thread of the grid, one after another (barriers
//! switch between the threads of a block). A panic must not leave it, as C is
//! above. It is caught and recorded like a panic on a device. What a panic says is known
//! without help, but where it happened only the panic hook is told; so the first launch
//! of such a program puts a hook before the one that is there. It acts for panics in kernels
//! only, which it keeps from being printed, and passes all others on. (In a program with
//! `panic = "abort"` nothing can be caught: there a panic in such a kernel ends the program.)
//!
//! One thing is weaker here than on a device: a kernel could keep an index token in a
//! thread-local, where another thread of its block finds it, since all of them run on one thread of
//! the operating system. smelt-cc refuses thread-locals. It is no data race, but two threads could
//! borrow one element if the first keeps its borrow over a barrier.

use super::launch::{__smelt_entry, Block};
use crate::arg::Params;
use smelt_sys as sys;
use std::any::Any;
use std::cell::RefCell;
use std::ffi::c_void;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::Once;

struct Place {
    file: String,
    line: u32,
    column: u32,
}

thread_local! {
    /// Of the last panic in a kernel on this thread.
    static PLACE: RefCell<Option<Place>> = const { RefCell::new(None) };
}

/// One thread of a kernel.
///
/// # Safety
/// `params` is the parameter block of a running launch of `F`.
pub(crate) unsafe extern "C" fn entry<F, P>(params: *const c_void)
where
    F: Copy + Send + Sync + 'static,
    P: Params<F>,
{
    // SAFETY: the caller's.
    let ran = panic::catch_unwind(AssertUnwindSafe(|| unsafe {
        __smelt_entry::<F, P>(params.cast::<Block<F, P::Raw>>())
    }));
    if let Err(payload) = ran {
        record(payload);
    }
}

#[cold]
fn record(payload: Box<dyn Any + Send>) {
    let place = PLACE.take().unwrap_or(Place {
        file: String::new(),
        line: 0,
        column: 0,
    });
    let message = if let Some(text) = payload.downcast_ref::<&str>() {
        text
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text.as_str()
    } else {
        "panic with a value that is no text"
    };
    // SAFETY: two texts with their lengths.
    unsafe {
        sys::smelt_host_panic(
            message.as_ptr().cast(),
            message.len(),
            place.file.as_ptr().cast(),
            place.file.len(),
            place.line,
            place.column,
        );
    }
    // A payload whose own drop panics must not get out either.
    if let Err(again) = panic::catch_unwind(AssertUnwindSafe(move || drop(payload))) {
        std::mem::forget(again);
    }
}

/// Once, before the first launch.
#[inline]
pub(crate) fn prepare() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        super::print::install();
        if sys::smelt_has_kernels() == 0 {
            eprintln!(
                "smelt: this program was built without `cargo smelt`, so its kernels run \
                 slowly on the host"
            );
            install_hook();
        }
    });
}

fn install_hook() {
    let previous = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if sys::smelt_host_running() != 0 {
            PLACE.set(place(info));
        } else {
            previous(info);
        }
    }));
}

fn place(info: &PanicHookInfo<'_>) -> Option<Place> {
    let location = info.location()?;
    Some(Place {
        file: location.file().to_owned(),
        line: location.line(),
        column: location.column(),
    })
}
