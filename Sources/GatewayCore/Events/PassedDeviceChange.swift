/// What happened at a virtual device whose senders are passed through to a real one.
public enum PassedDeviceChange: Hashable, Sendable {
    /// Senders may be connected from now on, since `senders.during` begins.
    case opened
    /// Senders may not be connected any more, since `senders.during` is over.
    case closed
    /// The gateway stopped an app on the real device.
    case appStopped(SessionFacts, reason: PassedAppStop)
    /// The gateway lowered the volume of the real device; levels from 0 to 1.
    case volumeLowered(from: Double, to: Double)
    /// The gateway has acted so often within a minute that it lets things be for the moment.
    case rulePaused(PassedDeviceRule)

    /// The event's name on every interface.
    public var name: String {
        switch self {
        case .opened: "passthrough.opened"
        case .closed: "passthrough.closed"
        case .appStopped: "passthrough.app_stopped"
        case .volumeLowered: "passthrough.volume_lowered"
        case .rulePaused: "passthrough.rule_paused"
        }
    }
}

/// Why the gateway stopped an app on a device whose senders are passed through. Written as the raw value in events.
public enum PassedAppStop: String, Hashable, Sendable, CaseIterable {
    /// It is none of `apps`.
    case notAllowed = "not_allowed"
    /// `senders.during` is over, and `senders.stop_at_end` asks for it.
    case outsideHours = "outside_hours"
}

/// What the gateway sees to on a device whose senders are passed through. Written as the raw value in events.
public enum PassedDeviceRule: String, Hashable, Sendable, CaseIterable {
    /// Which apps may run, and when.
    case apps
    /// How loud it may be.
    case volume
}
