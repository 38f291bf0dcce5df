/// Whether a condition of the operator's holds for a message.
enum Judgement: Equatable {
    /// It does.
    case holds
    /// It does not, however the message is read.
    case fails
    /// It may; the text says why that cannot be told.
    case unclear(String)

    /// Whether both hold.
    func and(_ other: Judgement) -> Judgement {
        switch (self, other) {
        case (.fails, _), (_, .fails): .fails
        case (.unclear, _): self
        case (.holds, _): other
        }
    }
}
