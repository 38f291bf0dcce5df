/// What a broken receiver might do: shows that the checks of sequences can fail.
package enum Sabotage: Sendable, CaseIterable {
    /// Leaves every third request unanswered.
    case silence
    /// Gives every third answer twice.
    case repetition
    /// Gives answers to the other sender.
    case mixUp
    /// Answers in the name of another end.
    case falseSource
    /// Does not notice that a sender is gone.
    case forgottenLoss
    /// Does not notice that a virtual connection is closed.
    case forgottenClose
}
