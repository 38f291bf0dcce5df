import ServiceLifecycle

/// Takes reloads one after the other, in the order in which they were asked for.
final class ReloadService: Service, CustomStringConvertible {
    /// What is asked for: a file to read, or a configuration that is there already.
    struct Request: Sendable {
        let configuration: GatewayConfiguration?
        let isDryRun: Bool
        let answer: @Sendable (ReloadOutcome) -> Void
    }

    /// How many callers may wait; a further one is refused.
    private static let limit = 16

    private let perform: @Sendable (Request) async -> ReloadOutcome
    private let requests: AsyncStream<Request>
    private let input: AsyncStream<Request>.Continuation

    init(perform: @escaping @Sendable (Request) async -> ReloadOutcome) {
        self.perform = perform
        (self.requests, self.input) = AsyncStream.makeStream(
            of: Request.self, bufferingPolicy: .bufferingOldest(Self.limit))
    }

    var description: String { "reloads" }

    /// Waits for the outcome.
    func reload(_ configuration: GatewayConfiguration?, isDryRun: Bool) async -> ReloadOutcome {
        await withCheckedContinuation { continuation in
            let request = Request(configuration: configuration, isDryRun: isDryRun) {
                continuation.resume(returning: $0)
            }
            switch self.input.yield(request) {
            case .enqueued: break
            case .terminated: continuation.resume(returning: .failure(.unavailable("the gateway stops")))
            default: continuation.resume(returning: .failure(.unavailable("too many reloads are waiting")))
            }
        }
    }

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
