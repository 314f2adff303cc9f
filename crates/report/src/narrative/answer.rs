//! A question and what was found.

/// A question and what was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// What one wants to know.
    pub question: String,
    /// A sentence or more.
    pub answer: String,
    /// One sentence for each strategy, where the question is about each.
    pub each: Vec<String>,
}

impl Answer {
    pub(super) fn new(question: impl Into<String>, answer: impl Into<String>) -> Self {
        Answer {
            question: question.into(),
            answer: answer.into(),
            each: Vec::new(),
        }
    }

    pub(super) fn with_each(self, each: Vec<String>) -> Self {
        Answer { each, ..self }
    }
}
