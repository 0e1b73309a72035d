use smelt::device::print::emit;
use smelt::launch;

struct Pair(u32, f32);

impl std::fmt::Debug for Pair {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for _ in 0..self.0 {
            write!(f, "{} ", self.1)?;
        }
        Ok(())
    }
}

#[inline(never)]
fn log(n: u32, what: std::fmt::Arguments<'_>) {
    if n > 3 {
        emit(what);
    }
}

fn prints(x: &[f32], y: &mut f32) {
    let i = smelt::index();
    emit(format_args!("x[{i}] = {:>8.3}\n", x[i]));
    emit(format_args!(""));
    if i == 4 {
        emit(format_args!("only text {{}}\n"));
    }
    *y = x[i];
}

fn silent(x: &[f32], y: &mut f32) {
    *y = x[smelt::index()];
}

#[cfg(wrong)]
fn wrong(x: &[f32], y: &mut f32) {
    let i = smelt::index();
    emit(format_args!("{} {:?}\n", i, Pair(3, x[i])));
    emit(format_args!("{:?}\n", &[Pair(1, x[i])][..i]));
    let (a, b, c) = (i as u128, i as u128 + 1, i as u128 + 2);
    emit(format_args!("{a} {b} {c} {a} {b} {c} {a} {b} {c} {a} {b} {c}\n"));
    log(x.len() as u32, format_args!("{i}"));
    *y = 1.0;
}

pub fn main(data: &[f32], out: &mut f32) {
    launch(prints, data, out);
    launch(silent, data, out);
    #[cfg(wrong)]
    launch(wrong, data, out);
}
