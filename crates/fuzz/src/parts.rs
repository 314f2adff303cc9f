//! Inputs for formats of several files: one input holds all files, separated by a marker line.

/// The line between two files.
pub const SEPARATOR: &[u8] = b"\n=====\n";

/// Splits an input into its files.
pub fn split(input: &[u8]) -> Vec<&[u8]> {
    let mut parts = Vec::new();
    let mut rest = input;
    while let Some(at) = find(rest, SEPARATOR) {
        parts.push(&rest[..at]);
        rest = &rest[at + SEPARATOR.len()..];
    }
    parts.push(rest);
    parts
}

/// Joins files into an input.
pub fn join<T: AsRef<[u8]>>(parts: &[T]) -> Vec<u8> {
    let parts: Vec<&[u8]> = parts.iter().map(AsRef::as_ref).collect();
    parts.join(SEPARATOR)
}

/// The position of the first occurrence.
pub fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes
        .windows(wanted.len())
        .position(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn split_reverses_join() {
        for parts in [&[&b""[..]][..], &[b"a", b"", b"b\nc"], &[b"", b""]] {
            assert_eq!(split(&join(parts)), parts);
        }
    }
}
