//! Ends a process whose parent has died.

use std::io;

/// Starts a thread that ends this process within a second after its parent has died.
///
/// A launcher such as mpirun that is killed by SIGKILL cannot end its ranks, so they have to notice it themselves. Does nothing on
/// systems other than Unix.
///
/// # Errors
///
/// Returns an error if the system cannot start a thread.
pub fn watch_parent() -> io::Result<()> {
    #[cfg(unix)]
    {
        let parent = std::os::unix::process::parent_id();
        std::thread::Builder::new()
            .name("parent watch".to_owned())
            .spawn(move || wait_for_death_of(parent))?;
    }
    Ok(())
}

#[cfg(unix)]
fn wait_for_death_of(parent: u32) {
    // Linux kills even a stopped process. It forgets the signal with the thread that asked for it, so this thread never ends.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
    // For other systems, and for a parent that died before the line above.
    while std::os::unix::process::parent_id() == parent {
        std::thread::sleep(std::time::Duration::from_millis(250));
    }
    std::process::exit(1);
}
