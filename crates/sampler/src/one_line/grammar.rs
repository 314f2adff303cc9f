//! The description of the one-line form that help texts print.

/// The one-line form of a strategy in plain text, at most 100 columns wide: every order and option, with examples.
///
/// Print it in the help text of a command that takes strategies.
///
#[doc = concat!("```text\n", include_str!("grammar.txt"), "```")]
pub const GRAMMAR: &str = include_str!("grammar.txt");

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::options::OPTIONS;
    use super::super::parse::ORDERS;
    use super::GRAMMAR;
    use crate::strategy::Strategy;

    /// The first word of every line that describes an order or an option.
    fn entries() -> Vec<&'static str> {
        let lines = GRAMMAR.lines().filter_map(|line| line.strip_prefix("  "));
        let described = lines.filter(|line| !line.starts_with(' ') && line.contains("  "));
        described
            .filter_map(|line| line.split_whitespace().next())
            .collect()
    }

    #[test]
    fn the_grammar_describes_exactly_what_the_parser_accepts() {
        let name = |entry: &'static str| entry.split('=').next().expect("a name");
        let mut described: Vec<&str> = entries().into_iter().map(name).collect();
        described.sort_unstable();
        described.dedup();
        let orders = ORDERS.iter().flat_map(|&(order, parameters, _)| {
            let with = move |parameter: &&str| format!("{order}:{parameter}");
            let alone = parameters.is_empty().then(|| order.to_string());
            alone.into_iter().chain(parameters.iter().map(with))
        });
        let options = OPTIONS.iter().map(|(usage, _)| usage.split('=').next());
        let options = options.map(|name| name.expect("a name").to_string());
        let accepted: BTreeSet<String> = orders.chain(options).collect();
        assert_eq!(described, Vec::from_iter(&accepted));
    }

    #[test]
    fn every_example_of_the_grammar_is_a_strategy() {
        let inline = GRAMMAR.split("e.g. ").skip(1);
        let inline = inline.filter_map(|text| text.split(')').next());
        let examples = GRAMMAR.lines().skip(4).take_while(|line| !line.is_empty());
        let lines: Vec<&str> = examples.map(str::trim).chain(inline).collect();
        assert_eq!(lines.len(), 16, "{lines:?}");
        for line in lines {
            let is_order = ORDERS.iter().any(|(order, ..)| line.starts_with(order));
            let strategy = if is_order {
                line.to_string()
            } else {
                format!("random,{line}")
            };
            strategy
                .parse::<Strategy>()
                .unwrap_or_else(|error| panic!("{line}: {error}"));
        }
    }

    #[test]
    fn the_grammar_fits_into_a_terminal() {
        assert!(GRAMMAR.lines().all(|line| line.chars().count() <= 100));
    }
}
