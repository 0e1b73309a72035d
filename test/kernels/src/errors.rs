//! Launches that are refused, and that nothing is lost by it.

use crate::suite::{ensure, same, Outcome, Suite};
use smelt::prelude::*;
use smelt::Error;

fn add_one(mut out: DisjointMut<u32>) {
    let i = thread::index();
    if let Some(out) = out.get_mut(i) {
        *out += 1;
    }
}

fn bounded(mut out: DisjointMut<u32>) {
    smelt::launch_bounds::<128, 1>();
    let i = thread::index();
    if let Some(out) = out.get_mut(i) {
        *out += 1;
    }
}

/// The launch was refused with a text that holds all of these, and the data is
/// untouched.
fn refused(result: smelt::Result<()>, parts: &[&str], out: &[u32]) -> Outcome {
    let Err(error) = result else {
        return Err("launched".into());
    };
    let text = error.to_string();
    ensure(matches!(error, Error::Launch(..)), format!("other error: {text}"))?;
    for part in parts {
        ensure(text.contains(part), format!("no {part:?} in {text:?}"))?;
    }
    same(out, &vec![3; out.len()])
}

fn block_too_large(gpu: &Device) -> Outcome {
    let mut out = vec![3u32; 10];
    let result = gpu.launch(Grid::cover(10).block(1 << 20), add_one, (&mut out,));
    refused(result, &["1048576"], &out)
}

fn over_launch_bounds(gpu: &Device) -> Outcome {
    let mut out = vec![3u32; 300];
    let result = gpu.launch(Grid::cover(300).block(256), bounded, (&mut out,));
    refused(result, &["256", "128"], &out)?;
    gpu.launch(Grid::cover(300), bounded, (&mut out,))?;
    same(&out, &[4; 300])?;
    gpu.launch(Grid::cover(300).block(128), bounded, (&mut out,))?;
    same(&out, &[5; 300])
}

fn more_dimensions_than_tokens(gpu: &Device) -> Outcome {
    let mut out = vec![3u32; 64];
    let result = gpu.launch(Grid::cover((8, 8)), add_one, (&mut out,));
    refused(result, &["dimension"], &out)
}

fn too_much_shared(gpu: &Device) -> Outcome {
    let mut out = vec![3u32; 64];
    let result = gpu.launch(Grid::cover(64).shared(1 << 30), add_one, (&mut out,));
    refused(result, &["shared"], &out)
}

pub fn run(suite: &mut Suite) {
    suite.test("error: block too large", block_too_large);
    if crate::has_kernels() {
        suite.test("error: over the launch bounds", over_launch_bounds);
    } else {
        suite.skip("error: over the launch bounds", "built without kernels");
    }
    suite.test("error: more dimensions than the tokens", more_dimensions_than_tokens);
    suite.test("error: too much shared memory", too_much_shared);
}
