public import CastWire

/// What changed at a virtual device itself, beside the apps that run on it.
public enum ReceiverChange: Hashable, Sendable {
    /// Its volume; level from 0 to 1. What the device does not say is nil.
    case volume(level: Double?, muted: Bool?)
    /// Its screen went to standby, or came back.
    case standby(Bool)
    /// Its screen shows it, or does not: another input, or standby.
    case visibility(Bool)
    /// Its screen shows so many pixels at most from now on.
    case maximumResolution(width: Int, height: Int)
    /// A viewer began to write feedback.
    case feedback

    /// The event's name.
    public var name: String { self.declaration(on: "").name }
}

extension ReceiverChange: EventFamily {
    func declaration(on device: String) -> EventDeclaration {
        func event(_ name: String, @EventBody.Builder _ body: @escaping @Sendable () -> EventBody) -> Event {
            Event(
                name, .log, .virtualDevice(device), mayHaveCause: true, peer: .init(), plugins: .granted(.sender)
            ) {
                body()
                EventField.standsFor
            }
        }
        return switch self {
        case .volume(let level, let muted):
            event("receiver.volume") {
                "The volume of a virtual device has changed"
                EventField.optional("level", level, "The level, from 0 to 1")
                EventField.optional("muted", muted, "Whether it is silent")
            }
        case .standby(let isStandby):
            event("receiver.standby") {
                "The screen of a virtual device went to standby, or came back"
                EventField("standby", isStandby, "Whether it is in standby")
            }
        case .visibility(let isVisible):
            event("receiver.visibility") {
                "The screen of a virtual device shows it, or does not: it shows another input, or is in standby"
                EventField("visible", isVisible, "Whether it is shown")
            }
        case .maximumResolution(let width, let height):
            event("receiver.max_resolution") {
                "The screen of a built-in receiver shows so many pixels at most from now on"
                EventField("width", width, "Pixels of a line")
                EventField("height", height, "Lines")
            }
        case .feedback: event("receiver.feedback") { "A viewer began to write feedback at a built-in receiver" }
        }
    }

    package static let examples: [ReceiverChange] = [
        .volume(level: nil, muted: nil), .standby(false), .visibility(false), .maximumResolution(width: 0, height: 0),
        .feedback,
    ]
}

/// The last that a virtual device said of volume and screen, and what another status changes of it.
public struct ReceiverCondition: Hashable, Sendable {
    private var level: Double?
    private var isMuted: Bool?
    private var isStandby: Bool?
    private var isActiveInput: Bool?

    /// Reads a status.
    public init(_ status: ReceiverStatus) {
        self.level = status.volume?.level
        self.isMuted = status.volume?.muted
        self.isStandby = status.isStandBy
        self.isActiveInput = status.isActiveInput
    }

    /// What a newer condition changes. What one of the two does not say has not changed.
    public func changes(to new: ReceiverCondition) -> [ReceiverChange] {
        var changes: [ReceiverChange] = []
        if Self.differs(self.level, new.level) || Self.differs(self.isMuted, new.isMuted) {
            changes.append(.volume(level: new.level, muted: new.isMuted))
        }
        if let isStandby = new.isStandby, Self.differs(self.isStandby, isStandby) {
            changes.append(.standby(isStandby))
        }
        if let isVisible = new.isVisible, Self.differs(self.isVisible, isVisible) {
            changes.append(.visibility(isVisible))
        }
        return changes
    }

    private var isVisible: Bool? {
        guard let isActiveInput else { return self.isStandby.map { !$0 } }
        return isActiveInput && self.isStandby != true
    }

    private static func differs<Value: Equatable>(_ old: Value?, _ new: Value?) -> Bool {
        guard let old, let new else { return false }
        return old != new
    }
}
