//! Device profiles as JSON.

use std::ops::ControlFlow;

use padwise_recommend::cost::DeviceProfile;
use padwise_recommend::{Advice, Request, search};

use crate::Target;

pub(super) const PROFILE: Target = Target {
    name: "profile",
    run,
    words: &[
        "\"device\":",
        "\"cost\":{",
        "\"sizes\":[",
        "\"items\":",
        "\"frame_seconds\":",
        "\"memory\":{",
        "\"objective\":\"ctc\"",
        "1e308",
        "-1",
        "18446744073709551615",
    ],
    repair: None,
    mutations: 3000,
};

fn run(input: &[u8]) {
    let profile = match DeviceProfile::parse(input) {
        Ok(profile) => profile,
        Err(error) => return drop(error.to_string()),
    };
    drop(profile.description());
    let lengths = [10, 20, 400, 30, 77, 5];
    let request = Request::new(&lengths, &profile.cost, 2);
    match search(&request, &mut |_, _| ControlFlow::Continue(())) {
        Ok(found) => drop(Advice::new(&found)),
        Err(error) => drop(error.to_string()),
    }
}
