/// A change of a bridge.
public enum BridgeChange: Hashable, Sendable {
    /// It can be reached again, and what waits is on its way.
    case up
    /// It cannot be reached; messages wait.
    case down(reason: String)
    /// It wants nothing any more, and messages wait until it is resumed.
    case disabled(reason: String)
    /// So many messages were not taken since the last such event, since too much waits.
    case overflow(count: Int)
    /// A message was given up.
    case deadLetter(id: String, type: String, device: String?, reason: String)

    /// The event's name on every interface.
    public var name: String { self.declaration(of: "").name }
}

extension BridgeChange: EventFamily {
    func declaration(of bridge: String) -> EventDeclaration {
        func event(_ name: String, @EventBody.Builder _ body: @escaping @Sendable () -> EventBody) -> Event {
            Event(name, .log, .gateway) {
                body().after([
                    EventField("bridge", bridge, "Which: `mqtt`, `webhook:NAME`, or `app` for messages to apps")
                ])
            }
        }
        return switch self {
        case .up: event("bridge.up") { "A bridge can be reached again, and what waits is on its way" }
        case .down(let reason):
            event("bridge.down") {
                "A bridge cannot be reached; messages for it wait"
                EventField.reason(reason)
            }
        case .disabled(let reason):
            event("bridge.disabled") {
                "A bridge wants nothing any more (HTTP 410); messages wait until `bridge.resume`"
                EventField.reason(reason)
            }
        case .overflow(let count):
            event("bridge.overflow") {
                "Messages for a bridge were not taken, since too much waits for it"
                EventField("count", count, "How many since the last such event")
            }
        case .deadLetter(let id, let type, let device, let reason):
            event("bridge.dead_letter") {
                "A message was given up, and is kept as a dead letter"
                EventField("id", id, "Its id, as `outbox.list` has it")
                EventField("type", type, "What it is")
                EventField.optional("message_device", device, "The device that it is about")
                EventField.reason(reason)
            }
        }
    }

    package static let examples: [BridgeChange] = [
        .up, .down(reason: ""), .disabled(reason: ""), .overflow(count: 0),
        .deadLetter(id: "", type: "", device: nil, reason: ""),
    ]
}
