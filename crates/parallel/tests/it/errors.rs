//! Messages of errors.

use std::time::Duration;

use padwise_parallel::Reason;

#[test]
fn reasons_name_the_ranks_at_fault() {
    let deadline = Duration::from_secs(60);
    for (ranks, message) in [
        (
            vec![2],
            "rank 2 did not arrive within 60 s; see the output of that rank, or raise the deadline",
        ),
        (
            vec![1, 2],
            "ranks 1 and 2 did not arrive within 60 s; see the output of those ranks, or raise the deadline",
        ),
        (
            vec![0, 1, 5],
            "ranks 0, 1 and 5 did not arrive within 60 s; see the output of those ranks, or raise the deadline",
        ),
    ] {
        assert_eq!(Reason::Missing { ranks, deadline }.to_string(), message);
    }
    let stalled = Reason::Stalled {
        ranks: vec![3],
        deadline: Duration::from_millis(1500),
    };
    assert_eq!(
        stalled.to_string(),
        "rank 3 arrived, but transferred nothing for 1.5 s; check the network"
    );
}
