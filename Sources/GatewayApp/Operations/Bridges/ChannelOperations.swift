import CastWire
import GatewayConfig
import GatewayCore
import GatewayOperations
import MessageBridges
import NamespaceHandlers

/// `channel.test`
struct TestChannel: GatewayOperation {
    struct Input: OperationInput {
        var namespace = ""
        var device: String?
        var json: JSONValue?

        static let keys: [Key] = [
            .required("namespace", \.namespace, .namespace, "The channel", example: "urn:x-cast:com.example.chat"),
            .optional(
                "device", \.device, .text(maximumBytes: 200),
                "The virtual device whose channel is meant; without it those of all", example: "hall"),
            .optional("json", \.json, .json, "What is sent; `{}` without it"),
        ]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "channel.test"
    static let route = OperationRoute(.post, "/channels/test")
    static let scope = OperationScope.admin
    static let reach = OperationReach.gateway
    static let summary = "Sends one message through the bridges of a channel, and tells each step"
    static let details =
        "Back ends get an event of the type `channel.test`, by the code that delivers messages; the broker gets it on the topic `bridge/test`. "
        + "It takes no way through the outbox: nothing waits, and nothing is sent again. No app and no sender gets anything."
    static let result = OperationResult(
        "What came of it",
        [
            .init("fine", .boolean, "Whether every step came out as it has to"),
            .init(
                "steps",
                .list(
                    .object([
                        .init(
                            "bridge", .text,
                            "Which: `webhook:NAME`, `mqtt`, `events`, or `channel` for what the file says"),
                        .init("step", .text, "What was done"), .init("fine", .boolean, "Whether it came out well"),
                        .init("text", .text, "What came of it"),
                        .optional("milliseconds", .number, "How long after the beginning it ended"),
                    ])), "In their order"),
        ])
    static let problems = [OperationProblemCase("unknown_channel", 404, "no channel has the namespace")]

    let bridges: Bridges
    let context: GatewayContext

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let namespace = Namespace(rawValue: input.namespace)
        let channels = self.context.configuration.current.channels.filter { channel in
            guard NamespacePattern(channel.namespace)?.matches(namespace) == true else { return false }
            guard let device = input.device, let devices = channel.devices else { return true }
            return devices.contains { $0.matches(device) }
        }
        guard !channels.isEmpty else {
            throw .missing("unknown_channel", "no channel has the namespace '\(namespace)'")
        }
        let json = input.json ?? [:]
        var steps = channels.map { Self.step("channel", "found", true, "'\($0.namespace)' \($0.words)") }
        let places = channels.flatMap(\.deliver)
        let webhooks = Set(places.compactMap(\.webhook) + channels.compactMap(\.reply?.webhook))
        for name in webhooks.sorted() {
            let made = await self.bridges.test(webhook: name, namespace: namespace, json: json)
            steps +=
                made?.map(Self.step) ?? [Self.step("webhook:\(name)", "webhook", false, "there is no such webhook")]
        }
        if places.contains(where: { $0.mqtt == true }) {
            let made = await self.bridges.testBroker(namespace: namespace, json: json)
            steps += made?.map(Self.step) ?? [Self.step("mqtt", "broker", false, "there is no broker")]
        }
        if places.contains(where: { $0.events == true }) {
            steps.append(Self.step("events", "history", true, "messages are kept in the history of events"))
        }
        return [
            "fine": .bool(steps.allSatisfy { $0.bool("fine") == true }),
            "steps": .array(steps.map { .object($0) }),
        ]
    }

    private static func step(_ step: BridgeTestStep) -> JSONObject {
        var json = Self.step(step.bridge, step.name, step.isFine, step.text)
        json["milliseconds"] = step.milliseconds.map { .number(($0 * 10).rounded() / 10) }
        return json
    }

    private static func step(_ bridge: String, _ name: String, _ isFine: Bool, _ text: String) -> JSONObject {
        ["bridge": .string(bridge), "step": .string(name), "fine": .bool(isFine), "text": .string(text)]
    }
}

extension ChannelConfiguration {
    /// What it does with messages of senders, for people.
    fileprivate var words: String {
        var words: [String] = []
        if let handler { words.append("answers by itself (\(handler.rawValue))") }
        if let reply { words.append("replies by \(Bridges.destination(ofWebhook: reply.webhook))") }
        let places = self.deliver.map {
            $0.webhook.map(Bridges.destination(ofWebhook:)) ?? ($0.mqtt == true ? "mqtt" : "events")
        }
        if !places.isEmpty { words.append("delivers to \(places.joined(separator: ", "))") }
        words.append("accepts \(self.accept.map(\.rawValue).joined(separator: ", "))")
        return words.joined(separator: "; ")
    }
}
