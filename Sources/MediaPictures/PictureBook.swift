import NIOCore

/// Which pictures are kept, which are being fetched, and who waits for them.
///
/// Each picture is fetched once, however many ask for it. Everything is bounded: bytes and number of what is kept, what is fetched at once, what
/// waits to be fetched, and who waits.
struct PictureBook {
    /// What came of fetching a picture.
    typealias Outcome = Result<Picture, PictureFault>

    /// One picture that is to be fetched.
    struct Job: Sendable, Hashable {
        /// Its name.
        let id: PictureID
        /// Where it is.
        let address: String
        /// What holds for it.
        let configuration: PicturesConfiguration
        /// Counts the configurations; what an old one led to is not kept.
        let generation: Int
    }

    /// What is to be done.
    enum Action: Sendable {
        /// A picture is fetched; ``ended(_:_:now:)`` has to follow.
        case fetch(Job)
        /// These have their answer.
        case answer([Int], Outcome)
    }

    /// What has been counted since the start.
    struct Counts: Sendable, Hashable {
        /// Requests whose answer was kept.
        var hits = 0
        /// Requests for which a picture was fetched, or is.
        var misses = 0
        /// Requests that were refused since too much is under way.
        var refusals = 0
        /// Pictures that were fetched.
        var fetched = 0
        /// Pictures that could not be fetched.
        var failures = 0
        /// Bytes of the pictures that were fetched.
        var bytes = 0
    }

    /// How many pictures, and faults, are kept at most.
    static let mostEntries = 4096
    /// How many pictures are fetched at once.
    static let mostFetches = 8
    /// How many pictures wait until one of those ends.
    static let mostQueued = 64
    /// How many callers wait.
    static let mostWaiters = 4096
    /// How long a fault is kept.
    static let faultAge = TimeAmount.seconds(30)
    /// What an entry takes beside its bytes.
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
    /// What has been counted.
    private(set) var counts = Counts()
    /// How much memory what is kept takes.
    private(set) var cost = 0
    private var generation = 0
    private var requests = 0
    private var entries: [PictureID: Entry] = [:]
    /// Who waits for each picture that is fetched, or is to be.
    private var waiting: [PictureID: [Int]] = [:]
    private var waiters = 0
    private var queue: [Job] = []
    private var running = 0

    /// How many pictures and faults are kept.
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

    /// Fetching a picture has ended.
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
