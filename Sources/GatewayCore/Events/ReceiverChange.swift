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
    public var name: String {
        switch self {
        case .volume: "receiver.volume"
        case .standby: "receiver.standby"
        case .visibility: "receiver.visibility"
        case .maximumResolution: "receiver.max_resolution"
        case .feedback: "receiver.feedback"
        }
    }

    /// What the event says, by the names of the journal and of the plugin wire, which are the same.
    public var json: JSONObject {
        switch self {
        case .volume(let level, let muted):
            JSONObject(
                [("level", level.map { JSONValue.number($0) }), ("muted", muted.map { JSONValue.bool($0) })]
                    .compactMap { name, value in value.map { (name, $0) } })
        case .standby(let isStandby): ["standby": .bool(isStandby)]
        case .visibility(let isVisible): ["visible": .bool(isVisible)]
        case .maximumResolution(let width, let height): ["width": .number(width), "height": .number(height)]
        case .feedback: [:]
        }
    }
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
