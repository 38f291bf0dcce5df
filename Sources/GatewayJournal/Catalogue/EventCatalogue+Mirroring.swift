import GatewayCore
import GatewayOperations

/// Events of the streams of mirroring senders.
extension EventCatalogue {
    static let mirroring: [EventDeclaration] = [
        EventDeclaration(
            "mirroring.started", .log, .virtualDevice,
            "The stream of a mirroring sender is carried to the device from now on", Self.stream),
        EventDeclaration(
            "mirroring.ended", .log, .virtualDevice, "The stream of a mirroring sender is carried no more",
            Self.stream + [
                .init("reason", .word(MirroringEnd.allCases.map(\.rawValue)), "Why"),
                .init("packets", .integer, "How many datagrams passed, both ways"),
                .init("bytes", .integer, "Their content in bytes"),
                .init("dropped", .integer, "How many datagrams did not pass"),
                .init("drops", .map(.integer), "The same by reason; a reason that no datagram had is missing"),
            ]),
        EventDeclaration(
            "mirroring.refused", .log, .virtualDevice,
            "A stream cannot be carried: the device agreed on it and the sender was told so, or a sender that is passed through began it",
            [
                .optional("sender", .text, "The sender's address"), .optional("app", .text, "The app"),
                .optional("session_id", .text, "The app's session"), .init("reason", .text, "Why"),
            ]),
    ]

    private static let stream: [OperationResult.Member] = [
        .init("connection", .integer, "The number of the sender's channel"),
        .init("sender", .text, "The sender's address"), .optional("app", .text, "The app that shows it"),
        .optional("session_id", .text, "The app's session"),
        .init("port", .integer, "The UDP port of the gateway that the sender sends to"),
        .init("device_port", .integer, "The UDP port of the device"),
    ]
}
