/// A change of a catalogue.
public enum CatalogueChange: Hashable, Sendable {
    /// Its list was read for the first time, after a failure, or with other items than before; so many are in it.
    case read(items: Int)
    /// Its list could not be read; one that was read before stays in use. The status is nil where no answer was the reason.
    case failed(code: String, reason: String, status: Int? = nil)

    /// The event's name on every interface.
    public var name: String { self.declaration(of: "").name }
}

extension CatalogueChange: EventFamily {
    func declaration(of catalogue: String) -> EventDeclaration {
        switch self {
        case .read(let items):
            Event("catalogue.read", .log, .gateway) {
                "A list of videos was read: for the first time, after a failure, or with other items than before"
                EventField("catalogue", catalogue, "The name of the list")
                EventField("items", items, "How many items are in it")
            }
        case .failed(let code, let reason, let status):
            Event("catalogue.failed", .log, .gateway) {
                "A list of videos could not be read; one that was read before stays in use"
                EventField("catalogue", catalogue, "The name of the list")
                EventField(
                    "code", code,
                    "What went wrong: `http_status`, `malformed`, `too_large`, `timeout`, `unreachable`, `refused_address`, `redirect` "
                        + "or `file`")
                EventField.reason(reason)
                EventField.optional("status", status, "The HTTP status, when it was not 200")
            }
        }
    }

    package static let examples: [CatalogueChange] = [.read(items: 0), .failed(code: "", reason: "")]
}
