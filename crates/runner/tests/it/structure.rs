//! The top-level modules of every crate have no import cycles.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The top-level modules that each top-level module imports from.
type Imports = BTreeMap<String, BTreeSet<String>>;

#[test]
fn no_crate_has_a_cycle_of_top_level_modules() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut checked = 0;
    for folder in entries(&crates) {
        let source = folder.join("src");
        if source.is_dir() {
            let cycle = cycle(&imports(&source));
            assert_eq!(cycle, None, "a cycle in {}", folder.display());
            checked += 1;
        }
    }
    assert!(checked >= 7, "only {checked} crates were found");
}

#[test]
fn a_cycle_is_found_through_re_exports_and_parents() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("a file");
    fs::create_dir(folder.path().join("b")).expect("a folder");
    write(
        "lib.rs",
        "mod a;\nmod b;\npub use b::inner::{Thing, Other};\n",
    );
    write("a.rs", "use crate::Thing;\n");
    write("b/mod.rs", "mod inner;\n// crate::a is a comment\n");
    write("b/inner.rs", "pub struct Thing;\npub struct Other;\n");
    assert_eq!(cycle(&imports(folder.path())), None);
    write("b/inner.rs", "use super::super::a::Back;\n");
    let found = cycle(&imports(folder.path())).unwrap_or_default();
    assert_eq!(BTreeSet::from_iter(found), ["a".into(), "b".into()].into());
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    paths
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let (folders, files): (Vec<PathBuf>, _) =
        entries(folder).into_iter().partition(|path| path.is_dir());
    let below = folders.iter().flat_map(|folder| sources(folder));
    below
        .chain(
            files
                .into_iter()
                .filter(|file| file.extension().is_some_and(|kind| kind == "rs")),
        )
        .collect()
}

fn imports(source: &Path) -> Imports {
    let files: Vec<(Vec<String>, String)> = sources(source)
        .iter()
        .map(|file| {
            (
                module_path(source, file),
                code(&fs::read_to_string(file).expect("text")),
            )
        })
        .collect();
    let modules: BTreeSet<String> = files
        .iter()
        .filter_map(|(path, _)| path.first().cloned())
        .collect();
    // An item that lib.rs re-exports belongs to its own module.
    let mut exported: BTreeMap<String, String> = BTreeMap::new();
    for (_, text) in files.iter().filter(|(path, _)| path.is_empty()) {
        for path in text.split("use ").skip(1).flat_map(used_paths) {
            if let (Some(module), Some(name)) = (path.first(), path.last()) {
                exported.insert(name.clone(), module.clone());
            }
        }
    }
    let mut imports = Imports::new();
    for (own, text) in files.iter().filter(|(path, _)| !path.is_empty()) {
        for path in text
            .split("use ")
            .skip(1)
            .flat_map(used_paths)
            .chain(inline_paths(text))
        {
            let Some(target) = absolute(own, &path) else {
                continue;
            };
            let target = exported
                .get(&target)
                .filter(|_| !modules.contains(&target))
                .unwrap_or(&target);
            if modules.contains(target) && *target != own[0] {
                imports
                    .entry(own[0].clone())
                    .or_default()
                    .insert(target.clone());
            }
        }
    }
    imports
}

/// The module path of a file; empty for lib.rs and main.rs.
fn module_path(source: &Path, file: &Path) -> Vec<String> {
    let path = file
        .strip_prefix(source)
        .expect("below the sources")
        .with_extension("");
    let names = path.iter().map(|name| name.to_string_lossy().into_owned());
    names
        .filter(|name| !["mod", "lib", "main"].contains(&name.as_str()))
        .collect()
}

/// The text without comments and without the tests at the end of a file.
fn code(text: &str) -> String {
    let before_tests = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = before_tests
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// The paths of a `use` statement. `after` is the text after the keyword.
fn used_paths(after: &str) -> Vec<Vec<String>> {
    let tree = after.split(';').next().unwrap_or_default();
    let tree: String = tree.replace(" as ", "=").split_whitespace().collect();
    expand(&tree, &[])
}

/// Expands `a::{b, c::d}` to `a::b` and `a::c::d`.
fn expand(tree: &str, before: &[String]) -> Vec<Vec<String>> {
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (at, letter) in tree.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&tree[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&tree[start..]);
    let path = |part: &str| -> Vec<Vec<String>> {
        let (head, inner) = match part.split_once('{') {
            Some((head, rest)) => (head, rest.strip_suffix('}')),
            None => (part, None),
        };
        let names = head
            .split("::")
            .map(|name| name.split('=').next().unwrap_or_default());
        let names = names.filter(|name| !name.is_empty()).map(str::to_owned);
        let path: Vec<String> = before.iter().cloned().chain(names).collect();
        inner.map_or_else(|| vec![path.clone()], |inner| expand(inner, &path))
    };
    parts
        .into_iter()
        .filter(|part| !part.is_empty())
        .flat_map(path)
        .collect()
}

/// Paths outside of `use` statements.
fn inline_paths(text: &str) -> Vec<Vec<String>> {
    let starts = ["crate::", "super::"]
        .iter()
        .flat_map(|start| text.match_indices(start));
    let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    starts
        .filter(|&(at, _)| !text[..at].ends_with(is_path))
        .map(|(at, _)| {
            let end = text[at..]
                .find(|c| !is_path(c))
                .map_or(text.len(), |length| at + length);
            text[at..end].split("::").map(str::to_owned).collect()
        })
        .collect()
}

/// The top-level module of a path that is used in module `own`.
fn absolute(own: &[String], path: &[String]) -> Option<String> {
    let up = path.iter().take_while(|name| *name == "super").count();
    match path.first()?.as_str() {
        "crate" => path.get(1).cloned(),
        "super" if up == own.len() => path.get(up).cloned(),
        _ => None,
    }
}

/// The modules of an import cycle, if there is one.
fn cycle(imports: &Imports) -> Option<Vec<String>> {
    fn visit(
        module: &str,
        imports: &Imports,
        path: &mut Vec<String>,
        done: &mut BTreeSet<String>,
    ) -> Option<Vec<String>> {
        if let Some(at) = path.iter().position(|earlier| earlier == module) {
            return Some(path[at..].to_vec());
        }
        if done.contains(module) {
            return None;
        }
        path.push(module.to_owned());
        let found = imports
            .get(module)
            .into_iter()
            .flatten()
            .find_map(|next| visit(next, imports, path, done));
        path.pop();
        done.insert(module.to_owned());
        found
    }
    let mut done = BTreeSet::new();
    imports
        .keys()
        .find_map(|module| visit(module, imports, &mut Vec::new(), &mut done))
}
