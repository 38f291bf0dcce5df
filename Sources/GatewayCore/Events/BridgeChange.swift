/// What happened to a bridge.
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
    public var name: String {
        switch self {
        case .up: "bridge.up"
        case .down: "bridge.down"
        case .disabled: "bridge.disabled"
        case .overflow: "bridge.overflow"
        case .deadLetter: "bridge.dead_letter"
        }
    }
}
