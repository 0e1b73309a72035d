// error: E0277 `*const ()` cannot be sent between threads safely
// revision: ok
//
// A token stays with its thread.

use smelt::prelude::*;

fn main() {
    let token = thread::index();
    #[cfg(ok)]
    let token = token.get();
    std::thread::spawn(move || {
        let token = token;
        println!("{token:?}");
    });
}
