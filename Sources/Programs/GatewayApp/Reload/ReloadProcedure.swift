import FeatureContract
import GatewayConfig
import GatewayCore
import GatewayLogging
import GatewayMetrics
import GatewaySettings
import Logging

/// How another configuration comes into force: read, plan, prepare, replace the handlers, commit; or nothing of it.
///
/// ``GatewayFeature`` says what each step is for a feature. ``ReloadFeature`` sees to it that one reload runs at a time.
struct ReloadProcedure: Sendable {
    private let features: [any GatewayFeature]
    private let context: GatewayContext
    private let source: ConfigurationSource?
    private let logger: Logger

    /// - Parameters:
    ///   - features: all features, in the order in which each step is done.
    ///   - source: where the configuration is read anew; nil when there is nothing to read.
    init(features: [any GatewayFeature], context: GatewayContext, source: ConfigurationSource?) {
        self.features = features
        self.context = context
        self.source = source
        self.logger = context.makeLogger("Reload")
    }

    /// Puts a configuration in force, and logs and publishes what came of it.
    /// - Parameters:
    ///   - given: nil for that of the file.
    ///   - isDryRun: only says what would change.
    func reload(_ given: GatewayConfiguration?, isDryRun: Bool) async -> ReloadOutcome {
        do throws(ReloadFailure) {
            var document: ConfigDocument?
            let configuration: GatewayConfiguration
            if let given {
                configuration = given
            } else {
                (configuration, document) = try self.readConfiguration()
            }
            let plan: ReloadPlan
            do throws(ReloadFailure) {
                plan = try await self.apply(configuration, isDryRun: isDryRun)
            } catch {
                throw error.located(in: document)
            }
            if !isDryRun { self.succeeded(plan, document) }
            return .success(plan)
        } catch {
            if !isDryRun { self.failed(error) }
            return .failure(error)
        }
    }

    /// Puts the configuration in force once more, with what features add to it by now; only a failure is worth a line.
    func follow() async -> ReloadOutcome {
        do throws(ReloadFailure) {
            let plan = try await self.apply(self.context.configuration.current, isDryRun: false)
            self.logger.debug(
                "Features followed", metadata: ["changed": "\(plan.changes.map(\.description).joined(separator: "; "))"]
            )
            return .success(plan)
        } catch {
            self.logger.warning("What features add cannot be put in force", metadata: ["reason": "\(error)"])
            return .failure(error)
        }
    }

    private func readConfiguration() throws(ReloadFailure) -> (GatewayConfiguration, ConfigDocument) {
        guard let source = self.source else {
            throw .unavailable("the gateway was started without a file, so there is none to read anew")
        }
        let result = source.load()
        guard let configuration = result.configuration else { throw .invalid(result.report) }
        result.logWarnings(to: self.logger)
        return (configuration, result.document)
    }

    private func succeeded(_ plan: ReloadPlan, _ document: ConfigDocument?) {
        // Also when nothing has changed: it is how programs that rotate files say that they have, and operators that the clock is right now.
        LoggingSetup.reopenFiles()
        self.context.events.clock.announce()
        if let document { self.context.configuration.replace(document: document) }
        self.context.metrics.counter(.reloads, "ok").increment()
        self.context.metrics.meter(.lastReloadSuccessful).set(1)
        self.context.metrics.meter(.lastReloadTimestamp).set(self.context.wallClock())
        let changes = plan.changes.map(\.description)
        self.logger.notice(
            plan.changes.isEmpty ? "Configuration reloaded, nothing has changed" : "Configuration reloaded",
            metadata: ["changed": "\(changes.joined(separator: "; "))"])
        self.context.events.publish(.configurationReloaded(changes: plan.changes.map(\.path)))
    }

    private func failed(_ failure: ReloadFailure) {
        self.context.metrics.counter(.reloads, "failed").increment()
        self.context.metrics.meter(.lastReloadSuccessful).set(0)
        self.logger.error("Reload failed, the old configuration stays", metadata: ["reason": "\(failure)"])
        if case .invalid(let report) = failure {
            for problem in report.problems where problem.severity == .error {
                var metadata: Logger.Metadata = [
                    "at": "\(problem.location)", "code": "\(problem.code.rawValue)",
                    "problem": "\(problem.message)",
                ]
                if let hint = problem.hint { metadata["hint"] = "\(hint)" }
                self.logger.error("Configuration error", metadata: metadata)
            }
        }
        self.context.events.publish(.reloadFailed(reason: failure.description))
    }

    // MARK: The steps

    private func apply(_ given: GatewayConfiguration, isDryRun: Bool) async throws(ReloadFailure) -> ReloadPlan {
        var new = given
        for feature in self.features { await feature.complete(&new) }
        var change = ConfigurationChange(from: self.context.configuration.current, to: new)
        for feature in self.features { feature.plan(&change) }
        guard change.plan.restartKeys.isEmpty else { throw .takesRestart(change.plan.restartKeys) }
        guard !change.plan.changes.isEmpty else { return change.plan }
        let replaced = Set(self.features.flatMap(\.handlers).map(\.name))
        do {
            if isDryRun {
                try self.context.registry.checkReplacing(
                    replaced, with: self.features.flatMap { $0.handlers(for: new) }, following: new.handlerPlan)
            } else {
                let prepared = try await self.prepare(&change, replacing: replaced)
                try await self.commit(prepared, new)
            }
        } catch let failure as ReloadFailure {
            throw failure
        } catch let error as GatewayError {
            throw .notPrepared(error)
        } catch {
            throw .notPrepared(GatewayError(.reloadFailed, "\(error)"))
        }
        return change.plan
    }

    /// Prepares every feature, begins, and replaces the handlers. A failure undoes everything.
    private func prepare(
        _ change: inout ConfigurationChange, replacing names: Set<String>
    ) async throws -> [PreparedChange] {
        var prepared: [PreparedChange] = []
        var handlers: [@Sendable () -> [any MessageHandler]] = []
        do {
            for feature in self.features {
                let next: PreparedChange?
                do {
                    next = try await feature.prepare(&change)
                } catch {
                    self.logger.debug("A feature cannot be prepared", metadata: ["feature": "\(feature.name)"])
                    throw error
                }
                handlers.append(next?.handlers ?? { @Sendable in feature.handlers })
                if let next { prepared.append(next) }
            }
            for step in prepared { try await step.begin() }
            // The last step that can fail: a handler that is no feature's may hold what a new one claims.
            let new = change.new
            try self.context.registry.replace(
                names, with: handlers.flatMap { $0() }, following: new.handlerPlan,
                guardedBy: new.messageGuard(after: change.old))
        } catch {
            for step in prepared.reversed() { await step.undo() }
            throw error
        }
        return prepared
    }

    /// Puts everything in force. Nothing here fails while the event loops turn.
    private func commit(_ prepared: [PreparedChange], _ new: GatewayConfiguration) async throws {
        self.context.configuration.replace(new)
        for step in prepared { try await step.commit() }
        for step in prepared { try await step.settle() }
    }
}
