//! Archives that unpack to gigabytes, or that ask for gigabytes while they are unpacked.

#![allow(clippy::unwrap_used, reason = "what a test does not expect ends it")]

use std::fs;

use padwise_features::Corpus;
use padwise_features::files::Limits;
use padwise_features::raw::RawCorpus;
use tempfile::TempDir;

fn crc32(bytes: &[u8]) -> [u8; 4] {
    let crc = bytes.iter().fold(!0u32, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| {
            (crc >> 1) ^ (0xedb8_8320 * (crc & 1))
        })
    });
    (!crc).to_le_bytes()
}

fn with_crc(bytes: Vec<u8>) -> Vec<u8> {
    let crc = crc32(&bytes);
    [bytes, crc.to_vec()].concat()
}

fn number(mut value: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value > 0x7f {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

fn padded(mut bytes: Vec<u8>, to: usize) -> Vec<u8> {
    bytes.resize(bytes.len().next_multiple_of(to), 0);
    bytes
}

/// An xz stream without checksums. `chunks` is the data of its only block, which unpacks to `size` bytes.
fn stream(dictionary: u8, chunks: Option<(&[u8], usize)>) -> Vec<u8> {
    let mut file = b"\xfd7zXZ\0".to_vec();
    file.extend(with_crc(vec![0, 0])[..].iter());
    let mut index = vec![0, u8::from(chunks.is_some())];
    if let Some((chunks, size)) = chunks {
        let head = with_crc(vec![2, 0, 0x21, 1, dictionary, 0, 0, 0]);
        index.extend(number(head.len() + chunks.len()));
        index.extend(number(size));
        file.extend(head);
        file.extend(padded(chunks.to_vec(), 4));
    }
    let index = with_crc(padded(index, 4));
    let mut footer = (index.len() as u32 / 4 - 1).to_le_bytes().to_vec();
    footer.extend([0, 0]);
    file.extend(index);
    file.extend(crc32(&footer));
    file.extend(footer);
    file.extend(b"YZ");
    file
}

/// Data as uncompressed chunks.
fn stored(data: &[u8]) -> Vec<u8> {
    let mut chunks = Vec::new();
    for (place, data) in data.chunks(1 << 16).enumerate() {
        chunks.push(if place == 0 { 1 } else { 2 });
        chunks.extend((data.len() as u16).wrapping_sub(1).to_be_bytes());
        chunks.extend(data);
    }
    chunks.push(0);
    chunks
}

fn xz(data: &[u8]) -> Vec<u8> {
    stream(0, Some((&stored(data), data.len())))
}

fn entry(name: &str, kind: u8, size: usize, content: &[u8]) -> Vec<u8> {
    let mut head = vec![0; 512];
    let name = &name.as_bytes()[..name.len().min(100)];
    head[..name.len()].copy_from_slice(name);
    head[124..135].copy_from_slice(format!("{size:011o}").as_bytes());
    head[148..156].fill(b' ');
    head[156] = kind;
    head[257..263].copy_from_slice(b"ustar\0");
    let sum: u32 = head.iter().map(|&byte| u32::from(byte)).sum();
    head[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    padded([head, content.to_vec()].concat(), 512)
}

fn file(name: &str, content: &[u8]) -> Vec<u8> {
    entry(name, b'0', content.len(), content)
}

fn corpus_files() -> Vec<u8> {
    let long = format!("{}/labels.u8", "deep".repeat(40));
    [
        file("raw/feat1.f16le", &[0; 8]),
        entry(
            "././@LongLink",
            b'L',
            long.len() + 1,
            format!("{long}\0").as_bytes(),
        ),
        file(&long, &[0, 0, 1, 1]),
        entry("raw/x", b'x', 23, b"23 path=raw/phones.txt\n"),
        file("shortened", b"a\nb\n"),
        file("raw/index.csv", b"id,start_frame,n_frames\nu,0,4\n"),
        vec![0; 1024],
    ]
    .concat()
}

fn open(bytes: &[u8]) -> Result<RawCorpus, String> {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.tar.xz");
    fs::write(&path, bytes).unwrap();
    RawCorpus::open(&path).map_err(|error| crate::support::message(error, folder.path()))
}

fn said(bytes: &[u8]) -> String {
    open(bytes).err().unwrap_or("no error".into())
}

#[test]
fn a_small_archive_is_read() {
    let corpus = open(&xz(&corpus_files())).unwrap();
    assert_eq!((corpus.lengths(), corpus.dims()), (&[4][..], 1));
    assert_eq!(corpus.class_names().unwrap(), ["a", "b"]);
}

#[test]
fn sizes_are_checked_before_unpacking() {
    // 40 chunks that claim to unpack to 2 MiB each, in 280 bytes.
    let chunk = [0xff, 0xff, 0xff, 0, 0, 0x5d, 0];
    let chunks = [chunk.repeat(40), vec![0]].concat();
    let bomb = stream(0, Some((&chunks, 1)));
    let dictionary = stream(40, Some((&stored(b"a"), 1)));
    let empty = stream(0, None).repeat(30_000);
    let long_name = xz(&[entry("././@LongLink", b'L', 1 << 30, &[]), vec![b'a'; 4096]].concat());
    let extension = xz(&[entry("raw/x", b'x', 1 << 30, &[]), vec![b'a'; 4096]].concat());
    insta::assert_snapshot!([
        said(&bomb), said(&dictionary), said(&empty), said(&long_name), said(&extension),
    ].join("\n"), @r"
        a.tar.xz: unpacks to 84 MB, but the limit is 67 MB: raise --max-unpacked-gb if the archive is not damaged
        a.tar.xz: xz dictionary of 4294967296 bytes, at most 67108864 are supported: compress it again with `xz -9` or lower
        a.tar.xz: more than 64 empty xz streams
        a.tar.xz: a name of 1073741824 bytes in the archive: at most 65536 are supported
        a.tar.xz: a name of 1073741824 bytes in the archive: at most 65536 are supported
    ");
}

#[test]
fn the_limit_can_be_changed() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.tar.xz");
    fs::write(&path, xz(&corpus_files())).unwrap();
    let open = |bytes| {
        let limits = Limits {
            unpacked_bytes: Some(bytes),
            ..Limits::default()
        };
        RawCorpus::open_within(&path, &limits)
    };
    assert!(open(1000).is_err());
    assert!(open(100_000).is_ok());
}
