//! Panics tell values of the program's own types as the host does.

use crate::suite::Suite;
use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq)]
struct Mixed {
    x: f32,
    y: f32,
    name: u8,
    big: u64,
    pair: (i8, u32),
    more: Option<u16>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Wrapped(u32);

#[derive(Debug, Clone, Copy, PartialEq)]
struct Unit;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Shape {
    Point,
    Line(u32),
    Box { x: f32, y: Option<i8> },
    Path(Wrapped, [u8; 3]),
    Named(&'static str, u8),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Colour {
    Red,
    Green = 7,
}

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Colour::Red => "red",
            Colour::Green => "green",
        })?;
        f.write_str("!")
    }
}

#[derive(Clone, Copy, PartialEq)]
struct Metres(f32);

impl fmt::Display for Metres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1} m", self.0)
    }
}

impl fmt::Debug for Metres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metres").field("m", &self.0).finish()
    }
}

#[derive(Clone, Copy, PartialEq)]
struct Two(u32);

impl fmt::Debug for Two {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Two ")?;
        if self.0 > 3 { write!(f, "big {}", self.0) } else { f.pad("small") }
    }
}

/// Its text depends on how it is asked for.
#[derive(Clone, Copy)]
struct Moody(u32);

impl fmt::Display for Moody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.alternate() { write!(f, "<{}>", self.0) } else { fmt::Display::fmt(&self.0, f) }
    }
}

#[derive(Clone, Copy, Debug)]
enum Wrong {
    Range { index: usize, len: usize },
    Parse(char),
    Empty,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Wrong::Range { index, len } => write!(f, "index {index} of {len}"),
            Wrong::Parse(c) => write!(f, "bad {c:?}"),
            Wrong::Empty => f.write_str("empty"),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Generic<T, const K: usize> {
    items: [T; K],
    name: &'static str,
}

#[derive(Debug, Clone, Copy)]
struct Refs<'a> {
    all: &'a [u32],
    one: &'a u32,
    some: Option<&'a u32>,
    text: Option<&'a str>,
}

fn shape(v: u32) -> Shape {
    match v % 5 {
        0 => Shape::Point,
        1 => Shape::Line(v),
        2 => Shape::Box { x: v as f32, y: if v > 5 { Some(-3) } else { None } },
        3 => Shape::Path(Wrapped(v), [1, 2, v as u8]),
        _ => Shape::Named(if v > 5 { "long" } else { "" }, v as u8),
    }
}

fn wrong(v: u32) -> Wrong {
    match v % 3 {
        0 => Wrong::Range { index: v as usize, len: 7 },
        1 => Wrong::Parse((b'a' + v as u8) as char),
        _ => Wrong::Empty,
    }
}

fn mixed(v: u32) -> Mixed {
    let more = if v > 3 { Some(3) } else { None };
    Mixed { x: 1.0, y: v as f32, name: 3, big: 4, pair: (-1, v), more }
}

fn compared(way: u32, v: u32) {
    match way {
        0 => assert_eq!([1u32, 2, 3].iter().position(|x| *x == v), Some(9)),
        1 => assert_eq!(Some(if v > 3 { Some(v as i16) } else { None }), None),
        2 => assert_eq!((v, 3u8, -1i64), (7, 3, 4)),
        3 => assert_eq!((v,), (99,)),
        4 => assert_eq!([v, 3], [1, 2]),
        5 => assert_ne!([v as f32 / 3.0; 5], [v as f32 / 3.0; 5]),
        6 => assert_eq!([Some(v), None], [None, Some(v + 1)]),
        7 => assert_eq!([[v as u8, 3], [4, 5]], [[0u8; 2]; 2]),
        8 => assert_eq!(shape(v), Shape::Path(Wrapped(9), [1; 3])),
        9 => assert_eq!(&[v, v + 1, 5][..(v as usize % 4)], &[5, 6]),
        10 => assert_eq!(&[v, v + 1, 5][..0], &[5, 6][..]),
        11 => assert_eq!(0..v, 1..3),
        12 => assert_eq!(&&Some(&v), &&None),
        13 => assert_eq!(u8::try_from(v * 100), Ok(3)),
        14 => assert_eq!(if v > 3 { Ok(v) } else { Err(Wrapped(v)) }, Err(Wrapped(8))),
        15 => assert_eq!(v.checked_sub(3), Some(77)),
        16 => assert_eq!(char::from_u32(v + 60), Some('q'), "at {v}: {:?}", (v, 'é')),
        17 => assert_eq!([v > 3, true], [false, false], "{:?}", Some("text")),
        18 => assert_eq!(v.overflowing_sub(3), (77, true)),
        19 => assert_eq!(v.cmp(&3), 3.cmp(&v).then(std::cmp::Ordering::Less)),
        20 => assert_eq!([v; 5][..v as usize % 6], [99]),
        _ => assert_eq!(Some(shape(v)), Some(Shape::Line(99))),
    }
}
const COMPARED: u32 = 22;

fn unwrapped(way: u32, v: u32) -> u32 {
    match way {
        0 => Err::<u32, Wrong>(wrong(v)).unwrap(),
        1 => Err::<u32, u64>(v as u64).expect("a number"),
        2 => Err::<u32, Mixed>(mixed(v)).expect("mixed"),
        3 => Err::<u32, &str>(if v > 3 { "long" } else { "s\"hort\n" }).unwrap(),
        4 => Ok::<Option<u32>, u32>(Some(v)).unwrap_err(),
        5 => Err::<u32, (u8, Shape)>((3, shape(v))).unwrap(),
        6 => core::str::from_utf8(&[b'0' + v as u8, b'x']).unwrap().parse::<u32>().unwrap(),
        7 => core::str::from_utf8(&[0xff, v as u8]).unwrap().len() as u32,
        8 => Err::<u32, ()>(()).unwrap(),
        _ => <[u32; 2]>::try_from(&[v, 2, 3][..]).unwrap()[0],
    }
}
const UNWRAPPED: u32 = 10;

fn formatted(way: u32, v: u32) {
    let a = [v, 2, 3];
    match way {
        0 => panic!("{:?}", mixed(v)),
        1 => panic!("{:#?}", mixed(v)),
        2 => panic!("{:#?} {:#?}", Some(shape(v)), [shape(v)]),
        3 => panic!("{:x?} {:#X?} {:04x?}", Some(v * 1000), (v * 999, Wrapped(v * 77)), [v, 300]),
        4 => panic!("{:5?}|{:<4?}|{:+?}|{:>8.2?}", Some(v), (v, Wrapped(3)), [v as i32, -3], Metres(v as f32)),
        5 => panic!("{} {:?} {:>9}", Metres(v as f32), Metres(2.5), Metres(3.0)),
        6 => panic!("{:?} {:?} {:>9?}", Two(v), Some(Two(v)), Two(v)),
        7 => panic!("{} {:?}", if v > 3 { Colour::Red } else { Colour::Green }, Some(Colour::Red)),
        8 => panic!("failed: {}", wrong(v)),
        9 => panic!("{:?} {:?} {:?}", Unit, (), Some(())),
        10 => panic!("{:?} {:?} {:?} {:?}", 0..v, 0..=v, ..v, v..),
        11 => panic!("{:?}", Generic { items: [v as f64, 0.1], name: if v > 2 { "yes" } else { "no" } }),
        12 => panic!("{:?}", Generic { items: [(v as u8, true), (3, v > 2)], name: "x" }),
        13 => {
            let some = if v > 3 { Some(&a[1]) } else { None };
            let text = if v > 2 { Some("é") } else { None };
            panic!("{:?}", Refs { all: &a[..v as usize % 4], one: &a[0], some, text })
        }
        14 => panic!("{:?} {:?}", std::num::Wrapping(v), Some(std::num::Wrapping(v))),
        15 => panic!("{:?} {:?}", [v as u128 + u64::MAX as u128, 3], Some(-(v as i128))),
        16 => panic!("{:?}", [v as u8; 40]),
        17 => panic!("{:?} {:?}", [v as f32 * 0.1, f32::NAN, -0.0], Some(v as f64 * 0.1)),
        18 => panic!("{:?}", [[v as f32, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 8.0]]),
        19 => panic!("{:?} {:?}", ("a", if v > 3 { "bb" } else { "" }), Some(&"x")),
        20 => panic!("{:?}", Some((v, [Some(if v > 3 { Ok(v) } else { Err(Colour::Red) }), None]))),
        21 => panic!("{:?} {:?}", std::cell::Cell::new(v), std::sync::atomic::AtomicU32::new(v)),
        22 => panic!("{:?} {:?}", std::cmp::Reverse(v), std::ops::Bound::Included(v)),
        23 => panic!("{:?} {:?}", std::num::NonZeroU32::new(v), std::num::NonZeroU8::new(3)),
        24 => panic!("{:?} {v}", std::marker::PhantomData::<u32>),
        25 => panic!("{} {:#} {:4} {:#4}", Moody(v), Moody(v), Moody(v), Moody(v)),
        26 => panic!("{:#?} {:#?} {:#x?}", [v, 3], &a[..v as usize % 4], (Unit, [Some([v])])),
        27 => panic!("{:?} {:?}", a.first(), a.iter().max_by_key(|x| **x)),
        28 => {
            #[derive(Debug)]
            enum Same { A }
            { #[derive(Debug)] enum Same { B(u32) } if v > 3 { panic!("{:?}", Same::B(v)) } }
            panic!("{:?}", Same::A)
        }
        _ => panic!("{:?}", if v > 3 { Err(wrong(v)) } else { Ok::<[u16; 2], Wrong>([v as u16; 2]) }),
    }
}
const FORMATTED: u32 = 30;

pub fn run(s: &mut Suite) {
    let ways = |count| -> Vec<(u32, u32)> { (0..count).flat_map(|way| (0..8).map(move |v| (way, v))).collect() };
    s.panics("compared", &ways(COMPARED), |(way, v): (u32, u32)| { compared(way, v); 0u32 });
    s.panics("unwrapped", &ways(UNWRAPPED), |(way, v): (u32, u32)| unwrapped(way, v));
    s.panics("formatted", &ways(FORMATTED), |(way, v): (u32, u32)| { formatted(way, v); 0u32 });
}
