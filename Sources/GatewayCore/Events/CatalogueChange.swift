/// What happened to a catalogue.
public enum CatalogueChange: Hashable, Sendable {
    /// Its list was read for the first time, after a failure, or with other items than before; so many are in it.
    case read(items: Int)
    /// Its list could not be read; one that was read before stays in use. The status is nil where no answer was the reason.
    case failed(code: String, reason: String, status: Int? = nil)

    /// The event's name on every interface.
    public var name: String {
        switch self {
        case .read: "catalogue.read"
        case .failed: "catalogue.failed"
        }
    }
}
