//! `#[derive(DeviceCopy)]`, with the compiler's token streams alone.
//!
//! Of the type it reads only its generics and the types of its fields. Each field's type is
//! put, as it stands, into a function that asks for `DeviceCopy`, so that rustc resolves it
//! and points at the field where it is not.

use proc_macro::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};

/// Implements `DeviceCopy` for a struct or enum, if all of its fields are `DeviceCopy`, and
/// lets it be passed to kernels by value. Type parameters must be `DeviceCopy` too.
#[proc_macro_derive(DeviceCopy)]
pub fn device_copy(input: TokenStream) -> TokenStream {
    match Item::parse(input) {
        Ok(item) => item.implement(),
        Err(error) => error.tokens(),
    }
}

struct Error {
    span: Span,
    message: &'static str,
}

impl Error {
    fn tokens(&self) -> TokenStream {
        let text = format!("::core::compile_error! {{ {:?} }}", self.message);
        let tokens: TokenStream = text.parse().expect("valid Rust");
        tokens
            .into_iter()
            .map(|mut token| {
                token.set_span(self.span);
                token
            })
            .collect()
    }
}

type Result<T> = std::result::Result<T, Error>;

/// A generic parameter, without its default.
struct Parameter {
    /// As it is declared: `T: Bound`, `const N: usize`.
    declaration: TokenStream,
    name: Ident,
    is_type: bool,
}

struct Item {
    name: Ident,
    parameters: Vec<Parameter>,
    /// Predicates, without `where`.
    conditions: TokenStream,
    fields: Vec<TokenStream>,
}

/// The tokens of an item, read from the front.
struct Tokens {
    rest: std::iter::Peekable<proc_macro::token_stream::IntoIter>,
    last: Span,
}

impl Tokens {
    fn new(stream: TokenStream) -> Self {
        Self {
            rest: stream.into_iter().peekable(),
            last: Span::call_site(),
        }
    }

    fn next(&mut self) -> Option<TokenTree> {
        let token = self.rest.next()?;
        self.last = token.span();
        Some(token)
    }

    fn at_punct(&mut self, c: char) -> bool {
        matches!(self.rest.peek(), Some(TokenTree::Punct(p)) if p.as_char() == c)
    }

    fn at_word(&mut self, word: &str) -> bool {
        matches!(self.rest.peek(), Some(TokenTree::Ident(i)) if i.to_string() == word)
    }

    fn at_group(&mut self, delimiter: Delimiter) -> bool {
        matches!(self.rest.peek(), Some(TokenTree::Group(g)) if g.delimiter() == delimiter)
    }

    fn group(&mut self, delimiter: Delimiter) -> Option<Group> {
        if !self.at_group(delimiter) {
            return None;
        }
        match self.next() {
            Some(TokenTree::Group(group)) => Some(group),
            _ => None,
        }
    }

    fn take_punct(&mut self, c: char) -> bool {
        let there = self.at_punct(c);
        if there {
            self.next();
        }
        there
    }

    fn ident(&mut self) -> Result<Ident> {
        match self.next() {
            Some(TokenTree::Ident(ident)) => Ok(ident),
            _ => Err(self.error("DeviceCopy: expected a name here")),
        }
    }

    fn error(&self, message: &'static str) -> Error {
        Error {
            span: self.last,
            message,
        }
    }

    fn skip_attributes(&mut self) {
        while self.take_punct('#') {
            self.next();
        }
    }

    fn skip_visibility(&mut self) {
        if self.at_word("pub") {
            self.next();
            // `pub (crate)`; but `pub (u8, u8)` is a field's type.
            let scope = match self.rest.peek() {
                Some(TokenTree::Group(g)) if g.delimiter() == Delimiter::Parenthesis => {
                    let first = g.stream().into_iter().next().map(|t| t.to_string());
                    matches!(first.as_deref(), Some("crate" | "self" | "super" | "in"))
                }
                _ => false,
            };
            if scope {
                self.next();
            }
        }
    }

    /// Everything up to a token that `stop` knows, outside of angle brackets. The arrow of a
    /// function type is not a bracket.
    fn until(&mut self, stop: impl Fn(&TokenTree) -> bool) -> TokenStream {
        let mut depth = 0usize;
        let mut taken = Vec::new();
        let mut after_dash = false;
        while let Some(token) = self.rest.peek() {
            if depth == 0 && stop(token) {
                break;
            }
            let c = match token {
                TokenTree::Punct(p) => p.as_char(),
                _ => ' ',
            };
            match c {
                '<' => depth += 1,
                '>' if !after_dash => depth = depth.saturating_sub(1),
                _ => {}
            }
            after_dash = c == '-';
            taken.extend(self.next());
        }
        taken.into_iter().collect()
    }
}

fn is_punct(token: &TokenTree, chars: &str) -> bool {
    matches!(token, TokenTree::Punct(p) if chars.contains(p.as_char()))
}

fn is_brace(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Group(g) if g.delimiter() == Delimiter::Brace)
}

impl Item {
    fn parse(input: TokenStream) -> Result<Self> {
        let mut tokens = Tokens::new(input);
        tokens.skip_attributes();
        tokens.skip_visibility();
        let kind = tokens.ident()?;
        let is_enum = match kind.to_string().as_str() {
            "struct" => false,
            "enum" => true,
            _ => {
                return Err(tokens.error(
                    "DeviceCopy cannot be derived for a union: which field holds is not known",
                ));
            }
        };
        let name = tokens.ident()?;
        let parameters = parse_parameters(&mut tokens)?;
        let mut conditions = parse_where(&mut tokens);
        let fields = if let Some(body) = tokens.group(Delimiter::Brace) {
            if is_enum {
                parse_variants(body.stream())?
            } else {
                parse_named(body.stream())?
            }
        } else if let Some(body) = tokens.group(Delimiter::Parenthesis) {
            let fields = parse_positional(body.stream())?;
            conditions = parse_where(&mut tokens);
            fields
        } else {
            Vec::new()
        };
        Ok(Self {
            name,
            parameters,
            conditions,
            fields,
        })
    }

    fn implement(self) -> TokenStream {
        let mut declared = TokenStream::new();
        let mut names = TokenStream::new();
        let mut conditions = self.conditions;
        if !conditions.is_empty() {
            conditions.extend(code(","));
        }
        for parameter in &self.parameters {
            declared.extend(parameter.declaration.clone());
            declared.extend(code(","));
            names.extend([TokenTree::Ident(parameter.name.clone())]);
            names.extend(code(","));
            if parameter.is_type {
                conditions.extend([TokenTree::Ident(parameter.name.clone())]);
                conditions.extend(code(": ::smelt::DeviceCopy,"));
            }
        }
        let mut checks = TokenStream::new();
        for field in self.fields {
            checks.extend(code("field::<"));
            checks.extend(field);
            checks.extend(code(">();"));
        }
        let name = TokenStream::from(TokenTree::Ident(self.name));
        fill(
            "const _: () = {
                #[allow(dead_code, non_snake_case)]
                fn fields < $declared > () where $conditions {
                    fn field<T: ::smelt::DeviceCopy>() {}
                    $checks
                }
                unsafe impl < $declared > ::smelt::DeviceCopy for $name < $names >
                where $conditions {}
                unsafe impl < $declared > ::smelt::Arg<$name < $names >> for $name < $names >
                where $conditions {
                    type Param = ::smelt::Value<Self>;
                    const BORROWS_HOST: bool = false;
                    #[inline]
                    fn begin(self, _: &mut ::smelt::Maps) -> ::smelt::Result<Self> {
                        ::core::result::Result::Ok(self)
                    }
                }
            };",
            &[
                ("declared", declared),
                ("names", names),
                ("conditions", conditions),
                ("checks", checks),
                ("name", name),
            ],
        )
    }
}

fn code(text: &str) -> TokenStream {
    text.parse().expect("valid Rust tokens")
}

/// The template's tokens with each `$name` replaced.
fn fill(template: &str, values: &[(&str, TokenStream)]) -> TokenStream {
    fill_tokens(code(template), values)
}

fn fill_tokens(template: TokenStream, values: &[(&str, TokenStream)]) -> TokenStream {
    let mut filled = TokenStream::new();
    let mut tokens = template.into_iter();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(p) if p.as_char() == '$' => {
                let name = tokens.next().expect("a name after $").to_string();
                let value = values.iter().find(|(key, _)| *key == name);
                filled.extend(value.expect("a value for the name").1.clone());
            }
            TokenTree::Group(group) => {
                let inner = fill_tokens(group.stream(), values);
                filled.extend([TokenTree::Group(Group::new(group.delimiter(), inner))]);
            }
            other => filled.extend([other]),
        }
    }
    filled
}

fn parse_parameters(tokens: &mut Tokens) -> Result<Vec<Parameter>> {
    let mut parameters = Vec::new();
    if !tokens.take_punct('<') {
        return Ok(parameters);
    }
    while !tokens.at_punct('>') {
        tokens.skip_attributes();
        if tokens.at_punct('\'') {
            tokens.next();
            return Err(tokens.error(
                "DeviceCopy cannot be derived for a type with a lifetime: what it borrows \
                 lies in memory of the host",
            ));
        }
        let mut declaration = TokenStream::new();
        let is_type = !tokens.at_word("const");
        if !is_type {
            declaration.extend(tokens.next());
        }
        let name = tokens.ident()?;
        declaration.extend([TokenTree::Ident(name.clone())]);
        declaration.extend(tokens.until(|token| is_punct(token, ",=>")));
        if tokens.take_punct('=') {
            tokens.until(|token| is_punct(token, ",>"));
        }
        tokens.take_punct(',');
        parameters.push(Parameter {
            declaration,
            name,
            is_type,
        });
    }
    tokens.next();
    Ok(parameters)
}

fn parse_where(tokens: &mut Tokens) -> TokenStream {
    if !tokens.at_word("where") {
        return TokenStream::new();
    }
    tokens.next();
    let conditions = tokens.until(|token| is_brace(token) || is_punct(token, ";"));
    let mut conditions: Vec<TokenTree> = conditions.into_iter().collect();
    if conditions.last().is_some_and(|token| is_punct(token, ",")) {
        conditions.pop();
    }
    conditions.into_iter().collect()
}

fn parse_named(body: TokenStream) -> Result<Vec<TokenStream>> {
    let mut tokens = Tokens::new(body);
    let mut fields = Vec::new();
    while tokens.rest.peek().is_some() {
        tokens.skip_attributes();
        tokens.skip_visibility();
        tokens.ident()?;
        if !tokens.take_punct(':') {
            return Err(tokens.error("DeviceCopy: expected the type of this field"));
        }
        fields.push(tokens.until(|token| is_punct(token, ",")));
        tokens.take_punct(',');
    }
    Ok(fields)
}

fn parse_positional(body: TokenStream) -> Result<Vec<TokenStream>> {
    let mut tokens = Tokens::new(body);
    let mut fields = Vec::new();
    while tokens.rest.peek().is_some() {
        tokens.skip_attributes();
        tokens.skip_visibility();
        fields.push(tokens.until(|token| is_punct(token, ",")));
        tokens.take_punct(',');
    }
    Ok(fields)
}

fn parse_variants(body: TokenStream) -> Result<Vec<TokenStream>> {
    let mut tokens = Tokens::new(body);
    let mut fields = Vec::new();
    while tokens.rest.peek().is_some() {
        tokens.skip_attributes();
        tokens.ident()?;
        if let Some(named) = tokens.group(Delimiter::Brace) {
            fields.extend(parse_named(named.stream())?);
        } else if let Some(positional) = tokens.group(Delimiter::Parenthesis) {
            fields.extend(parse_positional(positional.stream())?);
        }
        // A discriminant may follow; its `<<` is no bracket, so the comma is looked for plainly.
        while !tokens.at_punct(',') && tokens.next().is_some() {}
        tokens.take_punct(',');
    }
    Ok(fields)
}
