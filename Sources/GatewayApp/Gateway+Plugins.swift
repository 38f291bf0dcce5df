import CastIdentity
import CastWire
import ControlAPI
import GatewayCore
import Logging
import NIOCore
import PluginHosting
import VirtualDevices

/// What the admin listener says of plugins, and has done with them.
extension Gateway {
    /// Where plugins keep values; nil, which is said, when that is not possible.
    static func makePluginStore(_ identities: IdentityStore, _ logger: Logger) -> PluginDatabase? {
        do {
            return try PluginDatabase(database: identities.database)
        } catch {
            logger.error("Plugins cannot keep anything", metadata: ["reason": "\(error)"])
            return nil
        }
    }

    var pluginActions: PluginActions {
        PluginActions(
            list: {
                var plugins: [JSONValue] = []
                for service in self.plugins.current { plugins.append(.object(await service.status().summary)) }
                return ControlAnswer(["plugins": .array(plugins)])
            },
            inspect: { name in
                guard let service = self.plugins[name] else { return Self.unknownPlugin(name) }
                var json = await service.status().json
                json["open_breakers"] = .array(await self.openBreakers(of: name).map { .string($0) })
                return ControlAnswer(json)
            },
            command: { name, command in
                guard let service = self.plugins[name] else { return Self.unknownPlugin(name) }
                switch command {
                case .restart: service.restart()
                case .enable: service.enable()
                case .disable: service.disable()
                }
                await service.untilSettled()
                return ControlAnswer(await service.status().summary)
            }, trace: { self.plugins[$0]?.trace() })
    }

    private static func unknownPlugin(_ name: String) -> ControlAnswer {
        .error(
            status: 404, code: "unknown_plugin",
            message: "no plugin named '\(name)' is listed in plugins.instances")
    }

    /// The virtual devices whose router does not ask the plugin for a while.
    private func openBreakers(of name: String) async -> [String] {
        let pulse = LoopPulse(eventLoops: Array(self.eventLoops.makeIterator()), devices: self.running)
        let answers = await pulse.take(within: .seconds(1))
        return answers.devices.filter { $0.suspendedHandlers.contains(name) }.map(\.name)
    }
}
