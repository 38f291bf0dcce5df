import FeatureContract
import GatewayConfig
import GatewayCore
import GatewayOperations
import GatewaySettings
import Glibc
import Logging
import NIOCore
import ServiceLifecycle
import SystemPrimitives
import UnixSignals

/// Learns of every reload that is more than a dry run.
struct ReloadWatch: Sendable {
    /// Called before anything is read.
    let began: @Sendable () -> Void
    /// Called when the configuration is in force, or when it is certain that the old one stays.
    let ended: @Sendable (_ outcome: ReloadOutcome) -> Void
}

/// Reloads, taken one after the other in the order in which they were asked for, once all virtual devices listen.
///
/// Last of the list: no reload is under way when other features stop.
final class ReloadFeature: OperatingFeature {
    /// What is asked for.
    fileprivate struct Request: Sendable {
        enum Kind: Sendable {
            /// The configuration of the file, or one that is there already.
            case reload(GatewayConfiguration?, isDryRun: Bool)
            /// The configuration in force, with what features add to it by now.
            case follow
        }

        let kind: Kind
        let answer: @Sendable (ReloadOutcome) -> Void
    }

    /// How many callers may wait; a further one is refused.
    private static let limit = 16

    let name = "reloads"
    private let context: GatewayContext
    private let source: ConfigurationSource?
    private let requests: AsyncStream<Request>
    private let input: AsyncStream<Request>.Continuation
    private let observer = Current<ReloadWatch?>(nil)
    /// Why the last reload failed, and when; nil when it did not.
    private let failure = Current<(reason: String, at: NIODeadline)?>(nil)

    /// - Parameter source: where the configuration is read anew; nil when there is nothing to read.
    init(_ context: GatewayContext, source: ConfigurationSource?) {
        self.context = context
        self.source = source
        (self.requests, self.input) = AsyncStream.makeStream(
            of: Request.self, bufferingPolicy: .bufferingOldest(Self.limit))
    }

    /// Asks for a reload, and waits for the outcome.
    /// - Parameter configuration: nil for that of the file.
    func reload(_ configuration: GatewayConfiguration?, isDryRun: Bool) async -> ReloadOutcome {
        await self.ask(.reload(configuration, isDryRun: isDryRun))
    }

    /// Asks that what features add to the configuration is put in force as it is by now, and waits for the outcome.
    func follow() async -> ReloadOutcome { await self.ask(.follow) }

    private func ask(_ kind: Request.Kind) async -> ReloadOutcome {
        await withCheckedContinuation { continuation in
            let request = Request(kind: kind) { continuation.resume(returning: $0) }
            switch self.input.yield(request) {
            case .enqueued: break
            case .terminated: continuation.resume(returning: .failure(.unavailable("the gateway stops")))
            default: continuation.resume(returning: .failure(.unavailable("too many reloads are waiting")))
            }
        }
    }

    /// Sets the observer of every reload that is not a dry run; nil for none.
    func watch(_ watch: ReloadWatch?) {
        self.observer.set(watch)
    }

    func services(among features: [any GatewayFeature]) -> [StagedService] {
        let procedure = ReloadProcedure(features: features, context: self.context, source: self.source)
        let service = ReloadService(requests: self.requests, input: self.input) { request in
            // Begun by the stop: what a reload waits for does not come any more.
            guard self.context.lifecycle.hasReached(.devicesListening) else {
                return .failure(.unavailable("the gateway stops"))
            }
            guard case .reload(let configuration, let isDryRun) = request.kind else { return await procedure.follow() }
            let watch = isDryRun ? nil : self.observer.value
            watch?.began()
            let outcome = await procedure.reload(configuration, isDryRun: isDryRun)
            self.note(outcome)
            watch?.ended(outcome)
            return outcome
        }
        return [StagedService(.devicesListening, service)]
    }

    static let offered: [Offer<ReloadFeature>] = [
        Offer { ReloadConfiguration(reloads: $0) },
        Offer { GetConfiguration(context: $0.context) },
    ]

    private func note(_ outcome: ReloadOutcome) {
        guard case .failure(let failure) = outcome else { return self.failure.set(nil) }
        self.failure.set((failure.error.reason, .now()))
    }

    var warnings: [GatewayWarning] {
        get async {
            guard let failure = self.failure.value else { return [] }
            return [
                GatewayWarning(
                    .reloadFailed, "the last reload failed, and the old configuration stays: \(failure.reason)",
                    since: self.context.seconds(of: failure.at))
            ]
        }
    }

    /// Answers callers whose requests came when the gateway was about to end.
    func close() async {
        self.input.finish()
        for await request in self.requests { request.answer(.failure(.unavailable("the gateway stops"))) }
    }
}

/// Does the reloads that are asked for, until graceful shutdown and all that waited before.
private struct ReloadService: Service, CustomStringConvertible {
    let requests: AsyncStream<ReloadFeature.Request>
    let input: AsyncStream<ReloadFeature.Request>.Continuation
    let perform: @Sendable (ReloadFeature.Request) async -> ReloadOutcome

    var description: String { "reloads" }

    func run() async throws {
        await withGracefulShutdownHandler {
            await withTaskCancellationHandler {
                for await request in self.requests { request.answer(await self.perform(request)) }
            } onCancel: {
                self.input.finish()
            }
        } onGracefulShutdown: {
            self.input.finish()
        }
    }
}

/// Reloads at every SIGHUP. When the terminal that the gateway was started from is gone, SIGHUP ends it as it would
/// end any other program.
struct HangUpService: Service, CustomStringConvertible {
    let signals: UnixSignalsSequence
    let logger: Logger
    let reload: @Sendable () async -> Void

    var description: String { "SIGHUP" }

    func run() async throws {
        let hasTerminal = isatty(STDERR_FILENO) == 1
        for await _ in self.signals.cancelOnGracefulShutdown() {
            if hasTerminal, isatty(STDERR_FILENO) != 1 {
                self.logger.notice("The terminal is gone")
                raise(SIGTERM)
            } else {
                self.logger.info("SIGHUP: reloading")
                await self.reload()
            }
        }
    }
}
