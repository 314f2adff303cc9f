//! Every example prints what its documentation shows.

use std::path::Path;
use std::process::Command;

#[test]
fn examples_print_their_documented_output() {
    for name in ["data_loader", "sharding", "streaming"] {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("examples/{name}.rs"));
        let source = std::fs::read_to_string(source).expect("an example");
        let block = source.split("//! ```text\n").nth(1).expect("a text block");
        let block = block.split("//! ```\n").next().expect("its end");
        let expected: String = block.lines().map(|l| format!("{}\n", &l[4..])).collect();

        // `cargo test` builds examples next to the tests; `cargo test --test examples` does not.
        let tests = std::env::current_exe().expect("a path");
        let target = tests.ancestors().nth(2).expect("a target folder");
        let example = target.join("examples").join(name);
        if !example.exists() {
            println!("SKIPPED {name}: it is not built; run `cargo test`");
            continue;
        }
        let output = Command::new(example)
            .output()
            .expect("an example that runs");
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{name}");
    }
}
