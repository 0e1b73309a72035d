//! Streams and events.

use super::device::Device;
use super::error::{at, check};
use super::launch::{Grid, launch};
use crate::Result;
use crate::arg::Args;
use smelt_sys as sys;
use std::ffi::c_void;
use std::fmt;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::ptr::{NonNull, null_mut};
use std::time::Duration;

/// Where a launch goes.
#[derive(Clone, Copy)]
pub struct Target {
    pub(crate) device: Device,
    pub(crate) stream: NonNull<sys::smelt_stream>,
}

impl Target {
    #[track_caller]
    #[inline]
    pub(crate) fn launch<F, A, D>(&self, grid: Grid, kernel: F, args: A) -> Result<()>
    where
        F: Copy + Send + Sync + 'static,
        A: Args<F, D>,
    {
        launch(*self, &grid, kernel, args, Location::caller())
    }

    pub(crate) fn wait(&self) -> Result<()> {
        // SAFETY: a live stream.
        check(unsafe { sys::smelt_stream_wait(self.stream.as_ptr()) })
    }

    /// The same for a stream that may have been destroyed: it left its panics to the device.
    pub(crate) fn wait_also_destroyed(&self) -> Result<()> {
        match self.wait() {
            Err(crate::Error::Invalid(_)) => self.device.wait(),
            waited => waited,
        }
    }
}

// SAFETY: the runtime never frees a stream's memory, and takes calls from any thread.
unsafe impl Send for Target {}

/// A queue of work on a device. What one stream is given is done in order; several run beside
/// each other.
///
/// Where streams share a [`Buffer`](crate::Buffer) or an [`Array`](crate::Array) the runtime
/// keeps them in order: whoever reads it runs after the last that wrote it, and whoever writes it
/// after all before. The host does not wait for that. Other order is made with
/// [`follow`](Self::follow) and [`Event`].
///
/// Dropping a stream waits for its work. A kernel's panic that nobody was told of by then is
/// reported by the next wait for the device; [`finish`](Self::finish) tells at once.
///
/// ```
/// # use smelt::prelude::*;
/// fn add(x: &[u32], mut y: DisjointMut<u32>) {
///     let i = thread::index();
///     if let Some(y) = y.get_mut(i) {
///         *y += x[i.get()];
///     }
/// }
/// let gpu = Device::default()?;
/// let x = Buffer::filled(&gpu, 100, 1)?;
/// let mut y = Buffer::filled(&gpu, 100, 2)?;
/// let mut z = Buffer::filled(&gpu, 100, 3)?;
/// let (a, b) = (gpu.stream()?, gpu.stream()?);
/// a.launch(Grid::cover(100), add, (&x, &mut y))?;
/// b.launch(Grid::cover(100), add, (&x, &mut z))?;    // may run at the same time
/// b.launch(Grid::cover(100), add, (&y, &mut z))?;    // comes after the first
/// assert_eq!(z.to_vec()?, [7; 100]);
/// # Ok::<(), smelt::Error>(())
/// ```
pub struct Stream {
    target: Target,
    /// Made by us, not the device's own.
    owned: bool,
}

// SAFETY: the runtime takes calls from any thread.
unsafe impl Send for Stream {}
// SAFETY: as above.
unsafe impl Sync for Stream {}

impl Stream {
    pub(crate) fn new(device: &Device) -> Result<Self> {
        let mut stream = null_mut();
        // SAFETY: a live device; gives a stream that is ours.
        check(unsafe { sys::smelt_stream_create(device.raw(), &mut stream) })?;
        let target = Target {
            device: *device,
            stream: NonNull::new(stream).expect("a stream was given"),
        };
        Ok(Self {
            target,
            owned: true,
        })
    }

    pub(crate) fn own(target: Target) -> Self {
        Self {
            target,
            owned: false,
        }
    }

    pub(crate) fn target(&self) -> Target {
        self.target
    }

    pub(crate) fn raw(&self) -> *mut sys::smelt_stream {
        self.target.stream.as_ptr()
    }

    /// The device it belongs to.
    #[inline]
    pub fn device(&self) -> Device {
        self.target.device
    }

    /// As [`Device::launch`], on this stream.
    ///
    /// # Errors
    /// Those of [`Device::launch`].
    #[track_caller]
    #[inline]
    pub fn launch<F, A, D>(&self, grid: Grid, kernel: F, args: A) -> Result<()>
    where
        F: Copy + Send + Sync + 'static,
        A: Args<F, D>,
    {
        launch(self.target, &grid, kernel, args, Location::caller())
    }

    /// Waits for all work given to the stream so far.
    ///
    /// # Errors
    /// [`Error::Panic`](crate::Error::Panic) if a kernel among it, or among what it had to come
    /// after, panicked and no earlier call has said so;
    /// [`Error::DeviceLost`](crate::Error::DeviceLost) from the driver.
    #[track_caller]
    #[inline]
    pub fn wait(&self) -> Result<()> {
        at(Location::caller());
        self.target.wait()
    }

    /// Whether all work given to it is over.
    ///
    /// # Errors
    /// [`Error::Engine`](crate::Error::Engine) from the driver.
    pub fn is_idle(&self) -> Result<bool> {
        // SAFETY: a live stream.
        query(unsafe { sys::smelt_stream_query(self.raw()) })
    }

    /// Makes its later work wait for all that `other` was given so far; the caller waits only
    /// if that is a stream of another device.
    ///
    /// # Errors
    /// [`Error::Engine`](crate::Error::Engine) from the driver.
    pub fn follow(&self, other: &Stream) -> Result<()> {
        // SAFETY: live streams.
        check(unsafe { sys::smelt_stream_follow(self.raw(), other.raw()) })
    }

    /// An event that is over when the work given so far is.
    ///
    /// # Errors
    /// [`Error::Engine`](crate::Error::Engine) from the driver.
    pub fn record(&self) -> Result<Event> {
        let mut event = null_mut();
        // SAFETY: a live stream; gives an event that is ours.
        check(unsafe { sys::smelt_event_record(self.raw(), &mut event) })?;
        Ok(Event::made(event))
    }

    /// The same, with the time at which the stream gets there; it costs the stream some
    /// microseconds.
    ///
    /// # Errors
    /// [`Error::Engine`](crate::Error::Engine) from the driver.
    pub fn record_timed(&self) -> Result<Event> {
        let mut event = null_mut();
        // SAFETY: as above.
        check(unsafe { sys::smelt_event_record_timed(self.raw(), &mut event) })?;
        Ok(Event::made(event))
    }

    /// Makes its later work wait for the event.
    ///
    /// # Errors
    /// [`Error::Engine`](crate::Error::Engine) from the driver.
    pub fn wait_for(&self, event: &Event) -> Result<()> {
        // SAFETY: a live stream and event.
        check(unsafe { sys::smelt_stream_wait_event(self.raw(), event.event.as_ptr()) })
    }

    /// Calls `function` in a thread of the runtime when the work given so far is over. Later
    /// work does not wait for it. Functions are called one after the other: none should take
    /// long. One that panics is as one that returned. At the end of the program those still to
    /// come are not called.
    ///
    /// # Errors
    /// [`Error::Engine`](crate::Error::Engine) from the driver; `function` is dropped then.
    pub fn on_done(&self, function: impl FnOnce() + Send + 'static) -> Result<()> {
        let boxed: Box<Box<dyn FnOnce() + Send>> = Box::new(Box::new(function));
        let data = Box::into_raw(boxed);
        // SAFETY: a live stream; call_boxed takes what data is.
        let code = unsafe { sys::smelt_stream_call(self.raw(), Some(call_boxed), data.cast()) };
        check(code).inspect_err(|_| {
            // SAFETY: it will not be called.
            drop(unsafe { Box::from_raw(data) });
        })
    }

    /// Waits, and gives the stream up.
    ///
    /// # Errors
    /// Those of [`wait`](Self::wait).
    pub fn finish(self) -> Result<()> {
        self.wait()
    }
}

unsafe extern "C" fn call_boxed(data: *mut c_void) {
    // SAFETY: from on_done, and called once.
    let function = unsafe { Box::from_raw(data.cast::<Box<dyn FnOnce() + Send>>()) };
    // The panic hook has said what there was to say.
    if let Err(payload) = catch_unwind(AssertUnwindSafe(function)) {
        std::mem::forget(payload);
    }
}

fn query(code: std::ffi::c_int) -> Result<bool> {
    match code {
        0 => Ok(true),
        1 => Ok(false),
        code => check(code).map(|()| true),
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if self.owned {
            // SAFETY: ours, and nobody has it any more. A panic is left to the device; after
            // other errors nothing can be done.
            unsafe { sys::smelt_stream_retire(self.raw()) };
        }
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stream({:?})", self.target.device)
    }
}

/// A point in the work of a stream; made by [`Stream::record`].
pub struct Event {
    event: NonNull<sys::smelt_event>,
}

// SAFETY: the runtime takes calls from any thread.
unsafe impl Send for Event {}
// SAFETY: as above.
unsafe impl Sync for Event {}

impl Event {
    fn made(event: *mut sys::smelt_event) -> Self {
        Self {
            event: NonNull::new(event).expect("an event was given"),
        }
    }

    /// Waits until the stream has come here. Says nothing of panics: those are the stream's.
    ///
    /// # Errors
    /// [`Error::Engine`](crate::Error::Engine) from the driver.
    pub fn wait(&self) -> Result<()> {
        // SAFETY: a live event.
        check(unsafe { sys::smelt_event_wait(self.event.as_ptr()) })
    }

    /// Whether the stream has come here.
    ///
    /// # Errors
    /// [`Error::Engine`](crate::Error::Engine) from the driver.
    pub fn is_over(&self) -> Result<bool> {
        // SAFETY: a live event.
        query(unsafe { sys::smelt_event_query(self.event.as_ptr()) })
    }

    /// The time from `earlier` to this one, after waiting for both; zero if they came the other
    /// way round.
    ///
    /// # Errors
    /// [`Error::Invalid`](crate::Error::Invalid) unless both were made by
    /// [`Stream::record_timed`].
    pub fn since(&self, earlier: &Event) -> Result<Duration> {
        let mut time = 0;
        // SAFETY: live events; writes a number.
        check(unsafe {
            sys::smelt_event_elapsed(earlier.event.as_ptr(), self.event.as_ptr(), &mut time)
        })?;
        Ok(Duration::from_nanos(time.max(0) as u64))
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: ours, and nobody has it any more.
        unsafe { sys::smelt_event_destroy(self.event.as_ptr()) };
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Event")
    }
}
