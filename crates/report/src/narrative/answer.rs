//! One question about an experiment, with its answer.

/// One question about an experiment, with its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The topic as a noun, for headings: "Memory".
    pub heading: String,
    /// The question, for lists of questions: "How much memory does each strategy need?".
    pub question: String,
    /// The answer, in one sentence or more.
    pub answer: String,
    /// One line per strategy, if the answer needs them.
    pub each: Vec<String>,
}

impl Answer {
    pub(super) fn new(
        heading: impl Into<String>,
        question: impl Into<String>,
        answer: impl Into<String>,
    ) -> Self {
        Answer {
            heading: heading.into(),
            question: question.into(),
            answer: answer.into(),
            each: Vec::new(),
        }
    }

    pub(super) fn with_each(self, each: Vec<String>) -> Self {
        Answer { each, ..self }
    }
}
