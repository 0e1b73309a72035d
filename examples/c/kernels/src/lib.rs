//! A kernel that a C program launches (../main.c).

use smelt::prelude::*;

/// Element i becomes i times what it was, plus 1.
fn scale(mut y: DisjointMut<f32>) {
    let i = thread::index();
    if let Some(y) = y.get_mut(i) {
        *y = *y * i.get() as f32 + 1.0;
    }
}

/// A launch makes the kernel; it need never run.
pub fn launches(device: &Device, y: &mut [f32]) -> smelt::Result<()> {
    device.launch(Grid::cover(y.len()), scale, (y,))
}
