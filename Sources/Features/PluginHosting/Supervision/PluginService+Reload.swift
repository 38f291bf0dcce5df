import GatewayCore
import NIOCore
import PluginKit
import Synchronization
import SystemPrimitives

extension PluginService {
    /// A handler of another configuration, for the process that runs.
    func makeHandler(for instance: PluginInstance) -> any MessageHandler {
        let run = self.state.withLock { $0.run }
        let isReady = self.isReady
        return PluginHandler(
            name: instance.name, claims: instance.handlerClaims(narrowedBy: isReady ? run?.facts.result?.claims : nil),
            connection: isReady ? run?.connection : nil)
    }

    /// Starts a process for another configuration beside the one that runs, and initializes it.
    /// - Throws: ``PluginConfigurationRefused``, or ``GatewayError`` with `reloadFailed`; nothing is left of it then.
    func tryOut(_ instance: PluginInstance) async throws -> PluginRun {
        let run = self.makeRun(instance)
        guard case .enqueued = self.input.yield(.adopt(run)) else {
            throw GatewayError(.unavailable, "the plugin '\(instance.name)' is gone")
        }
        do {
            try await run.wait(for: .initialized)
            return run
        } catch {
            throw await Self.refusal(of: run, instance, (error as? GatewayError)?.reason ?? "\(error)")
        }
    }

    /// Lets a process that was tried out begin its work.
    /// - Throws: ``PluginNotReady`` when it falls over that.
    func begin(_ run: PluginRun, _ instance: PluginInstance) async throws {
        run.admit()
        do {
            // The run watches the time that `start` may take, and says so when it gives up.
            try await run.wait(for: .ready)
        } catch {
            throw await Self.refusal(of: run, instance, (error as? GatewayError)?.reason ?? "\(error)")
        }
    }

    private static func refusal(
        of run: PluginRun, _ instance: PluginInstance, _ reason: String
    ) async -> any Error {
        // How it ended says more than the milestone that it missed.
        _ = await run.wait(for: .ended, within: .seconds(10))
        if case .badConfiguration(let reason) = run.end {
            return PluginConfigurationRefused(
                name: instance.name, problems: run.facts.problems,
                description: "the plugin '\(instance.name)' refuses its configuration: \(reason)")
        }
        return PluginNotReady(name: instance.name, reason: run.end?.description ?? reason)
    }

    /// Tells the process that runs its new configuration and grant.
    /// - Throws: ``PluginConfigurationRefused`` when it makes no sense to it.
    func tell(_ instance: PluginInstance) async throws -> ReloadOutcome {
        guard let run = self.state.withLock({ $0.run }), let connection = run.connection else { return .replace }
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
        if outcome == .applied { await run.follow(instance) }
        return outcome
    }

    /// Puts another configuration in force, for the process that runs or for one that is started when that has ended.
    func follow(_ instance: PluginInstance, restarts: Bool = false) async {
        let latch = Latch()
        if case .terminated = self.input.yield(.follow(instance, restarts: restarts, latch)) { return }
        await latch.wait()
    }

    /// Lets another process take the place of the one that runs.
    func swap(to run: PluginRun, _ instance: PluginInstance) async {
        let latch = Latch()
        if case .terminated = self.input.yield(.swap(run, instance, latch)) { return }
        await latch.wait()
    }
}
