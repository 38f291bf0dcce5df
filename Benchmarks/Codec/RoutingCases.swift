import CastWire
import GatewayConfig
import GatewayCore
import GatewayTesting
import Logging
import NIOEmbedded
import NamespaceHandlers

/// A message's way through the handler table, with the look into its payload that routing takes.
enum RoutingCases {
    /// Without handlers, with one that owns the namespace, and with two filters, an owner and two observers.
    static func all(_ payload: SamplePayload) throws -> [Measurement] {
        let owner = FunctionHandler("owner", [Claim(self.pattern(payload))]) { _, _ in .forward }
        let others = [RoutingPhase.filter, .filter, .observe, .observe].enumerated().map { index, phase in
            FunctionHandler("handler-\(index)", [Claim(self.pattern(payload), phase: phase)]) { _, _ in .pass }
        }
        return [
            try self.route("route, no handler", [], payload),
            try self.route("route, 1 handler", [owner], payload),
            try self.route("route, 5 handlers", [owner] + others, payload),
            // Rules of other devices; of other types; and each of them judged, though none matches.
            try self.route("route, 1,000 rules elsewhere", self.rules { $0.device = [Glob("room-\($1)")] }, payload),
            try self.route("route, 1,000 rules of other types", self.rules { $0.type = [Glob("TYPE_\($1)")] }, payload),
            try self.route(
                "route, 1,000 rules of other names", self.rules { $0.senderName = [Glob("sender-\($1)")] }, payload),
            try self.route(
                "route, 1,000 rules of names like others", self.rules { $0.senderName = [Glob("*-\($1)")] }, payload),
            try self.route("route, 1,000 rules judged", self.rules { $0.from = [.plugin(Glob("p\($1)"))] }, payload),
        ]
    }

    private static func rules(_ change: (inout RoutingCondition, Int) -> Void) -> [any MessageHandler] {
        var routing = RoutingConfiguration()
        routing.rules = (0..<1000).map { number in
            var condition = RoutingCondition()
            change(&condition, number)
            return RoutingRule(name: "rule-\(number)", condition: condition, action: .reject)
        }
        let handlers = BuiltInHandlers.make(
            routing: routing, launch: LaunchSettings(LaunchConfiguration()), channels: [])
        return handlers.filter { $0.name == "rules" }
    }

    private static func pattern(_ payload: SamplePayload) -> NamespacePattern {
        .exact(payload.message.namespace)
    }

    private static func route(
        _ name: String, _ handlers: [any MessageHandler], _ payload: SamplePayload
    ) throws -> Measurement {
        let registry = HandlerRegistry()
        try registry.replaceAll(with: handlers)
        let output = CountingOutput()
        let router = MessageRouter(
            registry: registry, settings: RouterSettings(), eventLoop: EmbeddedEventLoop(), output: output,
            logger: Logger(label: "benchmark") { _ in SwiftLogNoOpLogHandler() })
        let device = DeviceFacts.test()
        let message = payload.message
        return Measurement(name, payload) {
            router.route(
                RoutedMessage(
                    message, direction: .toReceiver, device: device, connection: ConnectionID(rawValue: 1)))
            return output.count
        }
    }
}
