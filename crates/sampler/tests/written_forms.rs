//! The one-line form and the TOML form: valid strategies and error messages.

mod common;

use common::{cases, combinations};
use padwise_sampler::excerpt::is_unprintable;
use padwise_sampler::{ParseStrategyError, Strategy};
use proptest::prelude::*;

fn error(line: &str) -> String {
    match line.parse::<Strategy>() {
        Ok(strategy) => panic!("{line} was read as {strategy}"),
        Err(error) => error.to_string(),
    }
}

/// Every line is a valid strategy in its canonical form.
#[test]
fn the_one_line_form_is_stable() {
    for line in [
        "random,batch=16",
        "sorted,batch=16",
        "alternated:bins=64,batch=16",
        "semi-sorted:lrf=0.1,batch=16",
        "bucketed:width=250,batch=16",
        "bucketed:count=1024,batch=16",
        "bucketed:mxnet,batch=16",
        "bucketed:optimal=6,batch=16",
        "smart,batch=16",
        "random,frames=5000",
        "random,frames=5000,max-items=32",
        "sorted,dynamic=16",
        "sorted,dynamic-overshoot=16,max-items=64",
        "sorted,batch=16,shuffle-batches",
        "sorted,batch=16,shuffle-later",
        "sorted,batch=16,short-first",
        "sorted,batch=16,long-first",
        "random,batch=16,drop-last",
        "bucketed:optimal=6,batch=16,pad=bucket",
        "random,batch=16,pad=multiple:8",
        "random,frames=5000,chunk=50",
        "random,frames=5000,chunk=50,step=25",
        "random,frames=5000,chunk=50,step=25,min-chunk=10",
        "semi-sorted:lrf=0.1,dynamic=16,shuffle-batches",
    ] {
        let strategy: Strategy = line.parse().unwrap_or_else(|e| panic!("{line}: {e}"));
        assert_eq!(strategy.to_string(), line);
    }
}

#[test]
fn options_come_in_any_order_and_the_batch_size_has_a_default() {
    let a: Strategy = "sorted,drop-last,batch=8,shuffle-batches"
        .parse()
        .expect("valid");
    let b: Strategy = " sorted , shuffle-batches, batch=8 ,drop-last"
        .parse()
        .expect("valid");
    assert_eq!(a, b);
    assert_eq!(
        "sorted".parse::<Strategy>().expect("valid").to_string(),
        "sorted,batch=16"
    );
    assert_eq!(
        Strategy::parse("sorted", 4).expect("valid").to_string(),
        "sorted,batch=4"
    );
}

#[test]
fn invalid_lines_have_helpful_errors() {
    let lines = [
        "",
        "random,,batch=4",
        "sotred",
        "sort",
        "bucket:width=250",
        "lhotse",
        "alternated",
        "alternated:bin=4",
        "alternated:bins",
        "random:seed=4",
        "bucketed",
        "bucketed:widht=4",
        "bucketed:mxnet=3",
        "bucketed:optimal",
        "alternated:bins=x",
        "alternated:bins=0",
        "alternated:bins=-3",
        "semi-sorted:lrf=-0.1",
        "semi-sorted:lrf=NaN",
        "semi-sorted:lrf=inf",
        "semi-sorted:lrf=big",
        "bucketed:width=0",
        "bucketed:optimal=0",
        "random,batch=0",
        "random,batch=1.5",
        "random,batch",
        "random,frames=0",
        "random,dynamic=0",
        "random,max-items=4",
        "random,frames=100,max-items=0",
        "random,batch=4,frames=100",
        "random,batch=4,batch=4",
        "random,shuffle-batches,long-first",
        "random,shuffle-later,shuffle-batches",
        "random,shuffle-latter",
        "random,shufle-batches",
        "random,shuffle-batches=yes",
        "random,pad=bucket",
        "random,pad=longest",
        "random,pad=multiple:0",
        "random,chunk=0",
        "random,chunk=10,step=20",
        "random,chunk=10,step=0",
        "random,step=5",
        "random,min-chunk=5",
        "random,chunk=10,min-chunk=11",
        "bucketed:mxnet,frames=500",
        "random,batch=99999999999",
        "random,frames=x",
        "random,frames=18446744073709551616",
        "random,shuffle",
        "random,overshoot=16",
        "random,batchsize=16",
        "random,batch-size=16",
        "random,padding=bucket",
        "semi:lrf=0.1",
    ];
    let errors: Vec<String> = lines
        .iter()
        .map(|line| format!("{line:40} {}", error(line)))
        .collect();
    insta::assert_snapshot!(errors.join("\n"));
}

/// A message never repeats a long or unprintable line in full.
#[test]
fn errors_quote_an_excerpt_of_the_line() {
    for line in [
        "x".repeat(5000),
        format!("sorted,{}", "y".repeat(5000)),
        format!("sorted,batch={}", "9".repeat(5000)),
        format!("sorted:{}=1", "z".repeat(5000)),
        format!("{},,", "w".repeat(5000)),
        format!("sorted,batch=1,frames={}", "1".repeat(15)) + &",".repeat(5000),
        "so\u{1b}[2Jrted".to_owned(),
        "sorted,\u{202e}hctab".to_owned(),
    ] {
        let error = error(&line);
        assert!(error.len() < 1000, "{} bytes", error.len());
        assert!(!error.contains(is_unprintable), "{error:?}");
    }
}

#[cfg(feature = "serde")]
#[test]
fn strategies_in_toml_are_strict_and_errors_have_lines() {
    let errors: Vec<String> = [
        "order = \"random\"",
        "order = \"sotred\"\nbatching = { fixed = { size = 16 } }",
        "order = { alternated = { bin = 64 } }\nbatching = { fixed = { size = 16 } }",
        "order = \"random\"\nbatching = { fixed = { size = -1 } }",
        "order = \"random\"\nbatching = { frames = { budget = 5000, max = 3 } }",
        "order = \"random\"\nbatching = { fixed = { size = 16 } }\nlast = \"drop\"",
    ]
    .iter()
    .map(|text| {
        let error = toml::from_str::<Strategy>(text).expect_err("must be refused");
        error.to_string()
    })
    .collect();
    insta::assert_snapshot!(errors.join("\n"));
}

#[cfg(feature = "serde")]
#[test]
fn the_toml_form() {
    let strategy: Strategy =
        "bucketed:optimal=6,frames=5000,max-items=32,short-first,drop-last,pad=multiple:8,chunk=50,step=25"
            .parse()
            .expect("valid");
    insta::assert_snapshot!(toml::to_string(&strategy).expect("TOML"), @r#"
    last-batch = "drop"
    batch-order = "short-first"

    [items.chunks]
    size = 50
    step = 25

    [order.bucketed]
    optimal = 6

    [batching.frames]
    budget = 5000
    max-items = 32

    [padding]
    multiple = 8
    "#);
    let strategy: Strategy = "bucketed:mxnet,batch=16,pad=bucket".parse().expect("valid");
    insta::assert_snapshot!(toml::to_string(&strategy).expect("TOML"), @r#"
    padding = "bucket"

    [order]
    bucketed = "mxnet"

    [batching.fixed]
    size = 16
    "#);
}

/// Valid and invalid parts of lines.
const TOKENS: &[&str] = &[
    "random",
    "sorted",
    "alternated",
    "semi-sorted",
    "bucketed",
    "smart",
    "bins",
    "lrf",
    "width",
    "count",
    "mxnet",
    "optimal",
    "batch",
    "frames",
    "dynamic",
    "dynamic-overshoot",
    "max-items",
    "shuffle-batches",
    "shuffle-later",
    "short-first",
    "long-first",
    "drop-last",
    "pad",
    "bucket",
    "multiple",
    "chunk",
    "step",
    "min-chunk",
    ",",
    ",",
    ",",
    ":",
    ":",
    "=",
    "=",
    "0",
    "1",
    "8",
    "-1",
    "0.1",
    "1e308",
    "NaN",
    "inf",
    "2147483648",
    "18446744073709551616",
    " ",
    "\t",
    "\u{1b}",
    "é",
    "\u{0}",
];

proptest! {
    #![proptest_config(cases(1500))]

    #[cfg(feature = "serde")]
    #[test]
    fn the_toml_form_reads_back(strategy in combinations()) {
        let toml = toml::to_string(&strategy).expect("TOML");
        prop_assert_eq!(&toml::from_str::<Strategy>(&toml).expect("its own TOML"), &strategy);
    }

    #[test]
    fn the_one_line_form_reads_back(strategy in combinations()) {
        match strategy.to_string().parse::<Strategy>() {
            Ok(read) => prop_assert_eq!(read, strategy),
            Err(ParseStrategyError::Invalid(error)) => prop_assert_eq!(Err(error), strategy.validate()),
            Err(error) => prop_assert!(false, "{strategy}: {error}"),
        }
    }

    #[test]
    fn no_text_makes_the_parser_panic(tokens in prop::collection::vec(prop::sample::select(TOKENS), 0..14)) {
        let text = tokens.concat();
        if let Ok(strategy) = text.parse::<Strategy>() {
            prop_assert_eq!(strategy.to_string().parse::<Strategy>(), Ok(strategy));
        }
    }
}
