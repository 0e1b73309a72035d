//! The same sum on a device and on the host.
use smelt::prelude::*;

const N: usize = 997;

fn last(x: &[f64], mut y: DisjointMut<f64>) {
    let i = thread::index();
    let at = i.get();
    if let Some(y) = y.get_mut(i) {
        *y += mid::root(at, x[at]);
        *y += match plain::parse(if at % 2 == 0 { b"123" } else { b"12x" }) {
            Ok(value) => value as f64,
            Err(plain::Error::Digit(c)) => c as f64,
            Err(plain::Error::Overflow) => -1.0,
        };
    }
}

/// On the best device.
pub fn on_device() -> smelt::Result<f64> {
    let gpu = Device::default()?;
    let x: Vec<f64> = (0..N).map(|i| i as f64).collect();
    let mut y = vec![1.0; N];
    mid::run(&gpu, &x, &mut y)?;
    gpu.launch(Grid::cover(N), mid::axpy::<f64>, (2.0, &x, &mut y))?;
    mid::scale(&gpu, 4.0, &mut y)?;
    gpu.launch(Grid::cover(N), last, (&x, &mut y))?;
    Ok(y.iter().sum())
}

/// Without smelt.
pub fn on_host() -> f64 {
    let one = |i: usize| {
        let x = i as f64;
        let y = (plain::score(x, i % 8) + 2.0 * x) * 4.0;
        y + mid::root(i, x) + if i % 2 == 0 { 123.0 } else { b'x' as f64 }
    };
    (0..N).map(one).sum()
}
