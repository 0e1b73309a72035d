use smelt::launch;
use std::num::Wrapping;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Colour {
    Red,
    Green,
    Blue,
}

#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(i32)]
pub enum Code {
    Low = -5,
    High = 70000,
}

#[derive(Debug)]
pub struct Only;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair(u32, u32);

pub struct Many(u32);

impl std::fmt::Debug for Many {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (0..self.0).try_for_each(|i| write!(f, "{i} "))
    }
}

#[track_caller]
fn tracked(x: Result<f32, Colour>) -> f32 {
    x.expect("a colour")
}

fn chosen(n: u32) -> &'static str {
    if n > 3 { "many" } else { "few" }
}

fn kernel(x: &[f32], y: &mut f32) {
    let i = smelt::index();
    let n = x.len() as u32;
    let v = *y;
    let colour = if n > 2 { Colour::Red } else { Colour::Blue };
    let code = if n > 2 { Code::Low } else { Code::High };
    match i {
        0 => panic!("n {n} of {:>8} {:<+5.2}!", i, v),
        1 => panic!("{n:#x} {n:#010b} {{}} {:?} {:e} {:E}", v, v, n),
        2 => panic!("{:w$.p$} {n:0w$}", v, w = i + 4, p = i),
        3 => panic!("{} {} {}", n as u128 * 3, n as i8, n as u16),
        4 => panic!("{} {:?} {}", n > 4, n > 5, char::from_u32(n).unwrap_or('x')),
        5 => panic!("{:?} {:?} {:?} {:?}", colour, code, Only, &&colour),
        6 => panic!("pair {:?} of {}", Pair(n, n), n),
        7 => panic!("{} and {:?}", chosen(n), "fixed {}"),
        8 => panic!("{} {:?} {:x}", &&n, &v, Wrapping(n)),
        9 => assert_eq!(n, 8),
        10 => assert_ne!(v, 8.5, "v is {} at {i}", v),
        11 => assert_eq!(colour, Colour::Green, "no {}", "way"),
        12 => assert_eq!(Pair(n, n), Pair(n, 4)),
        13 => *y = tracked(Err(colour)),
        14 => *y = u8::try_from(n).unwrap() as f32,
        15 => *y = Err::<f32, u32>(n).unwrap(),
        16 => unreachable!("with {n}"),
        17 => todo!("{}", v as f64),
        18 => unimplemented!("{:p}", x.as_ptr()),
        19 => assert!(n == 4, "{i} {} {n}", chosen(n)),
        20 => panic!("{}", n),
        21 => assert_eq!(chosen(n), "more"),
        22 => assert_eq!(&x[..2], &[1.0, 2.0]),
        23 => panic!("{n} {n} {n} {n} {n} {n} {n} {n} {n} {n} {0} {0} {0} {0} {0} {0} {0} {0} {0} {0} {0} {0} {0}", n as u128),
        24 => panic!("{:?}", Some(n)),
        25 => panic!("{:?}", Many(n)),
        _ => *y = 1.0,
    }
}

pub fn main(data: &[f32], out: &mut f32) {
    launch(kernel, data, out);
}
