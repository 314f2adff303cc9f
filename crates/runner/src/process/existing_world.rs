//! The coordinator's side of a world that `mpirun` or `srun` started: a connection to its rank 0.
//!
//! An MPI process can join a world only once, but an experiment has many runs. So the ranks stay and train one run after the other, and
//! the coordinator is a separate process. See [`crate::launched`].

use std::env;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::protocol::Task;

/// The variable with the number of ranks and the socket of rank 0, such as `4:/tmp/x/socket`.
const VARIABLE: &str = "PADWISE_WORLD";

/// A world that other processes form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExistingWorld {
    /// Number of ranks.
    pub size: u32,
    /// The socket of rank 0.
    pub socket: PathBuf,
}

/// Commands to rank 0, and its events.
type Connection = (Box<dyn Write + Send>, Box<dyn BufRead>);

impl ExistingWorld {
    /// The world that started this process, if one did.
    pub fn of_environment() -> Result<Option<Self>> {
        env::var(VARIABLE)
            .ok()
            .map(|text| Self::parse(&text))
            .transpose()
    }

    fn parse(text: &str) -> Result<Self> {
        let invalid = || format!("{VARIABLE}={text:?} is not SIZE:SOCKET; unset it");
        let (size, socket) = text.split_once(':').with_context(invalid)?;
        Ok(ExistingWorld {
            size: size.parse().with_context(invalid)?,
            socket: Path::new(socket).into(),
        })
    }

    /// Lets a process find this world.
    pub fn tell(&self, command: &mut Command) {
        let socket = self.socket.display();
        command.env(VARIABLE, format!("{}:{socket}", self.size));
    }

    /// Sends a task to the ranks.
    pub fn send(&self, task: &Task) -> Result<Connection> {
        let mut stream = UnixStream::connect(&self.socket)
            .context("cannot reach the ranks of this world: they have ended")?;
        writeln!(stream, "{}", serde_json::to_string(task)?)?;
        stream.flush()?;
        let events = Box::new(BufReader::new(stream.try_clone()?));
        Ok((Box::new(stream), events))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_is_read_back() {
        let world = ExistingWorld {
            size: 4,
            socket: "/tmp/a:b/socket".into(),
        };
        let mut command = Command::new("true");
        world.tell(&mut command);
        let (_, value) = command.get_envs().next().expect("a variable");
        let value = value.and_then(|value| value.to_str()).expect("text");
        assert_eq!(ExistingWorld::parse(value).expect("valid"), world);
        assert!(ExistingWorld::parse("four:/tmp").is_err());
        assert!(ExistingWorld::parse("4").is_err());
    }
}
