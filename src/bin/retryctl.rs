//! The program `retryctl`.
fn main() {}
