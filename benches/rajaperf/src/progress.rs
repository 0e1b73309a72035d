//! The line that says what is running.

use std::io::{IsTerminal, Write};
use std::time::Instant;

/// On a terminal one line that is written over; else a line each, if asked for.
pub struct Progress {
    terminal: bool,
    lines: bool,
    start: Instant,
}

impl Progress {
    pub fn new(lines: bool) -> Self {
        Self {
            terminal: std::io::stderr().is_terminal(),
            lines,
            start: Instant::now(),
        }
    }

    /// Says that `text`, number `at` of `total`, begins.
    pub fn show(&mut self, at: usize, total: usize, text: &str) {
        let seconds = self.start.elapsed().as_secs();
        let line = format!("[{}/{total}, {seconds} s] {text}", at + 1);
        let mut stderr = std::io::stderr();
        // An error here (a closed terminal) is no reason to stop measuring.
        let _ = if self.terminal {
            write!(stderr, "\r\x1b[K{line:.110}").and_then(|()| stderr.flush())
        } else if self.lines {
            writeln!(stderr, "{line}")
        } else {
            Ok(())
        };
    }

    /// Takes the line away.
    pub fn clear(&mut self) {
        if self.terminal {
            eprint!("\r\x1b[K");
        }
    }
}
