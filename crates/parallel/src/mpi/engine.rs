//! The operations, on the thread that calls MPI.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};

use ferrompi::{MpiDatatype, ThreadLevel};

use super::connection::{Connection, Tag};
use super::{Buffers, Command};
use crate::error::{Operation, ParallelError, Reason};
use crate::mean::{Weights, ordered_sum};

/// Values per block of a mean or sum. Limits the memory for the values of other ranks.
const BLOCK: usize = 1 << 22;

/// Bytes per message of a broadcast. MPI's own limit is 2 GB.
const MESSAGE: usize = 1 << 26;

/// What a rank says when it calls an operation.
#[derive(Clone, Copy)]
struct Arrival {
    /// Number of earlier calls.
    call: u64,
    operation: u64,
    /// Values or bytes that it passes.
    length: u64,
    /// Its weight, as bits.
    weight: u64,
}

impl Arrival {
    const FIELDS: usize = 4;

    fn describe(&self) -> String {
        const NAMED: [Operation; 6] = [
            Operation::Start,
            Operation::Mean,
            Operation::Sum,
            Operation::Broadcast,
            Operation::Gather,
            Operation::Finish,
        ];
        let named = NAMED.iter().find(|&&o| o as u64 == self.operation);
        let name = named.map_or("an unknown operation".to_owned(), Operation::to_string);
        format!("{name} of length {} as call {}", self.length, self.call + 1)
    }
}

/// Starts MPI, sends its rank and size to `ready` and runs commands until [`Operation::Finish`].
pub fn run(
    deadline: Duration,
    commands: Receiver<Command>,
    replies: Sender<Result<Buffers, ParallelError>>,
    polls: Arc<AtomicU64>,
    ready: &Sender<Result<(usize, usize), String>>,
) {
    // Only this thread calls MPI.
    let mpi = match ferrompi::Mpi::init_thread(ThreadLevel::Funneled) {
        Ok(mpi) => mpi,
        Err(error) => {
            let _ = ready.send(Err(error.to_string()));
            return;
        }
    };
    let world = mpi.world();
    let (rank, size) = (world.rank() as usize, world.size() as usize);
    let _ = ready.send(Ok((rank, size)));
    let mut connection = Connection {
        world,
        rank,
        size,
        deadline,
        commands,
        replies,
        polls,
        operation: Operation::Start,
        began: Instant::now(),
    };
    for call in 0.. {
        let (operation, weight, mut buffers) = connection.next_command();
        connection.operation = operation;
        connection.began = Instant::now();
        connection.perform(call, weight, &mut buffers);
        if operation == Operation::Finish {
            // Ends MPI. The launcher now accepts that this process ends.
            drop(mpi);
            let _ = connection.replies.send(Ok(buffers));
            return;
        }
        let _ = connection.replies.send(Ok(buffers));
    }
}

impl Connection {
    fn perform(&self, call: u64, weight: f64, buffers: &mut Buffers) {
        let length = match self.operation {
            Operation::Mean => buffers.floats.len(),
            Operation::Sum => buffers.doubles.len(),
            Operation::Broadcast | Operation::Gather => buffers.bytes.len(),
            Operation::Start | Operation::Finish => 0,
        };
        let arrivals = self.arrive(call, length, weight);
        match self.operation {
            Operation::Mean => {
                let weights: Vec<f64> = arrivals.iter().map(|a| f64::from_bits(a.weight)).collect();
                match Weights::new(&weights) {
                    Ok(weights) => self.combine(&mut buffers.floats, |vectors, out| {
                        if let Err(error) = weights.mean(vectors, out) {
                            self.fail(error.into())
                        }
                    }),
                    Err(error) => self.fail(error.into()),
                }
            }
            Operation::Sum => self.combine(&mut buffers.doubles, ordered_sum),
            Operation::Broadcast => {
                buffers.bytes.resize(arrivals[0].length as usize, 0);
                self.broadcast(&mut buffers.bytes);
            }
            Operation::Gather => self.gather(&arrivals, buffers),
            Operation::Start | Operation::Finish => {}
        }
    }

    /// Tells all ranks that this one has called the operation, and waits until all have called it.
    ///
    /// So the late ranks are known at the deadline, and different calls are found before they exchange anything else.
    fn arrive(&self, call: u64, length: usize, weight: f64) -> Vec<Arrival> {
        let ours = Arrival {
            call,
            operation: self.operation as u64,
            length: length as u64,
            weight: weight.to_bits(),
        };
        let sent = [ours.call, ours.operation, ours.length, ours.weight];
        let mut fields = vec![sent; self.size];
        let sends: Vec<(usize, &[u64])> = self.others().map(|rank| (rank, &sent[..])).collect();
        let receives = fields.iter_mut().map(|fields| &mut fields[..]);
        self.exchange(Tag::Arrival, &sends, self.of_others(receives));
        let read = |[call, operation, length, weight]: [u64; Arrival::FIELDS]| Arrival {
            call,
            operation,
            length,
            weight,
        };
        let arrivals: Vec<Arrival> = fields.into_iter().map(read).collect();
        let same_length = matches!(self.operation, Operation::Mean | Operation::Sum);
        for (rank, theirs) in arrivals.iter().enumerate() {
            if (theirs.call, theirs.operation) != (ours.call, ours.operation)
                || (same_length && theirs.length != ours.length)
            {
                self.fail(Reason::Mismatch {
                    rank,
                    theirs: theirs.describe(),
                    ours: ours.describe(),
                });
            }
        }
        arrivals
    }

    /// Combines the vectors of all ranks in rank order, block by block.
    ///
    /// Every rank combines one slice of a block and sends the result to the others.
    fn combine<T>(&self, values: &mut [T], combine: impl Fn(&[&[T]], &mut [T]))
    where
        T: MpiDatatype + Copy + Default,
    {
        let mut received = vec![Vec::new(); self.size];
        let mut combined = Vec::new();
        for block in values.chunks_mut(BLOCK) {
            let slices: Vec<Range<usize>> = (0..self.size)
                .map(|rank| block.len() * rank / self.size..block.len() * (rank + 1) / self.size)
                .collect();
            let own = slices[self.rank].clone();
            for rank in self.others() {
                received[rank].resize(own.len(), T::default());
            }
            let sends: Vec<(usize, &[T])> = self
                .others()
                .map(|rank| (rank, &block[slices[rank].clone()]))
                .collect();
            let receives = received.iter_mut().map(Vec::as_mut_slice);
            self.exchange(Tag::Data, &sends, self.of_others(receives));

            let mut vectors: Vec<&[T]> = received.iter().map(Vec::as_slice).collect();
            vectors[self.rank] = &block[own.clone()];
            combined.resize(own.len(), T::default());
            combine(&vectors, &mut combined);
            block[own].copy_from_slice(&combined);

            let sends: Vec<(usize, &[T])> =
                self.others().map(|rank| (rank, &combined[..])).collect();
            let mut rest = block;
            let parts = slices.iter().map(|slice| {
                let (part, after) = std::mem::take(&mut rest).split_at_mut(slice.len());
                rest = after;
                part
            });
            self.exchange(Tag::Data, &sends, self.of_others(parts));
        }
    }

    fn broadcast(&self, bytes: &mut [u8]) {
        for bytes in bytes.chunks_mut(MESSAGE) {
            if self.rank == 0 {
                let sends: Vec<(usize, &[u8])> =
                    self.others().map(|rank| (rank, &*bytes)).collect();
                self.exchange(Tag::Data, &sends, Vec::new());
            } else {
                self.exchange(Tag::Data, &[], vec![(0, bytes)]);
            }
        }
    }

    fn gather(&self, arrivals: &[Arrival], buffers: &mut Buffers) {
        buffers.gathered.clear();
        if self.rank > 0 {
            for bytes in buffers.bytes.chunks(MESSAGE) {
                self.exchange(Tag::Data, &[(0, bytes)], Vec::new());
            }
            return;
        }
        buffers.gathered.push(std::mem::take(&mut buffers.bytes));
        for (rank, arrival) in arrivals.iter().enumerate().skip(1) {
            let mut bytes = vec![0; arrival.length as usize];
            for bytes in bytes.chunks_mut(MESSAGE) {
                self.exchange(Tag::Data, &[], vec![(rank, bytes)]);
            }
            buffers.gathered.push(bytes);
        }
    }
}
