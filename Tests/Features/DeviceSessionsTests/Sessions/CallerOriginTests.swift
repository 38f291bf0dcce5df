import GatewayCore
import SystemPrimitives
import Testing

@testable import DeviceSessions

/// Whose a message is that an operation sends to an app.
struct CallerOriginTests {
    /// Rules and the guard against loops know a plugin by its name, also when it has an operation send.
    @Test func aPluginIsItself() {
        let plugin = MessageOrigin(
            CommandTrace.Caller(name: "plugin:quiz", isBroker: false, plugin: "quiz", hops: 2))
        #expect(plugin.name == "quiz")
        #expect(plugin.source == .plugin)
        #expect(plugin.hops == 3)
    }

    /// A name alone makes no plugin.
    @Test func otherCallersAreCallers() {
        let other = MessageOrigin(CommandTrace.Caller(name: "plugin:quiz", isBroker: false))
        #expect(other.name == "api-plugin:quiz")
        #expect(other.source == .api)
        #expect(MessageOrigin(CommandTrace.Caller(name: "mqtt", isBroker: true)).source == .mqtt)
    }
}
