import GatewayCore
import NIOCore
import PluginKit
import Synchronization

extension PluginService {
    /// A handler of another configuration, for the process that runs.
    func makeHandler(for instance: PluginInstance) -> any MessageHandler {
        let life = self.state.withLock { $0.life }
        let isReady = self.isReady
        return PluginHandler(
            name: instance.name, claims: instance.handlerClaims(narrowedBy: isReady ? life?.result?.claims : nil),
            connection: isReady ? life?.connection : nil)
    }

    /// Starts a process for another configuration beside the one that runs, and lets it say its first words.
    /// - Throws: ``PluginConfigurationRefused``, or ``GatewayError`` with `reloadFailed`; nothing is left of it then.
    func tryOut(_ instance: PluginInstance) async throws -> PluginLife {
        let life = self.makeLife(instance)
        guard case .enqueued = self.input.yield(.adopt(life)) else {
            throw GatewayError(.unavailable, "the plugin '\(instance.name)' is gone")
        }
        do {
            try await life.untilInitialised()
            return life
        } catch {
            throw await Self.refusal(of: life, instance, (error as? GatewayError)?.reason ?? "\(error)")
        }
    }

    /// Lets a process that was tried out begin its work.
    /// - Throws: ``PluginNotReady`` when it falls over that.
    func begin(_ life: PluginLife, _ instance: PluginInstance) async throws {
        life.begin()
        guard await life.isReady(within: instance.settings.startTimeout) else {
            life.endNow()
            throw await Self.refusal(of: life, instance, "it is not ready in time")
        }
    }

    private static func refusal(
        of life: PluginLife, _ instance: PluginInstance, _ reason: String
    ) async -> any Error {
        // Its end says more than what was being waited for.
        _ = await life.hasEnded(within: .seconds(10))
        let (failure, end, problems) = life.state.withLock { ($0.failure, $0.end, $0.problems) }
        if case .badConfiguration(let reason) = failure {
            return PluginConfigurationRefused(
                name: instance.name, problems: problems,
                description: "the plugin '\(instance.name)' refuses its configuration: \(reason)")
        }
        return PluginNotReady(name: instance.name, reason: (failure ?? end)?.description ?? reason)
    }

    /// Tells the process that runs its new configuration and grant.
    /// - Throws: ``PluginConfigurationRefused`` when it makes no sense to it.
    func tell(_ instance: PluginInstance) async throws -> ReloadOutcome {
        guard let life = self.state.withLock({ $0.life }), let connection = life.connection else { return .replace }
        let request = ReloadRequest(config: instance.config, grant: instance.grant)
        let response: RPCResponse
        do {
            response = try await connection.call(within: self.context.timings.reload) { .reload($0, request) }
        } catch {
            return .replace
        }
        if case .failure(let error) = response.outcome, error.code == .configurationInvalid {
            throw PluginConfigurationRefused(
                name: instance.name, problems: error.configurationProblems,
                description: "the plugin '\(instance.name)' refuses its configuration: \(error.message)")
        }
        // A plugin that knows no reload is replaced.
        guard let outcome = try? response.reloadOutcome() else { return .replace }
        if outcome == .applied { await life.follow(instance) }
        return outcome
    }

    /// Puts another configuration in force, for the process that runs or for one that is started when that has ended.
    func follow(_ instance: PluginInstance, restarts: Bool = false) async {
        let settled = Settled()
        if case .terminated = self.input.yield(.follow(instance, restarts: restarts, settled)) { return }
        await settled.wait()
    }

    /// Lets another process take the place of the one that runs.
    func swap(to life: PluginLife, _ instance: PluginInstance) async {
        let settled = Settled()
        if case .terminated = self.input.yield(.swap(life, instance, settled)) { return }
        await settled.wait()
    }
}
