import GatewayOperations

/// Events of channels of apps: a sender's on a virtual device, and those of the gateway's own sessions.
extension EventCatalogue {
    static let channels: [EventDeclaration] = [
        Self.channel(
            "channel.connected", "An end is connected to an app that lists the namespace",
            [.init("writable", .boolean, "Whether the other end takes what it is sent")]),
        Self.channel(
            "channel.writable",
            "The buffer towards the sender, or the device of the session, is full or has room again",
            [.init("writable", .boolean, "Whether it takes what it is sent")]),
        Self.channel(
            "channel.disconnected", endsResource: true,
            "The connection, the app, or the app's entry for the namespace is gone", [Self.reason]),
    ]

    private static func channel(
        _ name: String, endsResource: Bool = false, _ summary: String, _ members: [OperationResult.Member]
    ) -> EventDeclaration {
        EventDeclaration(
            name, .state(.appChannel), .any, endsResource: endsResource, summary,
            [
                .init("namespace", .text, "The namespace"), .init("app", .text, "The id of the app"),
                .init("session_id", .text, "The device's id of the app's session"),
                .optional("session", .integer, "The gateway's own session that is connected; missing for a sender"),
                .optional("connection", .integer, "The number of the sender's connection in this run of the gateway"),
                .optional("source", .text, "The sender's end"), .optional("sender", .text, "The sender's address"),
            ] + members)
    }
}
