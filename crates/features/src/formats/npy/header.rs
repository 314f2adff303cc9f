//! The header of an array file: a magic number, a version, and a Python dictionary as text.

/// Type and byte order of the elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Element {
    /// `f` for floating, `i` for signed, `u` for unsigned, `b` for boolean.
    pub kind: char,
    pub size: usize,
    pub big_endian: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub element: Element,
    pub fortran_order: bool,
    pub shape: Vec<usize>,
    /// Offset of the first element.
    pub data: u64,
}

/// Maximum header length. NumPy writes 128 bytes; a larger value than this is damage.
const LONGEST: usize = 1 << 16;

/// Reads the header at the start of a file.
pub(super) fn read(file: &mut impl std::io::Read) -> Result<Header, String> {
    let mut start = [0; 8];
    file.read_exact(&mut start)
        .map_err(|_| "too short for a .npy file")?;
    if start[..6] != *b"\x93NUMPY" {
        return Err("not a .npy file: wrong magic number".into());
    }
    let width = match start[6] {
        1 => 2,
        2 | 3 => 4,
        version => return Err(format!("unsupported .npy version {version}")),
    };
    let mut len = [0; 4];
    let cut = |_| "the header is truncated".to_string();
    file.read_exact(&mut len[..width]).map_err(cut)?;
    let len = u32::from_le_bytes(len) as usize;
    if len > LONGEST {
        return Err(format!("header of {len} bytes: the file is damaged"));
    }
    let mut text = vec![0; len];
    file.read_exact(&mut text).map_err(cut)?;
    let text = String::from_utf8_lossy(&text);
    let element = element(value(&text, "descr")?)?;
    let fortran_order = value(&text, "fortran_order")?.starts_with("True");
    Ok(Header {
        element,
        fortran_order,
        shape: shape(value(&text, "shape")?)?,
        data: (8 + width + len) as u64,
    })
}

/// The text after a key of the dictionary.
fn value<'a>(text: &'a str, key: &str) -> Result<&'a str, String> {
    [format!("'{key}'"), format!("\"{key}\"")]
        .iter()
        .find_map(|quoted| text.split_once(quoted.as_str()))
        .and_then(|(_, rest)| rest.trim_start().strip_prefix(':'))
        .map(str::trim_start)
        .ok_or_else(|| format!("the header has no `{key}`"))
}

fn element(value: &str) -> Result<Element, String> {
    known_element(value).ok_or_else(|| {
        let shown = value.split(',').next().unwrap_or_default();
        format!(
            "unsupported element type {shown}: use float16, float32, float64 or an integer type"
        )
    })
}

fn known_element(value: &str) -> Option<Element> {
    let quote = value.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let mut chars = value[1..].split(quote).next()?.chars();
    let (order, kind) = (chars.next()?, chars.next()?);
    let element = Element {
        kind,
        size: chars.as_str().parse().ok()?,
        big_endian: order == '>',
    };
    let is_size = match kind {
        'f' => [2, 4, 8].contains(&element.size),
        'i' | 'u' => [1, 2, 4, 8].contains(&element.size),
        _ => kind == 'b' && element.size == 1,
    };
    (is_size && matches!(order, '<' | '|' | '>')).then_some(element)
}

fn shape(value: &str) -> Result<Vec<usize>, String> {
    let unreadable = || "the header has an invalid shape".to_string();
    let inside = value
        .strip_prefix('(')
        .and_then(|rest| rest.split_once(')'))
        .ok_or_else(unreadable)?
        .0;
    inside
        .split(',')
        .map(str::trim)
        .filter(|size| !size.is_empty())
        .map(|size| size.parse().map_err(|_| unreadable()))
        .collect()
}
