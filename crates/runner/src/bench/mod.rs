//! What `padwise bench epoch` measures: an epoch against its bare training steps, and single steps against their size.

pub mod epoch_overhead;
pub mod step_times;
