//! The blocks of text in README.md are what the programs say: docs/shots makes them, this compares, RETRY_BLESS=1 writes.

use std::path::Path;

use crate::harness::Place;

#[test]
fn the_texts_in_the_readme_are_what_the_programs_say() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("README.md")).expect("it is there");
    let place = Place::new();
    let mut made = String::new();
    let mut rest = readme.as_str();
    let mut shots = 0;
    while let Some(at) = rest.find("<!-- shot ") {
        let head = &rest[at..];
        let name = head["<!-- shot ".len()..].split(' ').next().expect("a shot has a name");
        let open = head.find("```console\n").expect("a block follows") + "```console\n".len();
        let close = open + head[open..].find("```").expect("the block ends");
        let ended = place.program(root.join("docs/shots"), [name]).run();
        assert_eq!((ended.code(), ended.err().as_str()), (0, ""), "docs/shots {name}");
        made.push_str(&rest[..at + open]);
        made.push_str(&ended.out());
        rest = &head[close..];
        shots += 1;
    }
    made.push_str(rest);
    assert!(shots > 0, "README.md has no block of text");
    if std::env::var_os("RETRY_BLESS").is_some() {
        std::fs::write(root.join("README.md"), &made).expect("it can be written");
    } else {
        assert!(made == readme, "README.md is not what the programs say; RETRY_BLESS=1 writes it anew:\n{made}");
    }
}

#[test]
fn what_the_texts_link_to_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let texts =
        ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md", "examples/README.md", "docs/guide.md"];
    let mut count = 0;
    for name in texts {
        let text = std::fs::read_to_string(root.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if link.contains("://") || link.starts_with('#') {
                continue;
            }
            let target = root.join(name).parent().expect("it stands in a directory").join(link);
            assert!(target.exists(), "{name} links to {link}, which is not there");
            count += 1;
        }
    }
    assert!(count > 10, "only {count} links were found");
}
