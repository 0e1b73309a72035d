"""Random kernels: typed expressions and statements of ordinary Rust.

Every kernel compiles and ends: loops are bounded, indices are reduced, and what may
panic (division, overflow in the dev profile) does so on the host as well. Statements keep
their parts apart, so that a kernel can be made smaller and still compile: each can go
away, be a declaration with a default, or lose an expression to a default.
"""

INTS = ["u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "usize"]
WIDE = ["u128", "i128"]
FLOATS = ["f32", "f64"]
BITS = {"u8": 8, "i8": 8, "u16": 16, "i16": 16, "u32": 32, "i32": 32, "u64": 64, "i64": 64,
        "usize": 64, "u128": 128, "i128": 128}


class Array:
    def __init__(self, item, length):
        self.item, self.length = item, length

    def __str__(self):
        return f"[{self.item}; {self.length}]"


class Tuple:
    def __init__(self, items):
        self.items = items

    def __str__(self):
        return "(" + "".join(f"{t}, " for t in self.items) + ")"


class Option:
    def __init__(self, item):
        self.item = item

    def __str__(self):
        return f"Option<{self.item}>"


class Struct:
    def __init__(self, name, fields, repr_):
        self.name, self.fields, self.repr = name, fields, repr_

    def __str__(self):
        return self.name

    def declare(self):
        fields = ", ".join(f"f{i}: {t}" for i, t in enumerate(self.fields))
        hashed = "".join(f" s = self.f{i}.h(s);" for i in range(len(self.fields)))
        return (f"{self.repr}#[derive(Clone, Copy, PartialEq)]\nstruct {self.name} {{ {fields} }}\n"
                f"impl H for {self.name} {{ fn h(&self, mut s: u64) -> u64 {{{hashed} s }} }}\n")


class Enum:
    def __init__(self, name, variants, repr_):
        self.name, self.variants, self.repr = name, variants, repr_

    def __str__(self):
        return self.name

    def declare(self):
        body = ", ".join(f"V{i}" + (f"({', '.join(map(str, v))})" if v else "")
                         for i, v in enumerate(self.variants))
        arms = ""
        for i, v in enumerate(self.variants):
            names = [f"a{k}" for k in range(len(v))]
            bound = f"({', '.join(names)})" if v else ""
            calls = "".join(f" s = {n}.h(s);" for n in names)
            arms += f" Self::V{i}{bound} => {{ s ^= {i + 1};{calls} }}"
        return (f"{self.repr}#[derive(Clone, Copy, PartialEq)]\nenum {self.name} {{ {body} }}\n"
                f"impl H for {self.name} {{ fn h(&self, mut s: u64) -> u64 "
                f"{{ match self {{{arms} }} s.wrapping_mul(5) }} }}\n")


def default(t):
    if isinstance(t, Array):
        return f"[{default(t.item)}; {t.length}]"
    if isinstance(t, Tuple):
        return "(" + "".join(default(i) + ", " for i in t.items) + ")"
    if isinstance(t, Option):
        return f"None::<{t.item}>"
    if isinstance(t, Struct):
        fields = ", ".join(f"f{i}: {default(f)}" for i, f in enumerate(t.fields))
        return f"{t.name} {{ {fields} }}"
    if isinstance(t, Enum):
        v = t.variants[0]
        return f"{t.name}::V0" + (f"({', '.join(map(default, v))})" if v else "")
    return {"bool": "false", "f32": "0f32", "f64": "0f64", "char": "'a'"}.get(t, f"0{t}")


class Stmt:
    """Text with {0}, {1}, ... for expressions, then for blocks."""

    def __init__(self, form, exprs=(), blocks=(), keep=False):
        self.form, self.exprs, self.blocks, self.keep = form, list(exprs), list(blocks), keep

    def render(self):
        parts = [text for text, _ in self.exprs]
        parts += ["\n".join(s.render() for s in block) for block in self.blocks]
        text = self.form
        for i, part in enumerate(parts):
            text = text.replace("{%d}" % i, part)
        return text

    def smaller(self):
        """Copies of this statement with one thing less; None stands for its deletion."""
        if not self.keep:
            yield None
        for i, (text, plain) in enumerate(self.exprs):
            if text != plain:
                exprs = list(self.exprs)
                exprs[i] = (plain, plain)
                yield Stmt(self.form, exprs, self.blocks, self.keep)
        for i, block in enumerate(self.blocks):
            for less in smaller_block(block):
                blocks = list(self.blocks)
                blocks[i] = less
                yield Stmt(self.form, self.exprs, blocks, self.keep)


def smaller_block(block):
    half = len(block) // 2
    if half > 1:
        for part in (block[:half], block[half:]):
            less = [s for s in block if s.keep or s in part]
            if len(less) < len(block):
                yield less
    for i, stmt in enumerate(block):
        for less in stmt.smaller():
            yield block[:i] + ([] if less is None else [less]) + block[i + 1:]


class Kernel:
    def __init__(self, helpers, body, ending):
        self.helpers, self.body, self.ending = helpers, body, ending

    def render(self, name):
        helpers = "".join(h.replace("@", name) for h in self.helpers)
        body = "\n".join(s.render() for s in self.body).replace("@", name)
        return (f"{helpers}fn {name}(x: [u64; 4]) -> u64 {{\nlet mut s = 0u64;\n{body}\n"
                f"{self.ending}\ns\n}}\n")

    def smaller(self):
        for body in smaller_block(self.body):
            yield Kernel(self.helpers, body, self.ending)


class Generator:
    def __init__(self, random):
        self.random = random
        self.types = []
        self.count = 0
        self.scope = []     # (name, type, mutable)
        self.functions = []  # (name, parameter types, result)
        self.loops = 0
        self.depth = 0

    # ---- choices ----

    def chance(self, percent):
        return self.random.randrange(100) < percent

    def pick(self, items):
        return self.random.choice(items)

    def name(self, prefix):
        self.count += 1
        return f"{prefix}{self.count}"

    def scalar(self):
        return self.pick(INTS * 3 + WIDE + FLOATS * 3 + ["bool", "bool", "char"])

    def type(self, depth=2):
        if depth == 0 or self.chance(60):
            return self.scalar()
        kind = self.random.randrange(6)
        if kind == 0:
            return Array(self.type(depth - 1), self.random.randrange(1, 8))
        if kind == 1:
            return Tuple([self.type(depth - 1) for _ in range(self.random.randrange(1, 4))])
        if kind == 2:
            return Option(self.type(depth - 1))
        return self.pick(self.types) if self.types else self.scalar()

    def declare_types(self):
        for _ in range(3):
            fields = [self.type(1) for _ in range(self.random.randrange(1, 6))]
            repr_ = self.pick(["", "", "#[repr(C)]\n", "#[repr(align(32))]\n"])
            self.types.append(Struct(self.name("S"), fields, repr_))
        for _ in range(3):
            variants = [[self.type(1) for _ in range(self.pick([0, 0, 1, 1, 2]))]
                        for _ in range(self.random.randrange(1, 6))]
            self.types.append(Enum(self.name("E"), variants, self.pick(["", "", "#[repr(u8)]\n"])))
        return "".join(t.declare() for t in self.types)

    # ---- expressions ----

    def literal(self, t):
        if t in BITS:
            bits = BITS[t]
            value = self.pick([0, 1, 2, 3, 7, 100, (1 << bits - 1) - 1, self.random.getrandbits(bits - 1)])
            if t[0] == "i" and self.chance(40):
                return f"(-{value}{t})"
            return f"{value}{t}"
        if t in FLOATS:
            value = self.pick(["0.0", "1.0", "0.5", "-2.5", "1e10", "3.25e-5", "-0.0", "7.0", "1e-40", "123456.789"])
            return f"({value}{t})"
        if t == "bool":
            return self.pick(["true", "false"])
        if t == "char":
            return self.pick(["'a'", "'Z'", "'\\u{e9}'", "'0'", "'\\u{1f600}'"])
        return default(t)

    def readable(self, t):
        """Places of this type that are in scope."""
        found = []
        for name, u, _ in self.scope:
            self.places(name, u, str(t), found, 2)
        return found

    def converted(self, t):
        """A number in scope as this type, so that little is constant."""
        numbers = [n for n, u, _ in self.scope if u in BITS]
        if not numbers or not isinstance(t, str):
            return self.literal(t)
        n = self.pick(numbers)
        if t == "bool":
            return f"({n} % {self.pick([2, 3, 5])} == 1)"
        return f"({n} as u8 as char)" if t == "char" else f"({n} as {t})"

    def places(self, text, u, want, found, depth):
        if str(u) == want:
            found.append(text)
        if depth == 0:
            return
        if isinstance(u, Tuple):
            for i, item in enumerate(u.items):
                self.places(f"{text}.{i}", item, want, found, depth - 1)
        elif isinstance(u, Struct):
            for i, item in enumerate(u.fields):
                self.places(f"{text}.f{i}", item, want, found, depth - 1)
        elif isinstance(u, Array):
            self.places(f"{text}[{self.index(u.length)}]", u.item, want, found, depth - 1)

    def index(self, length):
        """Of plain numbers only: with whole expressions there would be no end."""
        numbers = [n for n, t, _ in self.scope if t in BITS]
        if numbers and self.chance(60):
            return f"({self.pick(numbers)} as usize ^ {self.random.randrange(9)}) % {length}"
        return str(self.random.randrange(length))

    def expr(self, t, depth=3):
        if depth <= 0 or self.chance(15):
            places = self.readable(t)
            if places and self.chance(85):
                return self.pick(places)
            return self.converted(t) if self.chance(85) else self.literal(t)
        if self.chance(8):
            return f"(if {self.expr('bool', depth - 1)} {{ {self.expr(t, depth - 1)} }} else {{ {self.expr(t, depth - 1)} }})"
        fitting = [f for f in self.functions if str(f[2]) == str(t)]
        if fitting and self.chance(20):
            name, params, _ = self.pick(fitting)
            return f"{name}({', '.join(self.expr(p, depth - 2) for p in params)})"
        if t in BITS:
            return self.integer(t, depth - 1)
        if t in FLOATS:
            return self.floating(t, depth - 1)
        if t == "bool":
            return self.boolean(depth - 1)
        if t == "char":
            return self.pick([
                f"char::from_u32({self.expr('u32', depth - 1)} % 0x3000).unwrap_or('q')",
                f"({self.expr('u8', depth - 1)} as char)",
                f"({self.expr('char', depth - 1)}).to_ascii_uppercase()"])
        return self.compound(t, depth - 1)

    def integer(self, t, d):
        a, b = f"({self.expr(t, d)})", f"({self.expr(t, d)})"
        n = f"({self.expr('u32', 1)})"
        other = self.pick(INTS + WIDE + FLOATS + ["bool", "char"])
        cast = f"({self.expr(other, d)})"
        if other == "char" and t != "u32":
            cast = f"{cast} as u32"
        forms = [
            f"{a}.wrapping_add({b})", f"{a}.wrapping_sub({b})", f"{a}.wrapping_mul({b})",
            f"{a} ^ {b}", f"{a} & {b}", f"{a} | {b}", f"!{a}",
            f"{a}.wrapping_shl({n})", f"{a}.wrapping_shr({n})", f"{a}.rotate_left({n})",
            f"{a}.saturating_add({b})", f"{a}.saturating_sub({b})", f"{a}.saturating_mul({b})",
            f"{a}.checked_div({b}).unwrap_or(3)", f"{a}.checked_rem({b}).unwrap_or(5)",
            f"{a}.checked_add({b}).unwrap_or({b})", f"{a}.overflowing_mul({b}).0",
            f"{a}.min({b})", f"{a}.max({b})", f"{a}.swap_bytes()", f"{a}.reverse_bits()",
            f"{a}.count_ones() as {t}", f"{a}.leading_zeros() as {t}", f"{a}.trailing_zeros() as {t}",
            f"{a}.abs_diff({b}) as {t}", f"{a}.wrapping_pow({n} % 9)", f"{a}.checked_rem_euclid({b}).unwrap_or(1)",
            f"{cast} as {t}", f"{cast} as {t}", f"{cast} as {t}",
        ]
        if self.chance(6):  # may panic, on both sides
            forms = [f"{a} / {b}", f"{a} % {b}", f"{a} + {b}", f"{a} - {b}", f"{a} * {b}"]
        roll = self.random.randrange(100)
        if roll < 12:
            return self.over_array(t, d)
        if roll < 20:
            return self.by_control(t, a, b, d)
        if roll < 28:
            return self.from_constants(t)
        if roll < 40:
            forms = self.methods(t, a, b, n)
        return f"({self.pick(forms)})"

    def methods(self, t, a, b, n):
        """What is asked for less often."""
        forms = [
            f"{a}.checked_shl({n}).unwrap_or(1)", f"{a}.overflowing_add({b}).1 as {t}", f"{a}.overflowing_neg().0",
            f"{a}.checked_pow({n} % 7).unwrap_or(2)", f"{a}.saturating_pow({n} % 5)", f"{a}.cmp(&{b}) as i8 as {t}",
            f"{t}::from_le_bytes({a}.to_be_bytes())", f"{a}.checked_ilog2().unwrap_or(40) as {t}",
            f"{a}.clamp({b}.min(9), 100)", f"{a}.wrapping_rem({b} | 1)", f"{a}.checked_neg().unwrap_or({b})",
        ]
        if t[0] == "u":
            return forms + [
                f"{a}.isqrt()", f"{a}.div_ceil({b} | 1)", f"{a}.checked_next_multiple_of({b}).unwrap_or(4)",
                f"{a}.is_power_of_two() as {t}", f"{a}.checked_next_power_of_two().unwrap_or(9)", f"{a}.midpoint({b})"]
        return forms + [
            f"{a}.signum()", f"{a}.wrapping_abs()", f"{a}.unsigned_abs() as {t}", f"{a}.checked_abs().unwrap_or(8)",
            f"{a}.overflowing_rem_euclid({b} | 1).0", f"{a}.is_negative() as {t}", f"{a}.wrapping_div_euclid({b} | 1)"]

    def by_control(self, t, a, b, d):
        """Blocks that are left early, `?`, calls of generic functions and of trait objects."""
        p, q = f"({self.expr('bool', d)})", f"({self.expr('bool', d)})"
        number = f"({self.expr(self.pick(['u8', 'u32', 'i64', 'i16']), d)})"
        label = self.name("b")
        return "(" + self.pick([
            f"'{label}: {{ if {p} {{ break '{label} {a} }} if {q} {{ break '{label} 9 }} {b} }}",
            f"{{ let mut i = 0u8; loop {{ i += 1; if i > 9 || {p} {{ break {a}.wrapping_add(i as {t}) }} if {q} {{ i += 2 }} }} }}",
            f"(|| -> Option<{t}> {{ let y = {a}.checked_add({b})?; if {p} {{ return None }} y.checked_mul(3) }})().unwrap_or(6)",
            f"(|| -> Result<{t}, u8> {{ if {p} {{ Err(3)? }} let y = {a}.checked_sub({b}).ok_or(7u8)?; Ok(y / 2) }})().unwrap_or_else(|e| e as {t})",
            f"generic({number}, {p}) as {t}", f"object({number} as u64, {p}) as {t}",
            f"match ({number}, {p}) {{ (0, _) => {a}, (1..=9 | 40.., true) => {a} ^ {b}, (y, true) if y % 3 == 1 => {b}, (y, false) if {q} => y as {t}, _ => 5 }}",
        ]) + ")"

    def from_constants(self, t):
        """Of a constant table and a constant text."""
        index, byte = f"({self.expr('usize', 0)})", f"({self.expr('u8', 0)})"
        return "(" + self.pick([
            f"TABLE[{index} % 16] as {t}", f"TABLE.iter().position(|y| *y as u8 > {byte}).unwrap_or(7) as {t}",
            f"TEXT.chars().nth({index} % 14).map_or(3, |c| c as u32) as {t}",
            f"TEXT.char_indices().filter(|(i, c)| i % 2 == 1 || *c > 'f').count() as {t}",
            f"TEXT.chars().fold({byte} as u32, |s, c| s.wrapping_mul(31) ^ c as u32) as {t}",
            f"TEXT.bytes().rposition(|y| y == {byte}).map_or(99, |y| y as u32) as {t}",
            f"TEXT.split(' ').map(|w| w.len() ^ {index}).max().unwrap_or(3) as {t}",
            f"TEXT.find(char::from({byte})).unwrap_or(8) as {t}",
            f"TEXT.get({index} % 20..).map_or(1, |w| w.chars().map(|c| c.len_utf8()).sum::<usize>()) as {t}",
        ]) + ")"

    def over_array(self, t, d):
        """What becomes of the items of an array by iterators."""
        arrays = [(n, u) for n, u, _ in self.scope if isinstance(u, Array) and u.item in BITS]
        if not arrays:
            return self.literal(t)
        name, u = self.pick(arrays)
        cut = self.pick([name, f"{name}[..({self.expr('usize', 1)}) % {u.length + 1}]",
                         f"{name}[({self.expr('usize', 1)}) % {u.length}..]"])
        return "(" + self.pick([
            f"{cut}.iter().fold(0 as {t}, |s, y| s.wrapping_mul(3).wrapping_add(*y as {t}))",
            f"{cut}.iter().rev().map(|y| y.wrapping_mul(5) as {t}).fold(1, |s: {t}, y| s ^ y)",
            f"{cut}.iter().filter(|y| **y % 3 != 1).count() as {t}",
            f"{cut}.iter().copied().max().map_or(7, |y| y as {t})",
            f"{cut}.iter().position(|y| *y % 4 == 2).unwrap_or(9) as {t}",
            f"{cut}.chunks(2).map(|c| c[0] as {t}).fold(0, |s: {t}, y| s.wrapping_sub(y))",
            f"{cut}.iter().zip({name}.iter().skip(1)).filter(|(p, q)| p < q).count() as {t}",
            f"{cut}.windows(2).filter(|w| w[0] <= w[1]).count() as {t}",
            f"{cut}.split(|y| y % 3 == 0).map(|p| p.len()).max().unwrap_or(4) as {t}",
            f"{cut}.rchunks(3).map(|c| c[0] as {t}).fold(1, |s: {t}, y| s.wrapping_mul(7) ^ y)",
            f"{cut}.chunks_exact(2).map(|c| (c[0] ^ c[1]) as {t}).fold(2, |s: {t}, y| s.wrapping_add(y))",
            f"{cut}.iter().scan(0 as {t}, |s, y| {{ *s = s.wrapping_mul(5) ^ *y as {t}; Some(*s) }}).last().unwrap_or(3)",
            f"{cut}.iter().rev().skip_while(|y| **y % 2 == 1).step_by(2).map(|y| *y as {t}).fold(0, |s: {t}, y| s ^ y)",
            f"{cut}.iter().max_by_key(|y| **y % 7).map_or(2, |y| *y as {t})",
            f"{cut}.partition_point(|y| *y < {self.literal(u.item)}) as {t}",
            f"{cut}.binary_search(&{self.literal(u.item)}).unwrap_or_else(|y| y + 20) as {t}",
            f"{cut}.split_first().map_or(6, |(y, rest)| *y as {t} ^ rest.len() as {t})",
            f"{cut}.iter().copied().take_while(|y| y % 4 != 1).chain([1, 2]).map(|y| y as {t}).fold(0, |s: {t}, y| s.wrapping_mul(3) ^ y)",
            f"{cut}.contains(&{self.literal(u.item)}) as {t}",
            f"{cut}.iter().try_fold(0 as {t}, |s, y| s.checked_add((*y % 9) as {t})).unwrap_or(11)",
            f"{cut}.iter().enumerate().step_by(2).fold(0 as {t}, |s, (i, y)| s.rotate_left(i as u32) ^ *y as {t})",
        ]) + ")"

    def floating(self, t, d):
        a, b, c = (f"({self.expr(t, d)})" for _ in range(3))
        integer = f"({self.expr(self.pick(INTS + WIDE), d)})"
        other = "f64" if t == "f32" else "f32"
        # Which zero min and max give is not laid down; adding 0.0 makes it one.
        return "(" + self.pick([
            f"{a} + {b}", f"{a} - {b}", f"{a} * {b}", f"{a} / {b}", f"-{a}", f"{a} % {b}",
            f"{a}.mul_add({b}, {c})", f"{a} * {b} + {c}", f"{a}.abs()", f"{a}.abs().sqrt()",
            f"{a}.floor()", f"{a}.ceil()", f"{a}.round()", f"{a}.trunc()", f"{a}.fract()", f"{a}.round_ties_even()",
            f"{a}.min({b}) + 0.0", f"{a}.max({b}) + 0.0", f"{a}.rem_euclid({b})",
            f"{integer} as {t}", f"{integer} as {t}", f"({self.expr(other, d)}) as {t}",
            f"{a}.copysign({b}.abs())", f"{a}.recip()", f"{a}.clamp(-2.5, 1e9)", f"{a}.next_up()", f"{a}.div_euclid({b})",
            f"if {a}.total_cmp(&{b}).is_lt() && !({a}.is_nan() || {b}.is_nan()) {{ {c} }} else {{ {a} }}",
        ]) + ")"

    def boolean(self, d):
        t = self.pick(INTS + WIDE + FLOATS + FLOATS + ["char"])
        a, b = f"({self.expr(t, d)})", f"({self.expr(t, d)})"
        p, q = f"({self.expr('bool', d)})", f"({self.expr('bool', d)})"
        options = [u for _, u, _ in self.scope if isinstance(u, (Option, Struct, Enum, Tuple))]
        forms = [f"{a} {self.pick(['<', '<=', '>', '>=', '==', '!='])} {b}"] * 4 + [
            f"{p} && {q}", f"{p} || {q}", f"{p} ^ {q}", f"!{p}"]
        if options:
            u = self.pick(options)
            forms.append(f"{self.expr(u, 0)} == {self.expr(u, d - 1)}")
        if t in FLOATS:
            forms += [f"{a}.is_nan()", f"{a}.is_subnormal()", f"{a}.is_finite()", f"{a}.partial_cmp(&{b}).is_some_and(|o| o.is_ge())"]
        return f"({self.pick(forms)})"

    def compound(self, t, d):
        if isinstance(t, Array):
            if self.chance(30):
                return f"[{self.expr(t.item, d)}; {t.length}]"
            places = self.readable(t)
            if places and t.item in BITS and self.chance(40):
                change = self.pick(["sort_unstable()", "sort_unstable_by(|p, q| q.cmp(p))", "sort_unstable_by_key(|p| *p % 5)",
                                    f"swap({self.index(t.length)}, {self.index(t.length)})",
                                    f"rotate_right(({self.expr('usize', 0)}) % {t.length + 1})",
                                    f"copy_within(..({self.expr('usize', 0)}) % {t.length + 1}, 0)", "reverse()", f"rotate_left(({self.expr('usize', 1)}) % {t.length + 1})",
                                    f"fill({self.expr(t.item, 1)})"])
                return f"{{ let mut a = {self.pick(places)}; a.{change}; a }}"
            if places and t.item in BITS and self.chance(50):
                return f"({self.pick(places)}).map(|y| y.wrapping_mul({self.literal(t.item)}))"
            return "[" + ", ".join(self.expr(t.item, d) for _ in range(t.length)) + "]"
        if isinstance(t, Tuple):
            return "(" + "".join(self.expr(i, d) + ", " for i in t.items) + ")"
        if isinstance(t, Option):
            return self.pick([f"None::<{t.item}>", f"Some({self.expr(t.item, d)})",
                              f"({self.expr('bool', d)}).then(|| {self.expr(t.item, d)})",
                              f"({self.expr(t, d)}).or({self.expr(t, d - 1)})"])
        if isinstance(t, Struct):
            fields = ", ".join(f"f{i}: {self.expr(f, d)}" for i, f in enumerate(t.fields))
            return f"{t.name} {{ {fields} }}"
        i = self.random.randrange(len(t.variants))
        v = t.variants[i]
        return f"{t.name}::V{i}" + (f"({', '.join(self.expr(p, d) for p in v)})" if v else "")

    # ---- statements ----

    def let(self):
        t = self.type()
        stmt_expr = self.expr(t)
        name = self.name("v")
        self.scope.append((name, t, True))
        return Stmt(f"let mut {name}: {t} = {{0}};", [(stmt_expr, default(t))], keep=True)

    def targets(self):
        """Places that may be assigned, with their types."""
        found = []
        for name, t, mutable in self.scope:
            if not mutable:
                continue
            found.append((name, t))
            if isinstance(t, Array):
                found += [(f"{name}[{self.index(t.length)}]", t.item)] * 2
            elif isinstance(t, Tuple):
                found += [(f"{name}.{i}", u) for i, u in enumerate(t.items)]
            elif isinstance(t, Struct):
                found += [(f"{name}.f{i}", u) for i, u in enumerate(t.fields)]
        return found

    def assign(self):
        targets = self.targets()
        if not targets:
            return self.let()
        place, t = self.pick(targets)
        return Stmt(f"{place} = {{0}};", [(self.expr(t), default(t))])

    def block(self, size):
        mark = len(self.scope)
        self.depth += 1
        body = [self.statement() for _ in range(self.random.randrange(1, size + 1))]
        self.depth -= 1
        del self.scope[mark:]
        return body

    def branch(self):
        condition = (self.expr("bool"), "true")
        if self.chance(50):
            return Stmt("if {0} {\n{1}\n}", [condition], [self.block(3)])
        return Stmt("if {0} {\n{1}\n} else {\n{2}\n}", [condition], [self.block(3), self.block(3)])

    def loop(self):
        variable, bound = self.name("i"), self.random.randrange(1, 9)
        label = self.name("l")
        self.loops += 1
        mark = len(self.scope)
        kind = self.random.randrange(4)
        self.scope.append((variable, "usize", False))
        body = self.block(3)
        if self.chance(40):
            leave = self.pick(["break", "continue"])
            body.append(Stmt(f"if {{0}} {{ {leave} '{label} }}", [(self.expr("bool", 2), "false")]))
            body += self.block(2)
        del self.scope[mark:]
        self.loops -= 1
        count = (f"({self.expr('usize', 2)}) % {bound}", "2")
        if kind == 0:
            form = f"'{label}: for {variable} in 0..{{0}} {{{{1}}}}"
        elif kind == 1:
            form = f"'{label}: for {variable} in (0..={{0}}).rev() {{{{1}}}}"
        elif kind == 2:
            form = (f"let mut {variable}n = {{0}};\n'{label}: while {variable}n > 0 {{\n{variable}n -= 1;\n"
                    f"let {variable} = {variable}n * 3;\n{{1}}\n}}")
        else:
            form = f"'{label}: for {variable} in (1..{{0}} + 9).step_by(3) {{{{1}}}}"
        return Stmt(form.replace("{{1}}", "{\n{1}\n}").replace("{{", "{").replace("}}", "}"), [count], [body])

    def choose(self):
        enums = [(n, t) for n, t, _ in self.scope if isinstance(t, Enum)]
        if not enums or self.chance(40):
            t = self.pick(["u8", "i32", "u64"])
            subject = (f"({self.expr(t, 2)}) % 5", f"0{t}")
            return Stmt("match {0} {\n0 => {\n{1}\n}\n1 | 3 => {\n{2}\n}\n4.. => {\n{3}\n}\n_ => {}\n}",
                        [subject], [self.block(2) for _ in range(3)])
        name, t = self.pick(enums)
        form, blocks = f"match {name} {{\n", []
        for i, v in enumerate(t.variants):
            names = [self.name("p") for _ in v]
            mark = len(self.scope)
            self.scope += [(n, u, False) for n, u in zip(names, v)]
            blocks.append(self.block(2))
            del self.scope[mark:]
            bound = f"({', '.join(names)})" if v else ""
            form += f"{t.name}::V{i}{bound} => {{\n{{{i}}}\n}}\n"
        return Stmt(form + "}", [], blocks)

    def unwrap(self):
        options = [(n, t) for n, t, _ in self.scope if isinstance(t, Option)]
        if not options:
            return self.assign()
        name, t = self.pick(options)
        inner = self.name("p")
        mark = len(self.scope)
        self.scope.append((inner, t.item, False))
        body = self.block(2)
        del self.scope[mark:]
        return Stmt(f"if let Some({inner}) = {name} {{\n{{0}}\n}}", [], [body])

    def closure(self):
        t, u = self.scalar(), self.scalar()
        name, param = self.name("c"), self.name("q")
        mark = len(self.scope)
        # What it captures stays borrowed: copies, so that assignments go on.
        self.scope.append((param, t, False))
        body = self.expr(u)
        del self.scope[mark:]
        result = self.name("v")
        argument = (self.expr(t, 2), default(t))
        stmt = Stmt(f"let mut {result} = {{ let {name} = |{param}: {t}| -> {u} {{ {{0}} }};\n"
                    f"let one = {name}({{1}}); let f: &dyn Fn({t}) -> {u} = &{name}; let two = f({{1}}); (one, two) }};",
                    [(body, default(u)), argument], keep=True)
        self.scope.append((result, Tuple([u, u]), True))
        return stmt

    def statement(self):
        roll = self.random.randrange(100)
        if self.depth > 2:
            return self.assign() if roll < 70 else self.let()
        if roll < 25:
            return self.let()
        if roll < 50:
            return self.assign()
        if roll < 62:
            return self.branch()
        if roll < 76:
            return self.loop()
        if roll < 86:
            return self.choose()
        if roll < 93:
            return self.unwrap()
        return self.closure()

    # ---- a kernel ----

    def helper(self):
        params = [self.type(1) for _ in range(self.random.randrange(1, 4))]
        result = self.type(1)
        name = "@_" + self.name("h")
        self.scope = [(f"a{i}", t, False) for i, t in enumerate(params)]
        body = self.expr(result)
        self.scope = []
        listed = ", ".join(f"a{i}: {t}" for i, t in enumerate(params))
        self.functions.append((name, params, result))
        return f"{self.pick(['', '#[inline(never)]' + chr(10)])}fn {name}({listed}) -> {result} {{ {body} }}\n"

    def kernel(self):
        self.functions, self.scope = [], []
        helpers = [self.helper() for _ in range(self.random.randrange(3))]
        body = []
        for i in range(4):
            t = self.scalar()
            word = f"x[{i}]"
            made = {"bool": f"{word} & 1 == 1", "char": f"({word} as u8) as char",
                    "f32": f"f32::from_bits(({word} >> 7) as u32)" if self.chance(30) else f"({word} as i32 as f32 / 1000.0)",
                    "f64": f"f64::from_bits({word})" if self.chance(30) else f"({word} as i64 as f64 / 1e9)"}
            name = self.name("v")
            body.append(Stmt(f"let mut {name}: {t} = {{0}};", [(made.get(t, f"{word} as {t}"), default(t))], keep=True))
            self.scope.append((name, t, True))
        body += [self.statement() for _ in range(self.random.randrange(3, 9))]
        ending = "\n".join(f"s = {name}.h(s);" for name, _, _ in self.scope)
        return Kernel(helpers, body, ending)
