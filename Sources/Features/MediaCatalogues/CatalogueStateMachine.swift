import GatewayCore

/// Decides when which catalogue is read, and what is kept of it: a state machine, whose actions ``Catalogues`` carries out.
///
/// A catalogue is read when it comes, when its time has passed, and when a caller asks; never twice at once. After a failure it is tried
/// again after 10 seconds, then 20, 40 and so on, up to its interval. A list stays until another good one is read from the same place.
struct CatalogueStateMachine {
    struct Job: Sendable, Hashable {
        let configuration: CatalogueConfiguration
        /// Tells a configuration from a later one of the same name.
        let generation: Int
        /// The validators of the list that is kept; nil when there are none.
        let validators: Validators
    }

    /// The validators by which a changed list is known (RFC 9110, section 8.8).
    struct Validators: Sendable, Hashable {
        var entityTag: String?
        var lastModified: String?
    }

    /// The outcome of reading.
    enum Outcome: Sendable, Hashable {
        case list(CatalogueList, Validators)
        /// The server says that the list is the one that is kept.
        case unchanged
        case failed(CatalogueFault)
    }

    enum Action: Sendable, Hashable {
        /// Read a list, and say what came of it by ``CatalogueStateMachine/ended(_:_:now:)``.
        case read(Job)
        /// Call ``CatalogueStateMachine/due(_:generation:)`` when the time has passed, and not for an earlier wish of the name.
        case wait(name: String, generation: Int, Duration)
        case forget(name: String)
        case publish(GatewayEvent)
    }

    static let firstPause = Duration.seconds(10)

    private struct Entry {
        var configuration: CatalogueConfiguration
        var generation: Int
        var standing: CatalogueStatus
        var validators = Validators()
        var isReading = false
        var failures = 0
    }

    private var entries: [String: Entry] = [:]
    private var order: [String] = []
    private var generations = 0

    /// The status of all, in the order of the configuration.
    var standings: [CatalogueStatus] { self.order.compactMap { self.entries[$0]?.standing } }

    /// The status of one; nil when there is none of the name.
    func standing(_ name: String) -> CatalogueStatus? { self.entries[name]?.standing }

    /// The time reading one may take; nil when there is none of the name.
    func timeout(_ name: String) -> Duration? { self.entries[name]?.configuration.timeout }

    /// True if one is being read.
    func isReading(_ name: String) -> Bool { self.entries[name]?.isReading == true }

    mutating func follow(_ configurations: [CatalogueConfiguration]) -> [Action] {
        var actions: [Action] = []
        let names = Set(configurations.map(\.name))
        for name in self.order where !names.contains(name) {
            self.entries[name] = nil
            actions.append(.forget(name: name))
        }
        self.order = configurations.map(\.name)
        for configuration in configurations {
            let old = self.entries[configuration.name]
            guard old?.configuration != configuration else { continue }
            self.generations += 1
            var entry = Entry(
                configuration: configuration, generation: self.generations,
                standing: CatalogueStatus(
                    name: configuration.name, place: configuration.shownPlace, prefer: configuration.prefer))
            if let old, old.configuration.url == configuration.url, old.configuration.path == configuration.path {
                entry.standing = old.standing
                entry.standing.prefer = configuration.prefer
                entry.validators = old.validators
            }
            self.entries[configuration.name] = entry
            actions += self.begin(configuration.name)
        }
        return actions
    }

    /// A caller wants one read now; nothing happens while it is.
    mutating func refresh(_ name: String) -> [Action] { self.begin(name) }

    /// The time of a wish has passed.
    mutating func due(_ name: String, generation: Int) -> [Action] {
        self.entries[name]?.generation == generation ? self.begin(name) : []
    }

    /// Reading has ended.
    /// - Parameter now: seconds since 1970.
    /// - Returns: what is to be done; nothing when the configuration has changed meanwhile.
    mutating func ended(_ job: Job, _ outcome: Outcome, now: Int64) -> [Action] {
        let name = job.configuration.name
        guard var entry = self.entries[name], entry.generation == job.generation else { return [] }
        entry.isReading = false
        entry.standing.triedAt = now
        var actions: [Action] = []
        switch outcome {
        case .list(let list, let validators):
            let isNews = entry.standing.state != .read || entry.standing.list != list
            entry.standing.list = list
            entry.validators = validators
            actions += Self.succeed(&entry, isNews: isNews, now: now)
        case .unchanged:
            actions += Self.succeed(&entry, isNews: entry.standing.state != .read, now: now)
        case .failed(let fault):
            entry.failures += 1
            entry.standing.state = .failed
            entry.standing.fault = fault
            actions.append(
                .publish(
                    .catalogue(name: name, .failed(code: fault.code, reason: fault.reason, status: fault.status))))
        }
        self.entries[name] = entry
        return actions + [.wait(name: name, generation: entry.generation, Self.pause(of: entry))]
    }

    private static func succeed(_ entry: inout Entry, isNews: Bool, now: Int64) -> [Action] {
        entry.failures = 0
        entry.standing.state = .read
        entry.standing.fault = nil
        entry.standing.readAt = now
        guard isNews else { return [] }
        return [
            .publish(.catalogue(name: entry.configuration.name, .read(items: entry.standing.list?.items.count ?? 0)))
        ]
    }

    private static func pause(of entry: Entry) -> Duration {
        let interval = entry.configuration.refresh
        guard entry.failures > 0 else { return interval }
        return min(interval, Self.firstPause * (1 << min(entry.failures - 1, 16)))
    }

    private mutating func begin(_ name: String) -> [Action] {
        guard var entry = self.entries[name], !entry.isReading else { return [] }
        entry.isReading = true
        self.entries[name] = entry
        let validators = entry.standing.list == nil ? Validators() : entry.validators
        let job = Job(configuration: entry.configuration, generation: entry.generation, validators: validators)
        return [.forget(name: name), .read(job)]
    }
}
