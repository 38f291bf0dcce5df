package import CastWire
import FeatureContract
import GatewayConfig
import GatewayCore
package import GatewayOperations
import GatewaySettings
package import MessageBridges
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
    static let result = ChannelTestResult.result("What came of it")
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
        var steps = channels.map { channel in
            BridgeTestStep(
                bridge: "channel", name: "found", isFine: true, text: "'\(channel.namespace)' \(channel.words)")
        }
        let places = channels.flatMap(\.deliver)
        let webhooks = Set(places.compactMap(\.webhook) + channels.compactMap(\.reply?.webhook))
        for name in webhooks.sorted() {
            let made = await self.bridges.test(webhook: name, namespace: namespace, json: json)
            steps +=
                made ?? [
                    BridgeTestStep(
                        bridge: "webhook:\(name)", name: "webhook", isFine: false, text: "there is no such webhook")
                ]
        }
        if places.contains(where: { $0.mqtt == true }) {
            let made = await self.bridges.testBroker(namespace: namespace, json: json)
            steps +=
                made ?? [BridgeTestStep(bridge: "mqtt", name: "broker", isFine: false, text: "there is no broker")]
        }
        if places.contains(where: { $0.events == true }) {
            steps.append(
                BridgeTestStep(
                    bridge: "events", name: "history", isFine: true, text: "messages are kept in the history of events")
            )
        }
        return ChannelTestResult.json(steps)
    }
}

/// The steps of a message through the bridges of a channel.
package struct ChannelTestResult: ResultRecord {
    package typealias Source = [BridgeTestStep]

    package let isFine = Field("fine", "Whether every step came out as it has to") { $0.allSatisfy(\.isFine) }
    package let steps = Field("steps", listOf: BridgeTestStepResult.self, "In their order") { $0 }

    package static let layout = ResultLayout(ChannelTestResult())
}

/// One step of a message through a bridge.
package struct BridgeTestStepResult: ResultRecord {
    package typealias Source = BridgeTestStep

    package let bridge = Field(
        "bridge", "Which: `webhook:NAME`, `mqtt`, `events`, or `channel` for what the file says"
    ) { $0.bridge }
    package let name = Field("step", "What was done") { $0.name }
    package let isFine = Field("fine", "Whether it came out well") { $0.isFine }
    package let text = Field("text", "What came of it") { $0.text }
    package let milliseconds = Field.optional("milliseconds", "How long after the beginning it ended") {
        $0.milliseconds.map { ($0 * 10).rounded() / 10 }
    }

    package static let layout = ResultLayout(BridgeTestStepResult())
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
