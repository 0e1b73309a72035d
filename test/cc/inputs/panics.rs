use smelt::launch;

#[track_caller]
fn tracked(x: Option<f32>) -> f32 {
    x.expect("nothing here")
}

#[inline(never)]
fn deep(x: &[f32], i: usize) -> f32 {
    if i > 1000 {
        panic!("too deep");
    }
    if i > 900 {
        panic!("deep {i} of {}", x.len());
    }
    x[i]
}

fn kernel(x: &[f32], y: &mut f32) {
    let i = smelt::index();
    let n = x.len() as u32;
    assert!(n > 3, "n is small");
    assert_eq!(n, 7);
    assert_ne!(n, 9, "with {n}");
    let ratio = 10 / (n - 5);
    let s = &x[i..i + 4];
    let mut t = [0f32; 4];
    t[..i].copy_from_slice(s);
    let small: Result<u8, _> = u8::try_from(n);
    let cell = std::cell::RefCell::new(1);
    let held = cell.borrow_mut();
    if n == 9 {
        *y = *cell.borrow_mut() as f32;
    }
    drop(held);
    *y = tracked(x.first().copied()) + deep(x, i) + ratio as f32 + small.unwrap() as f32 + t[2];
    if n == 78 {
        todo!()
    }
}

pub fn main(data: &[f32], out: &mut f32) {
    launch(kernel, data, out);
}
