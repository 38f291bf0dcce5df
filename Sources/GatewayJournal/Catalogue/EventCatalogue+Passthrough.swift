import GatewayCore
import GatewayOperations

/// Events of virtual devices whose senders are passed through.
extension EventCatalogue {
    static let passthrough: [EventDeclaration] = [
        EventDeclaration(
            "passthrough.opened", .log, .virtualDevice,
            "Senders may be connected from now on, since a time of `senders.during` begins", []),
        EventDeclaration(
            "passthrough.closed", .log, .virtualDevice,
            "Senders may not be connected any more, since no time of `senders.during` holds", []),
        EventDeclaration(
            "passthrough.app_stopped", .log, .virtualDevice,
            "The gateway stopped an app on the real device, as the rules of the virtual one say",
            [
                .init("app", .text, "The app"), .init("session_id", .text, "Its session"),
                .init("display_name", .text, "Its name"),
                .init("reason", .word(PassedAppStop.allCases.map(\.rawValue)), "Why"),
            ]),
        EventDeclaration(
            "passthrough.volume_lowered", .log, .virtualDevice,
            "The gateway lowered the volume of the real device to `volume.max`",
            [
                .init("level", .number, "The level that the device had, from 0 to 1"),
                .init("max", .number, "The level that it was given"),
            ]),
        EventDeclaration(
            "passthrough.rule_paused", .log, .virtualDevice,
            "The gateway has acted so often within a minute that it lets things be for the moment",
            [.init("rule", .word(PassedDeviceRule.allCases.map(\.rawValue)), "What it sees to")]),
    ]
}
