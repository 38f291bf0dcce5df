package import HTTPFetching
package import Logging
package import NIOCore
import ServiceLifecycle
import Synchronization
import SystemPrimitives

/// The pictures that the gateway fetches for callers, and keeps for a while, in memory.
package final class Pictures: Service, CustomStringConvertible {
    /// The pictures that are kept and the counts, at one moment.
    package struct Statistics: Sendable, Hashable {
        /// The number of pictures that are kept, with those that could not be fetched.
        package var pictures = 0
        /// The number of bytes of memory they take.
        package var bytes = 0
        /// Requests whose answer was kept.
        package var hits = 0
        /// Requests for which a picture was fetched, or is.
        package var misses = 0
        /// Requests that were refused since too much is under way.
        package var refusals = 0
        package var fetched = 0
        package var failures = 0
        /// Bytes of the pictures that were fetched.
        package var fetchedBytes = 0
    }

    private struct State {
        var book = PictureCache()
        var promises: [Int: EventLoopPromise<PictureCache.Outcome>] = [:]
        var lastWaiter = 0
        var hasEnded = false
    }

    private static let ended = PictureFault(.ended, "the gateway fetches no pictures now")

    private let fetcher: PictureFetcher
    private let logger: Logger
    private let loop: any EventLoop
    private let state = Mutex(State())
    private let jobs: AsyncStream<PictureCache.Job>
    private let continuation: AsyncStream<PictureCache.Job>.Continuation

    /// Makes pictures; nothing is fetched before ``run()``, and without ``configure(_:)``.
    /// - Parameters:
    ///   - version: of the gateway, for `user-agent`.
    ///   - group: runs connections and timers.
    package init(
        version: String, group: any EventLoopGroup, providers: any PictureProviders, logger: Logger,
        resolver: HostResolver
    ) {
        self.fetcher = PictureFetcher(version: version, group: group, resolver: resolver, providers: providers)
        self.logger = logger
        self.loop = group.next()
        // The book hands out eight at most.
        (self.jobs, self.continuation) = AsyncStream.makeStream(of: PictureCache.Job.self)
    }

    /// Makes pictures whose hosts the system looks up.
    package convenience init(
        version: String, group: any EventLoopGroup, providers: any PictureProviders, logger: Logger
    ) {
        self.init(version: version, group: group, providers: providers, logger: logger, resolver: .system)
    }

    package var description: String { "pictures" }

    package var isOn: Bool { self.configuration != nil }

    /// The configuration; nil while no pictures are fetched.
    package var configuration: PicturesConfiguration? { self.state.withLock { $0.book.configuration } }

    package var standing: Statistics {
        self.state.withLock { state in
            let counts = state.book.counts
            return Statistics(
                pictures: state.book.count, bytes: state.book.cost, hits: counts.hits, misses: counts.misses,
                refusals: counts.refusals, fetched: counts.fetched, failures: counts.failures,
                fetchedBytes: counts.bytes)
        }
    }

    /// Follows a configuration: with another one nothing that is kept stays.
    /// - Parameter configuration: nil to fetch none.
    package func configure(_ configuration: PicturesConfiguration?) {
        self.change { $0.book.follow(configuration) }
    }

    /// Forgets everything that is kept.
    /// - Returns: how much that was.
    package func clear() -> (pictures: Int, bytes: Int) {
        self.state.withLock { state in
            defer { state.book.clear() }
            return (state.book.count, state.book.cost)
        }
    }

    /// Gives the picture at an address: the one that is kept, else it is fetched, once for all who ask at the same time.
    package func picture(at address: String) async -> Result<Picture, PictureFault> {
        let timeout = self.configuration?.timeout ?? .zero
        // Longer than fetching takes: the picture may have to wait for others first.
        let promise = self.loop.makePromise(
            of: Result<Picture, PictureFault>.self, within: TimeAmount(timeout) * 2 + .seconds(1)
        ) { $0.succeed(.failure(PictureFault(.timeout, "too many pictures are being fetched"))) }
        self.change { state in
            guard !state.hasEnded else {
                promise.succeed(.failure(Self.ended))
                return []
            }
            state.lastWaiter += 1
            state.promises[state.lastWaiter] = promise
            return state.book.ask(address, waiter: state.lastWaiter, now: .now())
        }
        return (try? await promise.futureResult.get()) ?? .failure(Self.ended)
    }

    /// Fetches what is asked for until the service is stopped.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                for await job in self.jobs {
                    group.addTask { await self.fetch(job) }
                }
                group.cancelAll()
            }
        }
        self.end()
    }

    private func fetch(_ job: PictureCache.Job) async {
        let outcome = await self.fetcher.fetch(job)
        switch outcome {
        case .success(let picture):
            self.logger.debug(
                "Picture fetched",
                metadata: [
                    "picture": "\(job.id)", "type": "\(picture.contentType)",
                    "bytes": .stringConvertible(picture.bytes.readableBytes),
                ])
        // What senders name is no fault of the gateway's.
        case .failure(let fault):
            self.logger.debug(
                "Picture cannot be fetched", metadata: ["picture": "\(job.id)", "reason": "\(fault.reason)"])
        }
        self.change { $0.book.ended(job, outcome, now: .now()) }
    }

    private func end() {
        self.continuation.finish()
        let promises = self.state.withLock { state in
            state.hasEnded = true
            defer { state.promises = [:] }
            return Array(state.promises.values)
        }
        for promise in promises { promise.succeed(.failure(Self.ended)) }
    }

    /// Changes the book, and carries out what comes of it.
    private func change(_ body: (inout State) -> [PictureCache.Action]) {
        var answers: [(EventLoopPromise<PictureCache.Outcome>, PictureCache.Outcome)] = []
        var jobs: [PictureCache.Job] = []
        self.state.withLock { state in
            for action in body(&state) {
                switch action {
                case .fetch(let job): jobs.append(job)
                case .answer(let waiters, let outcome):
                    answers += waiters.compactMap { state.promises.removeValue(forKey: $0) }.map { ($0, outcome) }
                }
            }
        }
        for job in jobs { self.continuation.yield(job) }
        for (promise, outcome) in answers { promise.succeed(outcome) }
    }
}
