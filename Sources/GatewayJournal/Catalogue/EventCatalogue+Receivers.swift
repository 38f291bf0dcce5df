import CastWire
public import GatewayOperations

extension EventCatalogue {
    /// What a sender has said of itself, as events and `senders.list` tell it (``SenderFacts/json``).
    public static let senderFacts: [OperationResult.Member] = [
        .optional("name", .text, "What it calls itself, as phones tell their model"),
        .optional("user_agent", .text, "What its software calls itself"),
        .optional("platform", .word(SenderPlatform.allCases.map(\.word)), "The system that it says it runs on"),
        .optional("system_version", .text, "The version of that system, as it says"),
        .optional("sdk", .integer, "The number of its kind of sender library, as it says; browsers say 2"),
        .optional("sdk_version", .text, "The version of that library, as it says"),
        .optional(
            "connection_type", .integer, "The number of how it says it is connected to the network; 1 is Wi-Fi"),
        .optional("launch_url", .text, "Where the sender app is opened, as it says; few do"),
    ]

    /// What happens at a virtual device itself, beside the apps that run on it.
    static let receivers: [EventDeclaration] = [
        EventDeclaration(
            "receiver.volume", .log, .virtualDevice, "The volume of a virtual device has changed",
            [
                .optional("level", .number, "The level, from 0 to 1"),
                .optional("muted", .boolean, "Whether it is silent"), Self.standsFor,
            ]
        ).caused,
        EventDeclaration(
            "receiver.standby", .log, .virtualDevice, "The screen of a virtual device went to standby, or came back",
            [.init("standby", .boolean, "Whether it is in standby"), Self.standsFor]
        ).caused,
        EventDeclaration(
            "receiver.visibility", .log, .virtualDevice,
            "The screen of a virtual device shows it, or does not: it shows another input, or is in standby",
            [.init("visible", .boolean, "Whether it is shown"), Self.standsFor]
        ).caused,
        EventDeclaration(
            "receiver.max_resolution", .log, .virtualDevice,
            "The screen of a built-in receiver shows so many pixels at most from now on",
            [
                .init("width", .integer, "Pixels of a line"), .init("height", .integer, "Lines"), Self.standsFor,
            ]
        ).caused,
        EventDeclaration(
            "receiver.feedback", .log, .virtualDevice, "A viewer began to write feedback at a built-in receiver",
            [Self.standsFor]
        ).caused,
    ]
}
