//! Rust's own formatting against that of src/base/text.c, over random values and
//! all kinds of options: `text [SECONDS]`, a line for each group.

use std::fmt::{Binary, Debug, Display, LowerExp, LowerHex, Octal, UpperExp, UpperHex};
use std::time::{Duration, Instant};

#[repr(C)]
struct Sink {
    put: extern "C" fn(*mut String, *const u8, usize),
    data: *mut String,
}

unsafe extern "C" {
    fn text_format(sink: *const Sink, template: *const u8, words: *const u64, count: usize)
    -> bool;
}

extern "C" fn put(out: *mut String, text: *const u8, len: usize) {
    // SAFETY: `ours` passes its String; C passes a piece of text.
    let (out, text) = unsafe { (&mut *out, std::slice::from_raw_parts(text, len)) };
    out.push_str(&String::from_utf8_lossy(text));
}

/// What text.c makes of a template; None if it says that something is missing.
fn ours(template: &str, words: &[u64]) -> Option<String> {
    let mut out = String::new();
    let sink = Sink {
        put,
        data: &mut out,
    };
    let template = format!("{template}\0");
    // SAFETY: all of them live through the call.
    let whole = unsafe { text_format(&sink, template.as_ptr(), words.as_ptr(), words.len()) };
    whole.then_some(out)
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, n: u64) -> u64 {
        (self.next() >> 11) % n
    }

    /// Few bits, many bits, runs of ones: what integers are in practice.
    fn bits(&mut self) -> u128 {
        let all = (self.next() as u128) << 64 | self.next() as u128;
        match self.below(4) {
            0 => all >> self.below(128),
            1 => all & (all >> 1) & (all >> 2) & 0xff,
            2 => !0 << self.below(128),
            _ => all,
        }
    }
}

/// A type that a hole can have.
trait Value: Copy + Display + Debug {
    const NAME: &'static str;
    fn words(self) -> Vec<u64>;
}

macro_rules! integers {
    ($($t:ident)*) => {$(
        impl Value for $t {
            const NAME: &'static str = stringify!($t);
            fn words(self) -> Vec<u64> {
                let all = self as u128;
                if size_of::<$t>() > 8 {
                    vec![all as u64, (all >> 64) as u64]
                } else {
                    vec![all as u64]
                }
            }
        }
    )*};
}
integers!(u8 u16 u32 u64 u128 i8 i16 i32 i64 i128);

macro_rules! others {
    ($($t:ident $v:ident $word:expr;)*) => {$(
        impl Value for $t {
            const NAME: &'static str = stringify!($t);
            fn words(self) -> Vec<u64> {
                let $v = self;
                vec![$word]
            }
        }
    )*};
}
others! {
    f32 v v.to_bits() as u64;
    f64 v v.to_bits();
    bool v v as u64;
    char v v as u64;
}

struct Check {
    random: Random,
    done: u64,
    failed: u64,
}

impl Check {
    fn compare(&mut self, rust: String, template: &str, words: &[u64]) {
        self.done += 1;
        let ours = ours(template, words);
        if ours.as_deref() != Some(&rust) {
            self.failed += 1;
            if self.failed < 20 {
                eprintln!("{template} {words:x?}: {rust:?} by Rust, {ours:?} by text.c");
            }
        }
    }

    /// The same options for text.c: the width and precision as numbers, or as words.
    fn one<T: Value>(&mut self, value: T, spec: &str, w: usize, p: usize, rust: String) {
        let indirect = self.random.below(2) == 0;
        let mut words = Vec::new();
        let mut put = |name: &str, n: usize, spec: String| {
            if indirect && spec.contains(name) {
                words.push(n as u64);
                spec.replace(name, "$")
            } else {
                spec.replace(name, &n.to_string())
            }
        };
        let spec = put("w$", w, spec.to_owned());
        let spec = put("p$", p, spec);
        words.extend(value.words());
        self.compare(rust, &format!("{{{{{{{}:{spec}}}}}}}", T::NAME), &words);
    }
}

/// `format!` wants every named argument to be used, so four groups.
macro_rules! options {
    ($check:expr, $v:expr, $kind:literal) => {
        let check: &mut Check = $check;
        let w = [0, 1, 5, 9, 17, 40, 300][check.random.below(7) as usize];
        let p = [0, 1, 2, 3, 7, 16, 17, 30, 500, 1200][check.random.below(10) as usize];
        group!(check, $v, $kind, (w, p), (): "" "+" "#" "+#" "0" "*<" "#0");
        group!(check, $v, $kind, (w, p), (w = w): "w$" "<w$" "^w$" ">w$" "é^+#w$" "0w$" "+0w$" "#0w$"
            "*^0w$" "{<w$" "}>w$" "0<#w$");
        group!(check, $v, $kind, (w, p), (p = p): ".p$" "+.p$" "#0.p$");
        group!(check, $v, $kind, (w, p), (w = w, p = p): "w$.p$" "+0w$.p$" "-^w$.p$" "字>#w$.p$");
    };
}

macro_rules! group {
    ($check:expr, $v:expr, $kind:literal, $counts:tt, $args:tt: $($spec:literal)*) => {$(
        group!(@ $check, $v, concat!($spec, $kind), $counts, $args);
    )*};
    (@ $check:expr, $v:expr, $spec:expr, ($w:expr, $p:expr), ($($n:ident = $x:expr),*)) => {{
        let rust = format!(concat!("{{{:", $spec, "}}}"), $v $(, $n = $x)*);
        $check.one($v, $spec, $w, $p, rust);
    }};
}

fn text<T: Value>(check: &mut Check, v: T) {
    options!(check, v, "");
    options!(check, v, "?");
}

fn exponents<T: Value + LowerExp + UpperExp>(check: &mut Check, v: T) {
    text(check, v);
    options!(check, v, "e");
    options!(check, v, "E");
}

fn integer<T: Value + LowerExp + UpperExp + LowerHex + UpperHex + Octal + Binary>(
    check: &mut Check,
    v: T,
) {
    exponents(check, v);
    options!(check, v, "x");
    options!(check, v, "X");
    options!(check, v, "o");
    options!(check, v, "b");
    options!(check, v, "x?");
    options!(check, v, "X?");
}

fn integers(check: &mut Check) {
    let bits = check.random.bits();
    integer(check, bits as u8);
    integer(check, bits as i8);
    integer(check, bits as u16);
    integer(check, bits as i32);
    integer(check, bits as u32);
    integer(check, bits as i64);
    integer(check, bits as u64);
    integer(check, bits as i128);
    integer(check, bits);
}

/// Any bits, short decimals, powers of two and their neighbours, whole numbers.
fn float(random: &mut Random) -> f64 {
    let bits = random.next();
    match random.below(6) {
        0 => f64::from_bits(bits),
        1 => (bits % 100_000) as f64 / 10f64.powi(random.below(9) as i32),
        2 => f64::from_bits(
            (bits & !0 << 52)
                .wrapping_add(random.below(5))
                .wrapping_sub(2),
        ),
        3 => (bits >> random.below(64)) as f64,
        4 => f32::from_bits(bits as u32) as f64,
        _ => [
            0.0,
            -0.0,
            f64::NAN,
            -f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            5e-324,
            f64::MIN_POSITIVE,
            f64::MAX,
            1e16,
            1e-4,
            9.999e-5,
            0.5,
            1.5,
            2.5,
            0.125,
            9.5,
            1e21,
        ][random.below(18) as usize],
    }
}

fn floats(check: &mut Check) {
    let v = float(&mut check.random);
    exponents(check, v);
    let bits = check.random.next() as u32;
    exponents(check, v as f32);
    exponents(check, f32::from_bits(bits));
    // The same kinds in the type's own bits.
    let low = check.random.below(5) as u32;
    let power = (bits & !0 << 23).wrapping_add(low).wrapping_sub(2);
    exponents(check, f32::from_bits(power));
}

fn shortest(check: &mut Check) {
    for _ in 0..50 {
        let v = float(&mut check.random);
        let bits = check.random.next() as u32;
        for v in [v, f64::from_bits(v.to_bits() ^ 1)] {
            check.compare(
                format!("{v} {v:?} {v:e}"),
                "{f64} {f64:?} {f64:e}",
                &[v.to_bits(); 3],
            );
        }
        let (v, word) = (f32::from_bits(bits), bits as u64);
        check.compare(
            format!("{v} {v:?} {v:e}"),
            "{f32} {f32:?} {f32:e}",
            &[word; 3],
        );
    }
}

fn others(check: &mut Check) {
    let n = check.random.next();
    text(check, n & 1 != 0);
    for c in [n as u32 % 0x110000, n as u32 % 0x300, n as u32 % 128] {
        if let Some(c) = char::from_u32(c) {
            text(check, c);
        }
    }
}

fn strings(check: &mut Check) {
    let pieces = [
        "", "a", "é", "字", "\"", "'", "\n", "\u{301}", "\u{200b}", "text ", "\\", "{}",
    ];
    let mut v = String::new();
    for _ in 0..check.random.below(9) {
        v.push_str(pieces[check.random.below(12) as usize]);
    }
    let mut words = vec![v.len() as u64];
    for chunk in v.as_bytes().chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        words.push(u64::from_le_bytes(word));
    }
    words.push(7);
    check.compare(format!("[{v}] 7"), "[{str}] {u8}", &words);
    check.compare(format!("[{v:?}] 7"), "[{str:?}] {u8}", &words);
    check.compare(format!("[{v:5}] 7"), "[{str:5}] {u8}", &words);
    check.compare(format!("[{v:*>9.4}] 7"), "[{str:*>9.4}] {u8}", &words);
}

/// Items one after the other, as a kernel leaves them.
fn lists(check: &mut Check) {
    let n = check.random.below(6) as usize;
    let v: Vec<u32> = (0..n).map(|_| check.random.bits() as u32).collect();
    let bytes: Vec<u8> = v.iter().flat_map(|x| x.to_le_bytes()).collect();
    let mut words = vec![bytes.len() as u64];
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        words.push(u64::from_le_bytes(word));
    }
    words.push(7);
    check.compare(format!("{v:?} 7"), "{[u32]:?} {u8}", &words);
    check.compare(format!("{v:#?} 7"), "{[u32]:#?} {u8}", &words);
    check.compare(format!("{v:#x?} 7"), "{[u32]:#x?} {u8}", &words);
    check.compare(format!("{v:04x?} 7"), "{[u32]:04x?} {u8}", &words);
    check.compare(
        format!("{:#?} 7", (&v,)),
        "(\n    {[u32@1]:#?},\n) {u8}",
        &words,
    );
    let bytes: Vec<i8> = bytes.iter().map(|&b| b as i8).collect();
    check.compare(format!("{bytes:+?} 7"), "{[i8]:+?} {u8}", &words);
    let floats: Vec<f32> = v.iter().map(|&x| f32::from_bits(x)).collect();
    check.compare(format!("{floats:.2?} 7"), "{[f32]:.2?} {u8}", &words);
}

/// One of several texts, in one another, with what each of them does not use.
fn alternatives(check: &mut Check) {
    let (n, k) = (check.random.next(), check.random.next());
    let v = [None, Some(None), Some(Some(n as u16))][check.random.below(3) as usize];
    let words = match v {
        None => [0, k, k, 0, 9],
        Some(None) => [1, 0, k, 0, 9],
        Some(Some(x)) => [1, 1, x as u64, 0, 9],
    };
    let template = "{?}None{-}{-}{|}Some({?}None{-}{|}Some({u16:}<7?}){;}){;}{-str} {u8} {{?}}";
    check.compare(format!("{v:}<7?} 9 {{?}}"), template, &words);
}

fn pointers(check: &mut Check) {
    let word = check.random.bits() as u64;
    let v = word as *const u8;
    check.compare(format!("{v:p}"), "{ptr:p}", &[word]);
    check.compare(format!("{v:#p}"), "{ptr:#p}", &[word]);
    check.compare(format!("{v:*^30p}"), "{ptr:*^30p}", &[word]);
}

/// Every character, where Rust knows the same Unicode as the table.
fn characters(check: &mut Check) {
    if char::UNICODE_VERSION != (17, 0, 0) {
        return;
    }
    for c in '\0'..=char::MAX {
        check.compare(format!("{c:?}"), "{char:?}", &[c as u64]);
    }
}

/// Damage is told, and nothing beyond the words is read.
fn damaged() -> bool {
    let wrong = [
        "{",
        "{u8",
        "{u9}",
        "{u8:",
        "{u8:q",
        "{u8:?",
        "}",
        "{:x}",
        "{foo}",
        "{str:5",
        "{[u8",
        "{[]}",
        "{[str]}",
        "{[u8@]",
        "{[u8@99]}",
        "{[u9]:?}",
        "{[",
        "{?}a{|",
        "{?}a{u8",
        "{?}a{|}{u8",
    ];
    let short: [(&str, &[u64], &str); 7] = [
        ("{[u64]:?}", &[24, 5], "[5, ...]"),
        ("{?}a{|}b{;}", &[], "a"),
        ("{u128}", &[5], "5"),
        ("{u8} {u8}", &[1], "1 0"),
        (
            "{str}",
            &[9, u64::from_le_bytes(*b"abcdef\xc3\xa9")],
            "abcdefé...",
        ),
        ("{str}", &[9], "..."),
        (
            "{str}{u8}",
            &[9, u64::from_le_bytes(*b"abcdef\xe5\xad")],
            "abcdef...0",
        ),
    ];
    let names = [
        ("{0=A|3=Bc:?}", 3, "Bc"),
        ("{0=A|3=Bc}", 0, "A"),
        ("{0=A|3=Bc}", 1, "{..}"),
    ];
    let mut good = wrong.iter().all(|t| ours(t, &[1, 2]).is_none());
    for (template, words, text) in short {
        let mut out = String::new();
        let sink = Sink {
            put,
            data: &mut out,
        };
        let template = format!("{template}\0");
        // SAFETY: all of them live through the call.
        let whole = unsafe { text_format(&sink, template.as_ptr(), words.as_ptr(), words.len()) };
        good &= !whole && out == text;
    }
    let cut = [1 << 63 | 8, u64::from_le_bytes(*b"abcdef\xe5\xad"), 7];
    good &= ours("{[u32]:?} {u8}", &[1 << 63 | 8, 1, 7]).as_deref() == Some("[1, 0, ...] 7");
    good &= ours("{?}a{|}b{;}c", &[2]).as_deref() == Some("c");
    good &= ours("{str} {u8}", &cut).as_deref() == Some("abcdef... 7");
    good && names
        .iter()
        .all(|&(t, word, text)| ours(t, &[word]).as_deref() == Some(text))
}

fn main() {
    let seconds = std::env::args()
        .nth(1)
        .and_then(|s| s.parse().ok())
        .unwrap_or(1.0);
    let groups: [(&str, fn(&mut Check), bool); 9] = [
        ("integers", integers, true),
        ("floats", floats, true),
        ("shortest floats", shortest, true),
        ("bool and char", others, true),
        ("strings", strings, true),
        ("lists", lists, true),
        ("alternatives", alternatives, true),
        ("pointers", pointers, true),
        ("characters", characters, false),
    ];
    for (name, run, again) in groups {
        let mut check = Check {
            random: Random(0x9e37_79b9_7f4a_7c15),
            done: 0,
            failed: 0,
        };
        let end = Instant::now() + Duration::from_secs_f64(seconds);
        loop {
            run(&mut check);
            if !again || Instant::now() >= end {
                break;
            }
        }
        let Check { done, failed, .. } = check;
        if failed == 0 {
            println!("PASS text/{name}");
            eprintln!("{name}: {done} texts");
        } else {
            println!("FAIL text/{name}: {failed} of {done} texts differ");
        }
    }
    if damaged() {
        println!("PASS text/damaged templates");
    } else {
        println!("FAIL text/damaged templates: a text that is not what is there");
    }
}
