import CastWire
import Synchronization

/// The plugin of a session: made once, and asked from then on. What it throws becomes an answer of the protocol's.
final class SessionPlugin: Sendable {
    private struct State {
        var gateway: PluginGateway?
        var plugin: (any CastPlugin)?
    }

    private let type: any CastPlugin.Type
    private let identity: PluginIdentity?
    private let state = Mutex(State())

    /// - Parameter identity: which plugin it is, when the gateway does not say.
    init(_ type: any CastPlugin.Type, identity: PluginIdentity?) {
        self.type = type
        self.identity = identity
    }

    /// Whether the plugin was made, or is being made, or could not be.
    var wasBegun: Bool { self.state.withLock { $0.gateway != nil } }

    /// Whether there is a plugin.
    var isMade: Bool { self.state.withLock { $0.plugin != nil } }

    private var plugin: (any CastPlugin)? { self.state.withLock { $0.plugin } }

    // MARK: Requests about the plugin itself

    /// Makes the plugin.
    /// - Throws: what is wrong, above all with the configuration.
    func make(_ gateway: PluginGateway) async throws(PluginRPCError) {
        self.state.withLock { $0.gateway = gateway }
        let plugin: any CastPlugin
        do {
            plugin = try await self.type.init(gateway)
        } catch {
            throw Self.answer(to: error)
        }
        self.state.withLock { $0.plugin = plugin }
    }

    /// What the plugin answers when it was made.
    func introduction(to request: InitializeRequest) -> InitializeResult {
        let identity = request.plugin ?? self.identity ?? PluginIdentity(id: "unknown", version: "0")
        var features = [PluginFeature.deferral]
        if request.testTime != nil { features.append(PluginFeature.testClock) }
        return InitializeResult(
            pluginID: identity.id, pluginVersion: identity.version, claims: self.type.claims?.map(PluginClaim.init),
            features: features, maximumInFlight: self.type.maximumInFlight)
    }

    /// Lets the plugin begin.
    /// - Throws: what is wrong.
    func start(_ snapshot: PluginSnapshot) async throws(PluginRPCError) {
        do {
            try await self.plugin?.start(snapshot)
        } catch {
            throw Self.answer(to: error)
        }
    }

    /// Gives the plugin a new configuration.
    /// - Throws: what is wrong with it; the old one stays.
    func reload(_ request: ReloadRequest) async throws(PluginRPCError) -> ReloadOutcome {
        let (plugin, gateway) = self.state.withLock { ($0.plugin, $0.gateway) }
        guard let plugin, let gateway else { throw PluginRPCError(.notReady, "nothing was initialized") }
        let configuration = PluginConfiguration(request.config)
        let outcome: ReloadOutcome
        do {
            outcome = try await plugin.reload(configuration)
        } catch {
            throw Self.answer(to: error)
        }
        if outcome == .applied { gateway.follow(configuration, request.grant) }
        return outcome
    }

    /// The plugin's health; well without a plugin.
    func health() async -> PluginHealth { await self.plugin?.health() ?? .ok }

    /// Lets the plugin end what it does beside messages.
    func drain() async { await self.plugin?.drain() }

    private static func answer(to error: any Error) -> PluginRPCError {
        switch error {
        case let problem as ConfigurationProblem: .configurationInvalid([problem])
        case let error as PluginRPCError: error
        default: PluginRPCError(.internalError, "\(error)")
        }
    }

    // MARK: Operations

    /// What the plugin answers to a caller.
    /// - Throws: why it does not do it.
    func outcome(of call: OperationCall) async throws(PluginRPCError) -> JSONObject {
        guard let plugin = self.plugin else { throw PluginRPCError(.notReady, "nothing was initialized") }
        do {
            return try await plugin.operate(call)
        } catch let failure as OperationFailure {
            throw failure.error
        } catch {
            throw Self.answer(to: error)
        }
    }

    // MARK: Messages

    /// What the plugin decides; nil without a plugin.
    /// - Throws: what the plugin throws, unless it is a ``Rejection``.
    func verdict(on request: MessageRequest) async throws -> Verdict? {
        guard let plugin = self.plugin else { return nil }
        do {
            switch request.phase {
            case .handle: return try await plugin.handle(request.message)
            case .filter: return try await plugin.filter(request.message)
            case .observe:
                try await plugin.observe(request.message, dropped: 0)
                return .pass
            }
        } catch let rejection as Rejection {
            return .reject(rejection.reason, rejection.message)
        }
    }

    /// Tells the plugin what happened.
    func happened(_ event: PluginEvent) async throws {
        guard let plugin = self.plugin else { return }
        if let message = event.message {
            try await plugin.observe(message, dropped: event.dropped)
        } else {
            try await plugin.event(event)
        }
    }
}
