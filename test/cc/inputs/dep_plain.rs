//! A crate that knows nothing of smelt.
static OFFSETS: [f32; 3] = [1.0, 2.0, 3.0];

fn offset(i: usize) -> f32 {
    OFFSETS[i % 3]
}

pub fn grow(x: f32) -> f32 {
    let mut s = x;
    for i in 0..10 {
        if s > 100.0 {
            panic!("too big: {s}");
        }
        s = s * 2.0 + offset(i);
    }
    s
}

pub fn never_used_by_kernels() {
    println!("never");
}
