//! Writes a report without building the model: `cargo run -p padwise-report --example report -- OUT DIR…` writes the same files as
//! `padwise report DIR… --out OUT`.

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut paths = std::env::args_os().skip(1).map(PathBuf::from);
    let Some(out) = paths.next() else {
        eprintln!("usage: report OUT DIR...   OUT: the folder to write into, DIR: results folders");
        return ExitCode::from(2);
    };
    let folders: Vec<PathBuf> = paths.collect();
    let files = match padwise_report::report::report(&folders, &out) {
        Ok(files) => files,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    for file in files {
        if let Err(error) = file.write() {
            eprintln!("{error}");
            return ExitCode::from(3);
        }
        println!("{}", file.path.display());
    }
    ExitCode::SUCCESS
}
