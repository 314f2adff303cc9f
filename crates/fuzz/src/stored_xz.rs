//! Wraps bytes in an `.xz` file without compressing them, so that mutations of an archive survive its checksums.

/// The most bytes in an uncompressed chunk.
const CHUNK: usize = 1 << 16;

/// An `.xz` file that contains these bytes, without a checksum.
pub fn wrap(content: &[u8]) -> Vec<u8> {
    let flags = [0, 0];
    let mut file = b"\xfd7zXZ\0".to_vec();
    file.extend(flags);
    file.extend(crc32(&flags).to_le_bytes());
    // Block header: its size in units of 4 bytes less one, one filter, LZMA2 with a dictionary of 64 KiB, padding.
    let header = [2, 0, 0x21, 1, 8, 0, 0, 0];
    file.extend(header);
    file.extend(crc32(&header).to_le_bytes());
    let mut packed = Vec::new();
    for (number, chunk) in content.chunks(CHUNK).enumerate() {
        packed.push(if number == 0 { 1 } else { 2 });
        packed.extend(((chunk.len() - 1) as u16).to_be_bytes());
        packed.extend(chunk);
    }
    packed.push(0);
    let block = header.len() + 4 + packed.len();
    packed.resize(packed.len().next_multiple_of(4), 0);
    file.extend(packed);
    let mut index = vec![0, 1];
    index.extend(variable(block as u64));
    index.extend(variable(content.len() as u64));
    index.resize(index.len().next_multiple_of(4), 0);
    index.extend(crc32(&index).to_le_bytes());
    let mut footer = ((index.len() / 4 - 1) as u32).to_le_bytes().to_vec();
    footer.extend(flags);
    file.extend(index);
    file.extend(crc32(&footer).to_le_bytes());
    file.extend(footer);
    file.extend(b"YZ");
    file
}

/// A number in groups of 7 bits, lowest first.
fn variable(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for &byte in bytes {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = if crc & 1 == 0 {
                crc >> 1
            } else {
                crc >> 1 ^ 0xedb8_8320
            };
        }
    }
    !crc
}
