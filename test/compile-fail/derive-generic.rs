// error: E0277 required for `Pair<&str>` to implement `smelt::DeviceCopy`
// revision: ok
//
// A generic struct is as good as its parameters.

use smelt::prelude::*;

#[derive(Clone, Copy, DeviceCopy)]
struct Pair<T> {
    first: T,
    second: T,
}

fn needs<T: DeviceCopy>(_: T) {}

fn main() {
    #[cfg(not(ok))]
    let pair = Pair { first: "a", second: "b" };
    #[cfg(ok)]
    let pair = Pair { first: 1, second: 2 };
    _ = (pair.first, pair.second);
    needs(pair);
}
