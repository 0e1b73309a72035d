use smelt::launch;

fn kernel(x: &[f32], y: &mut f32) {
    smelt::bounds(128, 2);
    smelt::barrier();
    *y = dep_plain::grow(x[smelt::index()]);
}

pub fn main(data: &[f32], out: &mut f32) {
    launch(kernel, data, out);
}
