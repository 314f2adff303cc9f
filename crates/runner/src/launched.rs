//! Runs an experiment in a world that `mpirun` or `srun` started, one process per worker.
//!
//! Every rank stays for the whole experiment and trains one run after the other. Rank 0 also starts the coordinator, which is the same
//! command in a process outside the world. It sends tasks to rank 0 through a socket, and rank 0 passes them on to all ranks.

use std::io::{BufRead, BufReader, ErrorKind};
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use padwise_parallel::{Launch, join};

use crate::process::existing_world::ExistingWorld;
use crate::process::own_program;
use crate::process::protocol::{STOP, Task, send_events_to};
use crate::worker::{Team, train_in_team};

/// Time between two looks for a task or the end of the coordinator.
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// Variables of launchers. The coordinator must not take part in the world.
const LAUNCH_PREFIXES: [&str; 5] = ["OMPI_", "PMIX_", "PMI_", "PRTE_", "SLURM_"];
const LAUNCH_VARIABLES: [&str; 3] = ["RANK", "WORLD_SIZE", "LOCAL_RANK"];

/// Joins the world and trains until the coordinator ends. Returns its exit code, and 0 on other ranks than 0.
pub fn run(launch: &Launch, deadline: Duration) -> Result<i32> {
    let _ = ctrlc::set_handler(|| {});
    let world = join(launch, Team::operation_deadline(deadline))?;
    let mut team = Team::member(world, deadline);
    let served = if team.leads() {
        lead(&mut team)
    } else {
        follow(&mut team).map(|()| 0)
    };
    match served {
        Ok(code) => {
            team.finish()?;
            Ok(code)
        }
        Err(error) => {
            crate::terminal::say(format!("rank {}: {error:#}", team.own().start));
            team.abort(3)
        }
    }
}

/// Trains what rank 0 passes on, until it passes on nothing.
fn follow(team: &mut Team) -> Result<()> {
    loop {
        team.wait_for_all()?;
        let text = team.broadcast(String::new())?;
        if text.is_empty() {
            return Ok(());
        }
        // Only rank 0 is asked to stop, and it then ends all ranks.
        train(&text, &Arc::default(), team)?;
    }
}

/// Starts the coordinator and passes on its tasks. Returns its exit code.
fn lead(team: &mut Team) -> Result<i32> {
    let folder = SocketFolder::new()?;
    let world = ExistingWorld {
        size: u32::try_from(team.size())?,
        socket: folder.0.join("socket"),
    };
    let listener = UnixListener::bind(&world.socket).context("cannot create a socket")?;
    listener.set_nonblocking(true)?;
    let mut coordinator = start_coordinator(&world)?;
    loop {
        if let Some(status) = coordinator.try_wait()? {
            team.wait_for_all()?;
            team.broadcast(String::new())?;
            return Ok(status.code().unwrap_or(3));
        }
        match listener.accept() {
            Ok((stream, _)) => {
                if !serve(stream, team)? {
                    // The coordinator tells the user how to resume.
                    let status = coordinator.wait()?;
                    team.abort(status.code().unwrap_or(3));
                }
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                team.alive()?;
                std::thread::sleep(BETWEEN_LOOKS);
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// Passes on the task of a connection and trains it. Returns false if the coordinator asked to stop.
fn serve(stream: UnixStream, team: &mut Team) -> Result<bool> {
    stream.set_nonblocking(false)?;
    let mut commands = BufReader::new(stream.try_clone()?);
    let mut text = String::new();
    commands.read_line(&mut text)?;
    if text.trim().is_empty() {
        return Ok(true);
    }
    team.wait_for_all()?;
    let text = team.broadcast(text)?;
    let stop = Arc::new(AtomicBool::new(false));
    let asked = stop.clone();
    // Ends when either side closes the connection.
    std::thread::spawn(move || {
        for line in commands.lines().map_while(Result::ok) {
            if line.trim() == STOP {
                asked.store(true, Ordering::Relaxed);
            }
        }
    });
    let closing = stream.try_clone()?;
    send_events_to(Some(Box::new(stream)));
    let trained = train(&text, &stop, team);
    send_events_to(None);
    let _ = closing.shutdown(std::net::Shutdown::Both);
    trained
}

fn train(text: &str, stop: &Arc<AtomicBool>, team: &mut Team) -> Result<bool> {
    match serde_json::from_str(text)? {
        Task::Train(job) => train_in_team(&job, stop, team),
        Task::Probe(_) => anyhow::bail!("a step is probed in one process only"),
    }
}

/// Starts the command of this process again, outside the world.
fn start_coordinator(world: &ExistingWorld) -> Result<Child> {
    let mut command = Command::new(own_program()?);
    command.args(std::env::args_os().skip(1));
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        let is_launch = LAUNCH_PREFIXES
            .iter()
            .any(|prefix| text.starts_with(prefix))
            || LAUNCH_VARIABLES.contains(&text.as_ref());
        if is_launch {
            command.env_remove(&name);
        }
    }
    world.tell(&mut command);
    command.stdin(Stdio::null());
    command.spawn().context("cannot start the coordinator")
}

/// A folder for the socket, which only this user can read.
struct SocketFolder(std::path::PathBuf);

impl SocketFolder {
    fn new() -> Result<Self> {
        use std::os::unix::fs::DirBuilderExt;
        let name = format!("padwise-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::DirBuilder::new()
            .mode(0o700)
            .create(&path)
            .with_context(|| format!("cannot create {}", path.display()))?;
        Ok(SocketFolder(path))
    }
}

impl Drop for SocketFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
