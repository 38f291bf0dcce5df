import NIOCore

/// The pictures that are kept, those that are being fetched, and the callers that wait for them.
///
/// Each picture is fetched once, however many ask for it. Everything is bounded: bytes and number of what is kept, what is fetched at once, what
/// waits to be fetched, and who waits.
struct PictureCache {
    typealias Outcome = Result<Picture, PictureFault>

    struct Job: Sendable, Hashable {
        let id: PictureID
        let address: String
        let configuration: PicturesConfiguration
        /// Counts the configurations; what an old one led to is not kept.
        let generation: Int
    }

    enum Action: Sendable {
        /// A picture is fetched; ``ended(_:_:now:)`` has to follow.
        case fetch(Job)
        case answer([Int], Outcome)
    }

    /// The counts since the start.
    struct Counts: Sendable, Hashable {
        /// Requests whose answer was kept.
        var hits = 0
        /// Requests for which a picture was fetched, or is.
        var misses = 0
        /// Requests that were refused since too much is under way.
        var refusals = 0
        var fetched = 0
        var failures = 0
        /// Bytes of the pictures that were fetched.
        var bytes = 0
    }

    /// The number of pictures, and faults, that are kept at most.
    static let mostEntries = 4096
    /// The number of pictures that are fetched at once.
    static let mostFetches = 8
    /// The number of pictures that wait until one of those ends.
    static let mostQueued = 64
    /// The number of callers that wait.
    static let mostWaiters = 4096
    /// The time a fault is kept.
    static let faultAge = TimeAmount.seconds(30)
    /// The cost of an entry beside its bytes.
    private static let entryCost = 512

    private struct Entry {
        let outcome: Outcome
        let cost: Int
        let since: NIODeadline
        /// The number of the request that wanted it last.
        var used: Int
    }

    /// The present configuration; nil while no pictures are fetched.
    private(set) var configuration: PicturesConfiguration?
    private(set) var counts = Counts()
    /// The bytes of memory that entries take.
    private(set) var cost = 0
    private var generation = 0
    private var requests = 0
    private var entries: [PictureID: Entry] = [:]
    /// The callers that wait for each picture that is fetched, or is to be.
    private var waiting: [PictureID: [Int]] = [:]
    private var waiters = 0
    private var queue: [Job] = []
    private var running = 0

    /// The number of pictures and faults that are kept.
    var count: Int { self.entries.count }

    /// Follows a configuration: with another one nothing stays, and who waits is told so.
    mutating func follow(_ configuration: PicturesConfiguration?) -> [Action] {
        guard configuration != self.configuration else { return [] }
        self.configuration = configuration
        self.generation += 1
        self.clear()
        self.queue = []
        let all = self.waiting.values.flatMap { $0 }
        self.waiting = [:]
        self.waiters = 0
        return all.isEmpty ? [] : [.answer(all, .failure(PictureFault(.ended, "the configuration has changed")))]
    }

    /// Forgets everything that is kept; what is being fetched goes on.
    mutating func clear() {
        self.entries = [:]
        self.cost = 0
    }

    /// A caller wants a picture.
    /// - Parameter waiter: stands for the caller, in one ``Action/answer(_:_:)`` that follows.
    mutating func ask(_ address: String, waiter: Int, now: NIODeadline) -> [Action] {
        guard let configuration else {
            return [.answer([waiter], .failure(PictureFault(.ended, "the gateway fetches no pictures")))]
        }
        guard let id = PictureID(of: address) else {
            return [.answer([waiter], .failure(PictureFault(.malformed, "the address is empty or too long")))]
        }
        self.requests += 1
        if let outcome = self.kept(id, configuration, now) {
            self.counts.hits += 1
            return [.answer([waiter], outcome)]
        }
        let isNew = self.waiting[id] == nil
        guard self.waiters < Self.mostWaiters, !isNew || self.queue.count < Self.mostQueued else {
            self.counts.refusals += 1
            return [.answer([waiter], .failure(PictureFault(.busy, "too many pictures are being fetched")))]
        }
        self.counts.misses += 1
        self.waiters += 1
        self.waiting[id, default: []].append(waiter)
        guard isNew else { return [] }
        self.queue.append(
            Job(id: id, address: address, configuration: configuration, generation: self.generation))
        return self.next()
    }

    mutating func ended(_ job: Job, _ outcome: Outcome, now: NIODeadline) -> [Action] {
        self.running -= 1
        switch outcome {
        case .success(let picture):
            self.counts.fetched += 1
            self.counts.bytes += picture.bytes.readableBytes
        case .failure: self.counts.failures += 1
        }
        var actions: [Action] = []
        if job.generation == self.generation, let waiters = self.waiting.removeValue(forKey: job.id) {
            self.waiters -= waiters.count
            self.keep(outcome, as: job, now)
            actions.append(.answer(waiters, outcome))
        }
        return actions + self.next()
    }

    // MARK: What is kept

    private mutating func kept(
        _ id: PictureID, _ configuration: PicturesConfiguration, _ now: NIODeadline
    ) -> Outcome? {
        guard var entry = self.entries[id] else { return nil }
        let age: TimeAmount =
            switch entry.outcome {
            case .success: TimeAmount(configuration.age)
            case .failure: Self.faultAge
            }
        guard now - entry.since < age else {
            self.remove(id)
            return nil
        }
        entry.used = self.requests
        self.entries[id] = entry
        return entry.outcome
    }

    private mutating func keep(_ outcome: Outcome, as job: Job, _ now: NIODeadline) {
        let cost: Int
        switch outcome {
        // A buffer may be larger than what stands in it.
        case .success(let picture): cost = picture.bytes.storageCapacity + Self.entryCost
        case .failure(let fault):
            guard fault.isOfThePicture else { return }
            cost = Self.entryCost
        }
        self.remove(job.id)
        guard cost <= job.configuration.total else { return }
        while self.cost > job.configuration.total - cost || self.entries.count >= Self.mostEntries,
            let oldest = self.entries.min(by: { $0.value.used < $1.value.used })?.key
        {
            self.remove(oldest)
        }
        self.entries[job.id] = Entry(outcome: outcome, cost: cost, since: now, used: self.requests)
        self.cost += cost
    }

    private mutating func remove(_ id: PictureID) {
        guard let entry = self.entries.removeValue(forKey: id) else { return }
        self.cost -= entry.cost
    }

    private mutating func next() -> [Action] {
        var actions: [Action] = []
        while self.running < Self.mostFetches, !self.queue.isEmpty {
            self.running += 1
            actions.append(.fetch(self.queue.removeFirst()))
        }
        return actions
    }
}
