//! A table for a terminal: columns as wide as they need to be, and the last takes what is left.

use std::io::{self, Write};

/// How a cell stands in its column.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Text.
    Left,
    /// Numbers.
    Right,
}

/// A column.
pub struct Column {
    /// Its heading.
    pub title: &'static str,
    /// Where its cells stand.
    pub side: Side,
    /// The most columns of the terminal that it takes; the last column ignores it.
    pub limit: usize,
}

/// Prints rows under headings; a column but the last in which no row has anything is left out.
///
/// Cells are asked for twice, once for their width and once to be printed, so that no table stands in memory; those of
/// the last column once. With `colours` the headings are bold, and each row has what it gives: an escape sequence, or
/// nothing.
///
/// # Errors
/// A cell cannot be had, or the output cannot be written.
pub fn print<E: From<io::Error>>(
    out: &mut dyn Write,
    columns: &[Column],
    rows: usize,
    width: usize,
    colours: Option<&dyn Fn(usize) -> &'static str>,
    cell: impl Fn(usize, usize) -> Result<String, E>,
) -> Result<(), E> {
    if rows == 0 {
        return Ok(());
    }
    let last = columns.len() - 1;
    let mut widths = vec![0; last];
    for row in 0..rows {
        for (at, width) in widths.iter_mut().enumerate() {
            *width = display_width(&cell(row, at)?).max(*width);
        }
    }
    for (width, column) in widths.iter_mut().zip(columns).filter(|(width, _)| **width > 0) {
        *width = (*width).min(column.limit).max(column.title.len());
    }
    let taken: usize = widths.iter().filter(|width| **width > 0).map(|width| width + 2).sum();
    let rest = match columns[last].side {
        Side::Left => width.saturating_sub(taken).max(8),
        // Numbers are never cut, and stand below their heading.
        Side::Right => columns[last].title.len().max(columns[last].limit),
    };
    let layout = Layout { columns, widths, rest };
    layout.line(out, colours.map_or("", |_| "\x1b[1m"), |at| Ok(columns[at].title.to_owned()))?;
    for row in 0..rows {
        layout.line(out, colours.map_or("", |colour| colour(row)), |at| cell(row, at))?;
    }
    Ok(())
}

/// The same for cells that are there already.
///
/// # Errors
/// The output cannot be written.
pub fn print_rows(out: &mut dyn Write, columns: &[Column], rows: &[Vec<String>], width: usize) -> io::Result<()> {
    print(out, columns, rows.len(), width, None, |row, at| Ok(rows[row][at].clone()))
}

/// How wide the columns are.
struct Layout<'a> {
    columns: &'a [Column],
    /// Of all but the last; 0 for one that is left out.
    widths: Vec<usize>,
    /// Of the last.
    rest: usize,
}

impl Layout<'_> {
    fn line<E: From<io::Error>>(
        &self,
        out: &mut dyn Write,
        colour: &str,
        cell: impl Fn(usize) -> Result<String, E>,
    ) -> Result<(), E> {
        let mut line = String::new();
        for (at, width) in self.widths.iter().enumerate().filter(|(_, width)| **width > 0) {
            let cell = cut(&cell(at)?, *width);
            let blank = " ".repeat(width.saturating_sub(display_width(&cell)));
            match self.columns[at].side {
                Side::Left => line += &format!("{cell}{blank}  "),
                Side::Right => line += &format!("{blank}{cell}  "),
            }
        }
        let last = cell(self.widths.len())?;
        let rest = self.rest;
        line += &match self.columns[self.widths.len()].side {
            Side::Left => cut(&last, rest),
            Side::Right => format!("{last:>rest$}"),
        };
        let end = if colour.is_empty() { "" } else { "\x1b[0m" };
        writeln!(out, "{colour}{}{end}", line.trim_end())?;
        Ok(())
    }
}

/// Cuts text to so many columns, the last of which then says that something is missing.
pub fn cut(text: &str, width: usize) -> String {
    if display_width(text) <= width {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut taken = 0;
    for c in text.chars() {
        taken += columns_of(c);
        if taken + 1 > width {
            break;
        }
        kept.push(c);
    }
    kept.push('…');
    kept
}

/// How many columns a text takes.
pub fn display_width(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

/// How many columns a character takes: none for marks that combine, two for the wide ones of East Asia and for signs
/// that are pictures. The great blocks alone; a rare character that is a column off costs a crooked line.
fn columns_of(c: char) -> usize {
    match u32::from(c) {
        0x0300..=0x036f | 0x200b..=0x200d | 0xfe00..=0xfe0f => 0,
        0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff | 0xfe30..=0xfe6f => 2,
        0xff00..=0xff60 | 0xffe0..=0xffe6 | 0x1f300..=0x1faff | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(rows: &[[&str; 3]], width: usize) -> String {
        let columns = [
            Column { title: "A", side: Side::Left, limit: 6 },
            Column { title: "N", side: Side::Right, limit: 6 },
            Column { title: "TEXT", side: Side::Left, limit: 0 },
        ];
        let mut out = Vec::new();
        print::<io::Error>(&mut out, &columns, rows.len(), width, None, |row, at| Ok(rows[row][at].into())).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_long_cell_is_cut_and_the_last_column_takes_the_rest() {
        assert_eq!(
            printed(&[["abcdefghij", "1", "the last error"], ["日本語", "20", "x"]], 22),
            "A        N  TEXT\nabcde…   1  the last …\n日本語  20  x\n"
        );
    }

    #[test]
    fn a_column_without_a_cell_is_left_out() {
        assert_eq!(printed(&[["a", "", "x"]], 80), "A  TEXT\na  x\n");
    }
}
