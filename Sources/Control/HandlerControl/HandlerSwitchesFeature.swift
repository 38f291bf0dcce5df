package import CastIdentity
import CastWire
package import FeatureContract
import GatewayConfig
import GatewayCore
import GatewayOperations
import GatewaySettings
import Logging
import NIOPosix
import NamespaceHandlers

/// Handlers are listed, and switched on and off, while the gateway runs.
package final class HandlerSwitchesFeature: OperatingFeature {
    package let name = "handler switches"
    private let context: GatewayContext
    private let switches: HandlerSwitches
    /// Where writing happens.
    private let pool = NIOThreadPool.singleton

    /// - Parameter identities: where the database is that switches are kept in.
    /// - Throws: when the state database cannot be read.
    package init(_ context: GatewayContext, identities: IdentityStore) throws {
        self.context = context
        self.switches = try HandlerSwitches(
            registry: context.registry, store: try HandlerSwitchStore(identities.database),
            obstacle: identities.volatility.map { "\($0)" }, logger: context.makeLogger("Handlers"))
    }

    package func services(among features: [any GatewayFeature]) -> [StagedService] {
        // Every handler is registered, and no sender can connect yet.
        self.switches.restore()
        return []
    }

    package func prepare(_ change: inout ConfigurationChange) -> PreparedChange? {
        let before = self.switches.configured
        return PreparedChange(
            settle: { try await self.pool.runIfActive { self.switches.follow(from: before) } })
    }

    // MARK: Operations

    package static let offered: [Offer<HandlerSwitchesFeature>] = [
        Offer { ListHandlers(feature: $0) },
        Offer { EnableHandler(feature: $0) },
        Offer { DisableHandler(feature: $0) },
        Offer { ResetHandler(feature: $0) },
    ]

    /// What can be asked of a handler.
    enum Command: Sendable {
        case enable, disable, reset
    }

    /// The handlers in their order, with what is kept of each.
    var handlerList: [HandlerResult.Source] {
        let kept = self.switches.kept
        return self.context.registry.summaries.map { ($0, kept[$0.name]) }
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
            let notes = outcomes.filter { $0.isEnabled == false }.compactMap { self.consequence(of: $0.name) }
            return .success(SwitchedHandlersResult.json((outcomes, notes)))
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
