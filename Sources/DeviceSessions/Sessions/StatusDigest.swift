import CastWire
import GatewayCore

/// What of a device's status its sessions tell of when it changes.
struct StatusDigest: Equatable {
    private var level: Double?
    private var muted: Bool?
    private var isActiveInput: Bool?
    private var isStandBy: Bool?

    init(_ status: ReceiverStatus?) {
        self.level = status?.volume?.level
        self.muted = status?.volume?.muted
        self.isActiveInput = status?.isActiveInput
        self.isStandBy = status?.isStandBy
    }

    /// Takes another status.
    /// - Returns: what has changed.
    mutating func update(_ status: ReceiverStatus) -> [CastSessionChange] {
        let new = StatusDigest(status)
        defer { self = new }
        var changes: [CastSessionChange] = []
        if new.level != self.level || new.muted != self.muted {
            changes.append(.volume(level: new.level, muted: new.muted))
        }
        if new.isActiveInput != self.isActiveInput { changes.append(.activeInput(new.isActiveInput)) }
        if new.isStandBy != self.isStandBy { changes.append(.standby(new.isStandBy)) }
        return changes
    }
}
