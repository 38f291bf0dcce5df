import CastWire
import Synchronization

extension PluginSession {
    /// Answers a request about the plugin itself.
    func control(_ line: GatewayLine) async throws(PluginRPCError) -> JSONObject {
        switch line {
        case .initialize(_, let request): return try await self.initialize(request).json
        case .start(_, let snapshot):
            try await self.start(snapshot)
            return [:]
        case .health:
            guard let plugin = self.state.withLock({ $0.plugin }) else { return PluginHealth.ok.json }
            return await plugin.health().json
        case .reload(_, let request): return try await self.reload(request).json
        case .drain(_, let request):
            await self.drain(request)
            return [:]
        case .shutdown:
            self.state.withLock { $0.stage = .stopped }
            return [:]
        case .advanceClock(_, let time):
            guard self.state.withLock({ $0.testTime != nil }) else {
                throw PluginRPCError(.methodNotFound, "the clock is the machine's")
            }
            return ClockReading(now: await self.advance(to: time).milliseconds).json
        default: throw PluginRPCError(.methodNotFound, "no request about the plugin's life")
        }
    }

    private func initialize(_ request: InitializeRequest) async throws(PluginRPCError) -> InitializeResult {
        let isFirst = self.state.withLock { $0.stage == .new && $0.gateway == nil }
        guard isFirst else { throw PluginRPCError(.invalidRequest, "initialize comes once") }
        let own = PluginProtocol.versions
        guard own.overlaps(request.versions) else {
            throw PluginRPCError(
                .invalidParameters,
                """
                this plugin speaks version \(own.lowerBound) to \(own.upperBound) of the protocol, the gateway \
                \(request.versions.lowerBound) to \(request.versions.upperBound)
                """)
        }
        let gateway = PluginGateway(self, request)
        self.state.withLock { state in
            state.gateway = gateway
            state.testTime = request.testTime.map { PluginInstant(milliseconds: $0) }
        }
        let plugin: any CastPlugin
        do {
            plugin = try await self.makePlugin(gateway)
        } catch {
            throw Self.answer(to: error)
        }
        self.state.withLock { state in
            state.plugin = plugin
            state.stage = .initialized
        }
        return self.initializeResult(request)
    }

    private func start(_ snapshot: PluginSnapshot) async throws(PluginRPCError) {
        let plugin = self.state.withLock { $0.stage == .initialized ? $0.plugin : nil }
        guard let plugin else { throw PluginRPCError(.invalidRequest, "start comes once, after initialize") }
        do {
            try await plugin.start(snapshot)
        } catch {
            throw Self.answer(to: error)
        }
        self.state.withLock { state in
            if state.stage == .initialized { state.stage = .ready }
        }
    }

    private func reload(_ request: ReloadRequest) async throws(PluginRPCError) -> ReloadOutcome {
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

    private func drain(_ request: DrainRequest) async {
        let plugin = self.state.withLock { state in
            if state.stage != .stopped { state.stage = .draining }
            return state.plugin
        }
        _ = await self.quiet(.noMessages, within: request.deadline)
        await plugin?.drain()
    }

    private static func answer(to error: any Error) -> PluginRPCError {
        switch error {
        case let problem as ConfigurationProblem: .configurationInvalid([problem])
        case let error as PluginRPCError: error
        default: PluginRPCError(.internalError, "\(error)")
        }
    }
}

/// The stage of a plugin's session.
enum SessionStage: String {
    /// Nothing was said.
    case new
    /// It has its configuration.
    case initialized
    /// It takes messages.
    case ready
    /// It takes no more.
    case draining
    /// All is over.
    case stopped
}
