import CastWire
import GatewayConfig
import GatewayCore
import Synchronization

/// The rules of a gateway, found by namespace, virtual device and type. May be used on any thread.
///
/// Which rules could concern a namespace on a virtual device is found out once and kept, so that a message that no rule could
/// concern costs one look-up, however many rules there are.
final class RuleTable: Sendable {
    private struct Key: Hashable {
        let namespace: Namespace
        let device: String
        let leg: MessageLeg
    }

    /// The limit of the cache, since peers may invent namespaces.
    private static let cacheLimit = 256
    /// Longer names are looked for each time, so that inventing them costs no memory.
    private static let maximumNameLength = 128

    /// The rules in the order of the file.
    let rules: [CompiledRule]
    let plays: PlaySessions?
    private let cache = Mutex<[Key: CandidateRules]>([:])

    /// Compiles rules.
    /// - Parameters:
    ///   - timeZone: the time zone of rules that name none; nil for the machine's.
    ///   - plays: how long apps have played; outlives the table.
    init(_ rules: [RoutingRule], timeZone: String?, plays: PlaySessions? = nil) {
        self.plays = plays
        var clocks: [String?: ZoneClock] = [:]
        func clock(_ rule: RoutingRule) -> ZoneClock {
            let name = rule.condition.timeZone ?? timeZone
            if let clock = clocks[name] { return clock }
            let clock = ZoneClock(name)
            clocks[name] = clock
            return clock
        }
        self.rules = rules.map { CompiledRule($0, clock: clock($0)) }
    }

    /// The rules that could concern messages of a namespace on a device of a leg.
    func candidates(_ namespace: Namespace, device: String, leg: MessageLeg = .sender) -> CandidateRules {
        let key = Key(namespace: namespace, device: device, leg: leg)
        if let known = self.cache.withLock({ $0[key] }) { return known }
        let found = CandidateRules(self.rules) { $0.concerns(namespace, device: device, leg: leg) }
        guard namespace.rawValue.utf8.count <= Self.maximumNameLength else { return found }
        self.cache.withLock { cache in
            if cache.count >= Self.cacheLimit { cache.removeAll(keepingCapacity: true) }
            cache[key] = found
        }
        return found
    }

    /// The number of answers that are kept.
    var cachedCount: Int { self.cache.withLock { $0.count } }
}

/// Rules that could match, by their places in the list of rules, and sorted by the types that they are about.
final class CandidateRules: Sendable {
    let all: [Int]
    /// The rules that do not name their types one by one.
    private let ofAnyType: [Int]
    private let byType: [String: [Int]]

    fileprivate init(_ rules: [CompiledRule], where isCandidate: (CompiledRule) -> Bool) {
        var all: [Int] = []
        var ofAnyType: [Int] = []
        var byType: [String: [Int]] = [:]
        for (index, rule) in rules.enumerated() where isCandidate(rule) {
            all.append(index)
            if let types = rule.exactTypes {
                for type in types { byType[type, default: []].append(index) }
            } else {
                ofAnyType.append(index)
            }
        }
        self.all = all
        self.ofAnyType = ofAnyType
        self.byType = byType
    }

    /// True if it takes the message's type to tell which rules are left.
    var dependsOnType: Bool { !self.byType.isEmpty }

    /// The rules for messages of a type, in order; nil stands for none.
    func rules(ofType type: String?) -> RuleSequence {
        RuleSequence(one: self.ofAnyType, other: type.flatMap { self.byType[$0] } ?? [])
    }

    var allRules: RuleSequence { RuleSequence(one: self.all, other: []) }
}

/// The places of two sorted lists, in order.
struct RuleSequence: Sequence, IteratorProtocol {
    private let one: [Int]
    private let other: [Int]
    private var oneIndex = 0
    private var otherIndex = 0

    fileprivate init(one: [Int], other: [Int]) {
        self.one = one
        self.other = other
    }

    mutating func next() -> Int? {
        let takesOne: Bool
        switch (self.oneIndex < self.one.count, self.otherIndex < self.other.count) {
        case (false, false): return nil
        case (true, true): takesOne = self.one[self.oneIndex] < self.other[self.otherIndex]
        case (let isLeft, _): takesOne = isLeft
        }
        if takesOne {
            defer { self.oneIndex += 1 }
            return self.one[self.oneIndex]
        }
        defer { self.otherIndex += 1 }
        return self.other[self.otherIndex]
    }
}
