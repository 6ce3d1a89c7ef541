//! The program `retry`.
fn main() {}
