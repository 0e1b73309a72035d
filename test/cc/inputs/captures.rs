use smelt::launch;

static TABLE: [f32; 4] = [1.0, 2.0, 3.0, 4.0];

#[derive(Clone, Copy)]
struct Pair {
    n: u32,
    rest: &'static [f32],
}

#[derive(Clone, Copy)]
struct Empty(std::marker::PhantomData<&'static u32>);

fn helper(x: f32) -> f32 {
    x + 1.0
}

fn plain(x: &[f32], y: &mut f32) {
    *y = x[0];
}

pub fn main(data: &[f32], out: &mut f32) {
    let k = 3u64;
    let copies = ([k; 2], Some(1.5f32), Empty(std::marker::PhantomData), helper);
    launch(move |x, y| *y = copies.3(x[k as usize]) + copies.1.unwrap(), data, out);

    let slice: &'static [f32] = &TABLE;
    launch(move |x, y| *y = x[0] + slice[1], data, out);
    let pointer: fn(f32) -> f32 = helper;
    launch(move |x, y| *y = pointer(x[0]), data, out);
    let raw = &raw const TABLE;
    launch(move |x, y| *y = x[unsafe { (*raw)[0] } as usize], data, out);
    let pair = Pair { n: 1, rest: slice };
    let maybe = Some((1u8, [slice; 2]));
    launch(move |x, y| *y = x[pair.n as usize] + pair.rest[0] + maybe.unwrap().1[0][0], data, out);
    let object: &'static dyn Fn(f32) -> f32 = &helper;
    launch(move |x, y| *y = object(x[0]), data, out);

    launch(plain, data, out);
    launch(plain as fn(&[f32], &mut f32), data, out);
}
