//! Processes that a run has started, found by their parents, so that tests at the same time do not disturb each other.

use std::fs;
use std::process::Command;

/// A process, and when it started: a later process may get its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    pub id: u32,
    /// The command line.
    pub command: String,
    started: String,
}

/// The state, parent and start of a process.
fn stat(id: u32) -> Option<(String, u32, String)> {
    let text = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name in parentheses may contain spaces.
    let (_, rest) = text.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split(' ').collect();
    let parent = fields.get(1)?.parse().ok()?;
    Some((fields[0].to_owned(), parent, (*fields.get(19)?).to_owned()))
}

/// All living processes below a process.
pub fn descendants(ancestor: u32) -> Vec<Process> {
    let mut all = Vec::new();
    for entry in fs::read_dir("/proc").expect("/proc").flatten() {
        let Ok(id) = entry.file_name().to_string_lossy().parse::<u32>() else {
            continue;
        };
        if let Some((state, parent, started)) = stat(id)
            && state != "Z"
        {
            let command = fs::read_to_string(format!("/proc/{id}/cmdline")).unwrap_or_default();
            let command = command.replace('\0', " ");
            all.push((
                parent,
                Process {
                    id,
                    command,
                    started,
                },
            ));
        }
    }
    let mut found: Vec<Process> = Vec::new();
    let mut at = 0;
    let mut parent = ancestor;
    loop {
        let children = all.iter().filter(|(above, _)| *above == parent);
        found.extend(children.map(|(_, process)| process.clone()));
        let Some(next) = found.get(at) else {
            return found;
        };
        parent = next.id;
        at += 1;
    }
}

/// Whether a process has ended. A zombie has: the first process of a container may not reap others.
pub fn has_ended(process: &Process) -> bool {
    stat(process.id).is_none_or(|(state, _, started)| state == "Z" || started != process.started)
}

/// The number of a worker among the MPI processes, if it is one.
pub fn rank(process: &Process) -> Option<usize> {
    let environment = fs::read(format!("/proc/{}/environ", process.id)).ok()?;
    let mut variables = environment.split(|&byte| byte == 0);
    let rank = variables.find_map(|variable| variable.strip_prefix(b"OMPI_COMM_WORLD_RANK="))?;
    std::str::from_utf8(rank).ok()?.parse().ok()
}

/// Sends a signal to a process.
pub fn send(signal: &str, process: u32) {
    // It fails if the process has just ended.
    let _ = Command::new("kill")
        .args([signal, &process.to_string()])
        .status();
}

/// Sends a signal to all processes of a group, as a terminal does.
pub fn send_to_group(signal: &str, group: u32) {
    let status = Command::new("kill")
        .args([signal, "--", &format!("-{group}")])
        .status();
    assert!(status.expect("kill").success(), "no group {group}");
}
