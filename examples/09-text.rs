//! Kernels that speak: `smelt::println!`, and what each kind of panic says.
//!
//!     cargo smelt run --release --example 09-text

use smelt::Error;
use smelt::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    Solid,
    Liquid,
}

/// One thread follows its element and prints what becomes of it.
fn relax(x: &[f64], rounds: u32, watched: usize) {
    let i = thread::index().get();
    let Some(&x) = x.get(i) else { return };
    let mut y = x;
    for round in 0..rounds {
        y = 0.5 * (y + x / y);
        if i == watched {
            smelt::print!("round {round}: {y:.6}");
            smelt::println!("{}", if round == 0 { ", to begin with" } else { "" });
        }
    }
}

fn go_wrong(way: u32, x: &[i32]) {
    let i = thread::index().get();
    if i != 3 {
        return;
    }
    let n = x.len();
    let state = if x[0] > 99 {
        State::Liquid
    } else {
        State::Solid
    };
    match way {
        0 => panic!("cannot use {:?} at {i} of {n}", x[0]),
        1 => _ = x[n + i],
        2 => _ = &x[i..x[0] as usize],
        3 => _ = x[0] / x[1],
        4 => assert!(x[1] > 0, "x[1] is {}", x[1]),
        5 => assert_eq!(x[0], x[2]),
        6 => assert_eq!(state, State::Liquid, "at {:.1} degrees", x[0] as f32),
        7 => _ = x.iter().position(|&x| x == 9).unwrap(),
        8 => _ = Err::<u8, State>(state).expect("a state"),
        9 => _ = u8::try_from(x[2]).unwrap(),
        10 => unreachable!("x[2] is {:#06x}", x[2]),
        _ => todo!(),
    }
}

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    gpu.launch(Grid::cover(4), relax, (&[1.0, 2.0, 3.0, 4.0], 4, 1))?;
    gpu.wait()?;
    for way in 0..12 {
        let x = [2, 0, 300, 4];
        let result = gpu.launch(Grid::cover(8), go_wrong, (way, &x));
        match result.and_then(|()| gpu.wait()) {
            Err(error @ Error::Panic { .. }) => println!("{error}"),
            other => return other,
        }
    }
    Ok(())
}
