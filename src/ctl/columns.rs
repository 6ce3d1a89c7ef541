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

/// Prints rows under headings; a column in which no row has anything is left out.
///
/// # Errors
/// The output cannot be written.
pub fn print(out: &mut dyn Write, columns: &[Column], rows: &[Vec<String>], width: usize) -> io::Result<()> {
    let used: Vec<usize> = (0..columns.len()).filter(|at| rows.iter().any(|row| !row[*at].is_empty())).collect();
    let Some((last, others)) = used.split_last() else { return Ok(()) };
    let mut widths = Vec::new();
    for at in others {
        let longest = rows.iter().map(|row| display_width(&row[*at])).max().unwrap_or(0);
        widths.push(longest.min(columns[*at].limit).max(columns[*at].title.len()));
    }
    let taken: usize = widths.iter().map(|width| width + 2).sum();
    let rest = width.saturating_sub(taken).max(8);
    let titles: Vec<String> = columns.iter().map(|column| column.title.to_owned()).collect();
    for row in std::iter::once(&titles).chain(rows) {
        let mut line = String::new();
        for (at, width) in others.iter().zip(&widths) {
            let cell = cut(&row[*at], *width);
            let blank = " ".repeat(width.saturating_sub(display_width(&cell)));
            match columns[*at].side {
                Side::Left => line += &format!("{cell}{blank}  "),
                Side::Right => line += &format!("{blank}{cell}  "),
            }
        }
        line += &match columns[*last].side {
            Side::Left => cut(&row[*last], rest),
            Side::Right => {
                let width = rows.iter().map(|row| row[*last].len()).max().unwrap_or(0).max(columns[*last].title.len());
                format!("{:>width$}", row[*last])
            }
        };
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
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
        let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(|cell| (*cell).into()).collect()).collect();
        let mut out = Vec::new();
        print(&mut out, &columns, &rows, width).unwrap();
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
