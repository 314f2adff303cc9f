//! States of phones as JSON.

use padwise_features::states::StateInventory;

use crate::Target;

pub(super) const STATES: Target = Target {
    name: "states",
    run,
    words: &[
        "\"kind\":",
        "\"thirds\"",
        "{\"tied\":1500}",
        "\"phones\":[",
        "\"SIL\"",
        "\"tying\":{",
        "\"gain\":",
        "\"questions\":[[",
        "\"trees\":[[",
        "{\"left\":0}",
        "{\"right\":1}",
        "\"leaf\"",
        "65535",
    ],
    repair: None,
    mutations: 6000,
};

fn run(input: &[u8]) {
    let states: StateInventory = match serde_json::from_slice(input) {
        Ok(states) => states,
        Err(error) => return drop(error.to_string()),
    };
    let phones = states.phones().len();
    let some = (0..phones).take(8);
    for phone in some.clone() {
        for (left, right) in some.clone().zip(some.clone().rev()) {
            for class in states.classes(left, phone, right) {
                assert_eq!(states.phone_of(class), phone);
            }
        }
        let _ = states.classes(states.boundary(), phone, usize::MAX);
    }
    let mut labels: Vec<i32> = (-1..9).chain([0, 0, 0, 0, -1]).collect();
    if states.relabel(&mut labels).is_ok() {
        let is_class = |&label: &i32| label == -1 || (0..states.len() as i32).contains(&label);
        assert!(labels.iter().all(is_class), "a label is no class");
    }
    let text = serde_json::to_string(&states).expect("states can be written");
    let again: StateInventory = serde_json::from_str(&text).expect("written states can be read");
    assert_eq!(again, states);
}
