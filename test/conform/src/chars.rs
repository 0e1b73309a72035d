//! `char`, ASCII, and the tables of Unicode that core carries.

use crate::suite::Suite;

pub fn run(s: &mut Suite) {
    s.case("ascii-class", |c: char| (c.is_ascii_alphabetic(), c.is_ascii_digit(), c.is_ascii_punctuation(), c.is_ascii_hexdigit(), c.is_ascii_control(), c.is_ascii_whitespace()));
    s.case("ascii-case", |c: char| (c.to_ascii_uppercase(), c.to_ascii_lowercase(), c.eq_ignore_ascii_case(&'K'), (c as u32 as u8).to_ascii_uppercase()));
    s.case("byte-class", |b: u8| (b.is_ascii_alphanumeric(), b.is_ascii_graphic(), b.is_ascii_uppercase(), b.is_ascii_lowercase(), b.is_ascii(), b.escape_ascii().len()));
    s.case("unicode-class", |c: char| (c.is_alphabetic(), c.is_numeric(), c.is_alphanumeric(), c.is_whitespace(), c.is_control()));
    s.case("unicode-case", |c: char| (c.is_lowercase(), c.is_uppercase(), c.to_lowercase().next(), c.to_uppercase().last(), c.to_uppercase().len(), c.to_lowercase().map(|d| d as u32).sum::<u32>()));
    s.case("digits", |(c, r): (char, u8)| { let r = r as u32 % 35 + 2; (c.to_digit(r), c.is_digit(r), char::from_digit(c as u32 % 40, r)) });
    s.case("encode-utf8", |c: char| { let mut b = [0; 4]; let n = c.encode_utf8(&mut b).len(); (b, n, c.len_utf8()) });
    s.case("encode-utf16", |c: char| { let mut b = [0u16; 2]; let n = c.encode_utf16(&mut b).len(); (b, n, c.len_utf16()) });
    s.case("from-u32", |x: u32| (char::from_u32(x), char::try_from(x & 0x1fffff).ok(), char::from(x as u8), u8::try_from(char::from(x as u8)).ok()));
    s.case("decode-utf16", |x: [u16; 4]| char::decode_utf16(x).map(|r| r.unwrap_or(char::REPLACEMENT_CHARACTER) as u32).fold(0u32, |s, c| s.wrapping_mul(31) ^ c));
    s.case("escapes", |c: char| (c.escape_default().count(), c.escape_unicode().last(), c.escape_debug().count(), c.escape_unicode().map(|d| d as u32).sum::<u32>()));
    s.case("compare", |(a, b): (char, char)| (a.cmp(&b), a < b, a.max(b), a as u32 ^ b as u32));
    s.case("constant-text", |n: u32| { let mut n = n; for (k, c) in "aé字\u{1f600}z".char_indices() { n = n.wrapping_mul(31).wrapping_add(c as u32 + k as u32 + c.len_utf8() as u32); } n });
    s.case("constant-text-parts", |n: u8| { let s = "aé字\u{1f600}z"; match n % 4 { 0 => s.char_indices().map(|(k, c)| c as u32 ^ k as u32).fold(1u32, |a, b| a.wrapping_mul(31).wrapping_add(b)), 1 => s.splitn(2, '字').map(|p| p.len() as u32).sum::<u32>(), 2 => s.trim_end_matches('z').len() as u32, _ => s.chars().nth(n as usize / 64).map_or(0, |c| c as u32) } });
    s.case("caesar", |(c, k): (char, u8)| match c { 'a'..='z' => ((c as u8 - b'a' + k % 26) % 26 + b'a') as char, 'A'..='Z' => ((c as u8 - b'A' + k % 26) % 26 + b'A') as char, _ => c });
}
