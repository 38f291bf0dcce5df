package import HTTPFetching
public import Logging
public import NIOCore
public import ServiceLifecycle
import Synchronization
import SystemPrimitives

/// The pictures that the gateway fetches for callers, and keeps for a while, in memory.
public final class Pictures: Service, CustomStringConvertible {
    /// What is kept and what was counted, at one moment.
    public struct Standing: Sendable, Hashable {
        /// How many pictures are kept, with those that could not be fetched.
        public var pictures = 0
        /// How many bytes of memory they take.
        public var bytes = 0
        /// Requests whose answer was kept.
        public var hits = 0
        /// Requests for which a picture was fetched, or is.
        public var misses = 0
        /// Requests that were refused since too much is under way.
        public var refusals = 0
        /// Pictures that were fetched.
        public var fetched = 0
        /// Pictures that could not be fetched.
        public var failures = 0
        /// Bytes of the pictures that were fetched.
        public var fetchedBytes = 0
    }

    private struct State {
        var book = PictureBook()
        var promises: [Int: EventLoopPromise<PictureBook.Outcome>] = [:]
        var lastWaiter = 0
        var hasEnded = false
    }

    private static let ended = PictureFault(.ended, "the gateway fetches no pictures now")

    private let fetcher: PictureFetcher
    private let logger: Logger
    private let loop: any EventLoop
    private let state = Mutex(State())
    private let jobs: AsyncStream<PictureBook.Job>
    private let continuation: AsyncStream<PictureBook.Job>.Continuation

    /// Makes pictures; nothing is fetched before ``run()``, and without ``configure(_:)``.
    /// - Parameters:
    ///   - version: of the gateway, for `user-agent`.
    ///   - group: runs connections and timers.
    ///   - providers: asks plugins.
    ///   - resolver: finds addresses.
    package init(
        version: String, group: any EventLoopGroup, providers: any PictureProviders, logger: Logger,
        resolver: HostResolver
    ) {
        self.fetcher = PictureFetcher(version: version, group: group, resolver: resolver, providers: providers)
        self.logger = logger
        self.loop = group.next()
        // The book hands out eight at most.
        (self.jobs, self.continuation) = AsyncStream.makeStream(of: PictureBook.Job.self)
    }

    /// Makes pictures whose hosts the system looks up.
    public convenience init(
        version: String, group: any EventLoopGroup, providers: any PictureProviders, logger: Logger
    ) {
        self.init(version: version, group: group, providers: providers, logger: logger, resolver: .system)
    }

    /// What logs call it.
    public var description: String { "pictures" }

    /// Whether pictures are fetched at all.
    public var isOn: Bool { self.configuration != nil }

    /// What holds for pictures; nil while none are fetched.
    public var configuration: PicturesConfiguration? { self.state.withLock { $0.book.configuration } }

    /// What is kept and what was counted.
    public var standing: Standing {
        self.state.withLock { state in
            let counts = state.book.counts
            return Standing(
                pictures: state.book.count, bytes: state.book.cost, hits: counts.hits, misses: counts.misses,
                refusals: counts.refusals, fetched: counts.fetched, failures: counts.failures,
                fetchedBytes: counts.bytes)
        }
    }

    /// Follows a configuration: with another one nothing that is kept stays.
    /// - Parameter configuration: nil to fetch none.
    public func configure(_ configuration: PicturesConfiguration?) {
        self.change { $0.book.follow(configuration) }
    }

    /// Forgets everything that is kept.
    /// - Returns: how much that was.
    public func clear() -> (pictures: Int, bytes: Int) {
        self.state.withLock { state in
            defer { state.book.clear() }
            return (state.book.count, state.book.cost)
        }
    }

    /// Gives the picture at an address: the one that is kept, else it is fetched, once for all who ask at the same time.
    public func picture(at address: String) async -> Result<Picture, PictureFault> {
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
    public func run() async throws {
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

    private func fetch(_ job: PictureBook.Job) async {
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
    private func change(_ body: (inout State) -> [PictureBook.Action]) {
        var answers: [(EventLoopPromise<PictureBook.Outcome>, PictureBook.Outcome)] = []
        var jobs: [PictureBook.Job] = []
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
