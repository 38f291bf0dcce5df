import CastWire

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
    public var name: String { self.declaration(on: "").name }
}

extension PassedDeviceChange: EventFamily {
    func declaration(on device: String) -> EventDeclaration {
        switch self {
        case .opened:
            Event("passthrough.opened", .log, .virtualDevice(device)) {
                "Senders may be connected from now on, since a time of `senders.during` begins"
            }
        case .closed:
            Event("passthrough.closed", .log, .virtualDevice(device)) {
                "Senders may not be connected any more, since no time of `senders.during` holds"
            }
        case .appStopped(let app, let reason):
            Event("passthrough.app_stopped", .log, .virtualDevice(device)) {
                "The gateway stopped an app on the real device, as the rules of the virtual one say"
                EventField("app", app.appID.rawValue, "The app")
                EventField("session_id", app.sessionID, "Its session")
                EventField("display_name", app.displayName, "Its name")
                EventField("reason", reason, "Why")
            }
        case .volumeLowered(let from, let to):
            Event("passthrough.volume_lowered", .log, .virtualDevice(device)) {
                "The gateway lowered the volume of the real device to `volume.max`"
                EventField("level", from, "The level that the device had, from 0 to 1")
                EventField("max", to, "The level that it was given")
            }
        case .rulePaused(let rule):
            Event("passthrough.rule_paused", .log, .virtualDevice(device)) {
                "The gateway has acted so often within a minute that it lets things be for the moment"
                EventField("rule", rule, "What it sees to")
            }
        }
    }

    package static let examples: [PassedDeviceChange] = [
        .opened, .closed, .appStopped(.blank, reason: .notAllowed), .volumeLowered(from: 0, to: 0), .rulePaused(.apps),
    ]
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
