import CastWire
import FeatureContract
import GatewayConfig
import GatewayCore
package import GatewayOperations
import GatewaySettings
import HandlerKit
import NamespaceHandlers
import PluginHosting
import VirtualDevices

/// `route.explain`
struct ExplainRoute: GatewayOperation {
    struct Input: OperationInput {
        /// Which way a message travels.
        enum Direction: String, Sendable, CaseIterable {
            case toReceiver = "to_receiver"
            case toSender = "to_sender"

            var messageDirection: MessageDirection { self == .toReceiver ? .toReceiver : .toSender }
        }

        var device = DeviceReference("")
        var namespace = ""
        var type: String?
        var direction = Direction.toReceiver

        static let keys: [Key] = [
            .virtualDevice(\.device),
            .required(
                "namespace", \.namespace, .namespace, "The message's namespace",
                example: "urn:x-cast:com.google.cast.media"),
            .optional(
                "type", \.type, .text(maximumBytes: 256), "The message's type; without it every type is explained",
                example: "LOAD"),
            Key("direction", \.direction, .word, "Which way the message travels"),
        ]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "route.explain"
    static let route = OperationRoute(.get, "/virtual-devices/{device}/route")
    static let scope = OperationScope.read
    static let reach = OperationReach.device
    static let summary = "Says who is asked about a message of a virtual device, in order"
    static let details =
        "It is what `castway route explain` says of the file, for the handlers that run: those that are switched off, and what plugins have "
        + "claimed, count as they are now."
    static let result = RouteResult.result("The steps")
    static let problems = DeviceProblem.virtual

    /// Finds the device.
    let resolver: DeviceResolver
    /// Knows the handlers.
    let context: GatewayContext

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let name = try self.resolver.virtualDevice(input.device, for: caller).name
        let configuration = self.context.configuration.current
        guard let device = configuration.virtualDevices.first(where: { $0.name == name }) else {
            throw OperationProblem(GatewayError(.unavailable, "the virtual device \(name) does not run"))
        }
        if let target = device.passedName {
            return RouteResult.json([("gateway", PassthroughCheck.routeText(to: target))])
        }
        let registry = self.context.registry
        let explanation = RouteExplanation(
            table: registry.table, settings: configuration.routing.router,
            device: DeviceFacts(name: device.name, target: device.targetName, description: SilentDescription()),
            namespace: Namespace(rawValue: input.namespace), type: input.type,
            direction: input.direction.messageDirection, notes: configuration.plugins.routeNotes,
            handlers: registry.summaries)
        return RouteResult.json(explanation.steps)
    }
}

/// The way of a message through the gateway.
struct RouteResult: ResultRecord {
    typealias Source = [RouteStepResult.Source]

    let steps = Field("steps", listOf: RouteStepResult.self, "In the order in which they are taken") { $0 }

    static let layout = ResultLayout(RouteResult())
}

/// One step on the way of a message.
package struct RouteStepResult: ResultRecord {
    package typealias Source = (phase: String, text: String)

    package let phase = Field(
        "phase",
        "`filter`, `guard`, `handle`, `default`, `observe`, `rule` below the handler of rules, `skipped` for a plugin that does not run, "
            + "`off` or `gateway`"
    ) { $0.phase }
    package let text = Field("text", "Who is asked, and on which conditions") { $0.text }

    package static let layout = ResultLayout(RouteStepResult())
}
