import CastIdentity
import CastWire
import GatewayConfig
import GatewayCore
import GatewayOperations
import Logging
import NIOPosix
import NamespaceHandlers
import PluginKit

/// Handlers are listed, and switched on and off, while the gateway runs.
final class HandlerSwitchesFeature: GatewayFeature {
    let name = "handler switches"
    private let context: GatewayContext
    private let switches: HandlerSwitches
    /// Where writing happens.
    private let pool = NIOThreadPool.singleton

    /// - Parameter identities: where the database is that switches are kept in.
    /// - Throws: when the state database cannot be read.
    init(_ context: GatewayContext, identities: IdentityStore) throws {
        self.context = context
        self.switches = try HandlerSwitches(
            registry: context.registry, store: try HandlerSwitchStore(identities.database),
            obstacle: identities.volatility.map { "\($0)" }, logger: context.makeLogger("Handlers"))
    }

    func services(among features: [any GatewayFeature]) -> [StagedService] {
        // Every handler is registered, and no sender can connect yet.
        self.switches.restore()
        return []
    }

    func prepare(_ change: inout ConfigurationChange) -> PreparedChange? {
        let before = self.switches.configured
        return PreparedChange(
            settle: { try await self.pool.runIfActive { self.switches.follow(from: before) } })
    }

    // MARK: Operations

    var operations: [any GatewayOperation] {
        [
            ListHandlers(feature: self), EnableHandler(feature: self), DisableHandler(feature: self),
            ResetHandler(feature: self),
        ]
    }

    /// What can be asked of a handler.
    enum Command: Sendable {
        case enable, disable, reset
    }

    /// The handlers as callers see them, in their order.
    var handlerList: [JSONObject] {
        let kept = self.switches.kept
        return self.context.registry.summaries.enumerated().map { index, summary in
            Self.json(summary, position: index + 1, kept: kept[summary.name])
        }
    }

    /// Switches what a name stands for.
    func change(_ command: Command, _ name: String, isKept: Bool) async throws(OperationProblem) -> JSONObject {
        do {
            return try await self.pool.runIfActive { try self.answer(name, command, isKept: isKept).get() }
        } catch let error as OperationProblem {
            throw error
        } catch {
            throw OperationProblem(GatewayError(.unavailable, "the gateway is stopping"))
        }
    }

    private static func json(_ summary: HandlerSummary, position: Int, kept: Bool?) -> JSONObject {
        var json: JSONObject = [
            "position": .number(position), "name": .string(summary.name), "enabled": .bool(summary.isEnabled),
            "switched": .bool(summary.isSwitched),
        ]
        if let kept { json["kept"] = .bool(kept) }
        if let devices = summary.devices { json["devices"] = .array(devices.sorted().map { .string($0) }) }
        json["claims"] = .array(summary.claims.map { .object(PluginClaim($0).json) })
        json["origin"] = .string(summary.origin ?? "default")
        let replaced = Set(summary.claims.compactMap(\.replaces)).sorted()
        if !replaced.isEmpty { json["replaces"] = .array(replaced.map { .string($0) }) }
        return json
    }

    private func answer(
        _ name: String, _ command: Command, isKept: Bool
    ) -> Result<JSONObject, OperationProblem> {
        do throws(HandlerSwitches.Refusal) {
            let outcomes =
                switch command {
                case .enable: try self.switches.set(true, name, isKept: isKept)
                case .disable: try self.switches.set(false, name, isKept: isKept)
                case .reset: try self.switches.reset(name)
                }
            let handlers = outcomes.map { outcome in
                var json: JSONObject = ["name": .string(outcome.name), "switched": .bool(outcome.isSwitched)]
                if let isEnabled = outcome.isEnabled { json["enabled"] = .bool(isEnabled) }
                if let kept = outcome.kept { json["kept"] = .bool(kept) }
                return JSONValue.object(json)
            }
            let notes = outcomes.filter { $0.isEnabled == false }.compactMap { self.consequence(of: $0.name) }
            return .success(["handlers": .array(handlers), "notes": .array(notes.map { .string($0) })])
        } catch {
            return .failure(Self.problem(error, name))
        }
    }

    private static func problem(_ refusal: HandlerSwitches.Refusal, _ name: String) -> OperationProblem {
        switch refusal {
        case .unknown(let suggestion):
            let hint = suggestion.map { "; did you mean '\($0)'?" } ?? "; 'castway handler list' lists them"
            return .missing("unknown_handler", "there is no handler '\(name)'\(hint)")
        case .notKept(let reason):
            return OperationProblem(
                "not_kept", status: 409, "nothing has changed, since the state cannot be written: \(reason)")
        }
    }

    /// What it means that a handler of Castway's own is off, as far as an operator might not expect it.
    private func consequence(of name: String) -> String? {
        let isForwarded = self.context.configuration.current.routing.router.defaultAction == .forward
        let rest = isForwarded ? "go on as they came" : "are refused, since routing.default is reject"
        switch name {
        case "rules": return "no rule judges messages while 'rules' is off: what rules forbid goes through"
        case "receiver", "media", "multizone": return "messages that '\(name)' would handle \(rest)"
        case "setup":
            return "messages that 'setup' would handle \(rest); a relayed device may answer with an identity of its own"
        case "launch-credentials": return "launches and loads go on without what 'launch' adds"
        case "casting log": return "the log does not say who casts what"
        default: return nil
        }
    }
}
