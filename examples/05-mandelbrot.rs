//! A picture: the Mandelbrot set, a thread for each pixel, written as mandelbrot.pgm
//! (or to the file named on the command line).
//!
//!     cargo smelt run --release --example 05-mandelbrot [FILE]

use smelt::prelude::*;

const WIDTH: usize = 900;
const HEIGHT: usize = 600;
const STEPS: u32 = 200;

/// The part of the plane that is shown. Travels by value.
#[derive(Clone, Copy, DeviceCopy)]
struct View {
    left: f64,
    top: f64,
    pixel: f64,
}

/// How many steps it takes to leave the disc of radius 2. An ordinary function: host
/// code may call it as well.
fn escape(cx: f64, cy: f64) -> u32 {
    let (mut x, mut y) = (0.0, 0.0);
    for step in 0..STEPS {
        if x * x + y * y > 4.0 {
            return step;
        }
        (x, y) = (x * x - y * y + cx, 2.0 * x * y + cy);
    }
    STEPS
}

fn paint(view: View, mut steps: DisjointMut2<u32>) {
    let i = thread::index2();
    let (x, y) = i.get();
    if let Some(steps) = steps.get_mut(i) {
        *steps = escape(view.left + x as f64 * view.pixel, view.top - y as f64 * view.pixel);
    }
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let gpu = Device::default()?;
    eprintln!("running on {}", gpu.info()?.name);

    let view = View { left: -2.25, top: 1.0, pixel: 3.0 / WIDTH as f64 };
    let mut steps = vec![0u32; WIDTH * HEIGHT];
    gpu.launch(Grid::cover((WIDTH, HEIGHT)), paint, (view, steps.as_2d(HEIGHT, WIDTH)))?;

    let file = std::env::args().nth(1).unwrap_or("mandelbrot.pgm".into());
    let mut pgm = format!("P5 {WIDTH} {HEIGHT} 255\n").into_bytes();
    pgm.extend(steps.iter().map(|&s| {
        if s == STEPS { 0 } else { 255 - (255.0 * (s as f64 / STEPS as f64).sqrt()) as u8 }
    }));
    std::fs::write(&file, pgm)?;
    eprintln!("wrote {file}");

    let inside = steps.iter().filter(|&&s| s == STEPS).count();
    println!("{WIDTH} x {HEIGHT} pixels");
    println!("inside: {:.0} %", 100.0 * inside as f64 / steps.len() as f64);
    Ok(())
}
