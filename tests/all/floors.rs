//! The shape of the source: a file imports only from its own floor and lower ones, and no two modules need each other.
//!
//! The floors are listed in `src/lib.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The floor of each module, as `src/lib.rs` lists them.
fn floors() -> BTreeMap<String, usize> {
    let mut floors = BTreeMap::new();
    let mut floor = None;
    for line in std::fs::read_to_string(source().join("lib.rs")).expect("the map can be read").lines() {
        if let Some(number) = line.strip_prefix("// Floor ") {
            floor = number.split(':').next().and_then(|number| number.parse().ok());
        } else if let Some(module) = line.strip_prefix("pub mod ") {
            let floor = floor.unwrap_or_else(|| panic!("{module} stands on no floor"));
            floors.insert(module.trim_end_matches(';').to_owned(), floor);
        }
    }
    floors
}

/// Every file of the source below a directory.
fn files(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).expect("the source can be listed") {
        let path = entry.expect("the source can be listed").path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The module of the library that a file belongs to; the programs and the map belong to none.
fn module(file: &Path) -> Option<String> {
    let inside = file.strip_prefix(source()).expect("a file of the source");
    let first = Path::new(inside.components().next()?.as_os_str()).with_extension("");
    let name = first.to_str().expect("names are text").to_owned();
    (!["lib", "main", "bin"].contains(&name.as_str())).then_some(name)
}

/// Whether only tests see the file.
fn is_for_tests(file: &Path) -> bool {
    file.file_stem().and_then(|stem| stem.to_str()).is_some_and(|stem| stem == "tests" || stem.ends_with("_tests"))
}

/// The modules that a text names as `crate::module`, without its own tests and comments.
fn imports(text: &str) -> BTreeSet<String> {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let code: String = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    let mut found = BTreeSet::new();
    for rest in code.split("crate::").skip(1) {
        // `use crate::{a::X, b::Y};` names several.
        let names: Vec<&str> = match rest.strip_prefix('{') {
            Some(group) => group.split('}').next().unwrap_or_default().split(',').collect(),
            None => vec![rest],
        };
        for name in names {
            let word: String =
                name.trim_start().chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
            found.insert(word);
        }
    }
    found
}

/// What each module imports.
fn graph() -> BTreeMap<String, BTreeSet<String>> {
    let floors = floors();
    let mut all = Vec::new();
    files(&source(), &mut all);
    let mut graph: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in all.iter().filter(|file| !is_for_tests(file)) {
        if let Some(module) = module(file) {
            let text = std::fs::read_to_string(file).expect("the source can be read");
            let mut others = imports(&text);
            others.retain(|name| *name != module && floors.contains_key(name));
            graph.entry(module).or_default().extend(others);
        }
    }
    graph
}

#[test]
fn every_module_stands_on_a_floor() {
    let floors = floors();
    assert!(floors.len() > 20, "{floors:?}");
    for module in graph().keys() {
        assert!(floors.contains_key(module), "{module} is not in src/lib.rs");
    }
}

#[test]
fn nothing_is_imported_from_a_higher_floor() {
    let floors = floors();
    let mut wrong = Vec::new();
    for (module, imports) in graph() {
        for import in imports.iter().filter(|import| floors[*import] > floors[&module]) {
            wrong.push(format!("{module} (floor {}) imports {import} (floor {})", floors[&module], floors[import]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_two_modules_need_each_other() {
    // Taking away what needs nothing that is left ends with nothing, unless there is a circle.
    let mut graph = graph();
    loop {
        let free: Vec<String> =
            graph.iter().filter(|(_, imports)| imports.is_empty()).map(|(module, _)| module.clone()).collect();
        if free.is_empty() {
            break;
        }
        free.iter().for_each(|module| drop(graph.remove(module)));
        graph.values_mut().for_each(|imports| imports.retain(|import| !free.contains(import)));
    }
    assert!(graph.is_empty(), "{graph:?}");
}

#[test]
fn every_file_says_what_it_is_and_is_not_long() {
    let mut all = Vec::new();
    files(&source(), &mut all);
    for file in all {
        let text = std::fs::read_to_string(&file).expect("the source can be read");
        assert!(text.starts_with("//! "), "{} does not say what it is", file.display());
        assert!(text.lines().count() <= 450, "{} has {} lines", file.display(), text.lines().count());
    }
}

#[test]
fn unsafe_code_stands_only_beside_the_kernel_and_in_the_program() {
    let mut all = Vec::new();
    files(&source(), &mut all);
    for file in all.iter().filter(|file| !file.starts_with(source().join("sys")) && !is_for_tests(file)) {
        let text = std::fs::read_to_string(file).expect("the source can be read");
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let entry = file.ends_with("main.rs") || file.starts_with(source().join("bin"));
        assert!(entry || !code.contains("unsafe {"), "{}", file.display());
    }
}
