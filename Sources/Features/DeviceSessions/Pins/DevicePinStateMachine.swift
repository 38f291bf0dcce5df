package import CastDiscovery
package import NIOCore

/// Decides which discovered devices have a virtual device: those that come, are proved, are pinned, or are away.
///
/// A device that is heard long enough is proved, which costs a connection, and pinned, which costs keys: one device at a time,
/// and never more than the template allows. A pin ends only when it is forgotten by command. Knows no clock: instants are
/// passed in, and ``nextDeadline`` says when to send ``Event/timePassed``.
package struct DevicePinStateMachine: Sendable {
    /// A device that is heard now and may have a virtual device.
    package struct Candidate: Hashable, Sendable {
        package let id: DeviceID
        package let traits: DevicePin.Traits
        /// The addresses to dial, best first.
        package let addresses: [DeviceAddress]

        package init(id: DeviceID, traits: DevicePin.Traits, addresses: [DeviceAddress]) {
            self.id = id
            self.traits = traits
            self.addresses = addresses
        }
    }

    package enum Event: Hashable, Sendable {
        /// Another template is in force; nil for none.
        case configured(Template?)
        /// These devices are heard now, and no others.
        case listed([Candidate])
        /// The address at which the device has answered, nil when it has not; the answer to ``Action/prove(_:)``.
        case proved(DeviceID, host: String?)
        /// The virtual device runs; the answer to ``Action/make(_:)``.
        case made(DeviceID)
        /// There is no virtual device, and its port is better not tried again; the other answer to ``Action/make(_:)``.
        case notMade(DeviceID)
        /// A device is forgotten by command.
        case forgotten(DeviceID)
        case timePassed
    }

    package enum Action: Hashable, Sendable {
        /// Find out whether the device answers as one, and send ``Event/proved(_:host:)``.
        case prove(Candidate)
        /// Make keys, keep the pin, run the virtual device, and send ``Event/made(_:)`` or ``Event/notMade(_:)``.
        case make(DevicePin)
        case keep(DevicePin)
        case remove(DevicePin)
        /// Say that the virtual device is announced from now on.
        case tellPresent(DevicePin)
        case tellAbsent(DevicePin)
        /// Say that there is no room for devices that are heard; once until there has been room.
        case tellFull(count: Int)
        /// Say that more devices are heard at an address than may be; once until it was otherwise.
        case tellCrowded(host: String)
    }

    private enum Presence: Hashable {
        case beginning
        case here
        case leaving(until: NIODeadline)
        case away
    }

    private struct Pinned {
        var pin: DevicePin
        var presence: Presence
        /// The device's new traits, and when they are believed.
        var news: (traits: DevicePin.Traits, due: NIODeadline)?
        /// Says that it is elsewhere than it was proved to be, and is to be proved there.
        var move: Waiting?
        /// The number of failures before.
        var failures = 0
    }

    private struct Waiting {
        var candidate: Candidate
        var due: NIODeadline
        var failures = 0
        /// The address that answered, though it was not taken.
        var answered: String?

        /// The address that it is counted at.
        var host: String? { self.answered ?? self.candidate.addresses.first?.host }

        func isAt(_ hosts: Set<String>) -> Bool { self.host.map(hosts.contains) ?? false }
    }

    /// Beyond so many new devices at once, others wait until some of these are gone.
    private static let maximumWaiting = 1024

    private let times: Times
    private var template: Template?
    private var pinned: [DeviceID: Pinned]
    private var waiting: [DeviceID: Waiting] = [:]
    /// The one device that is being proved or made.
    private var busy: DeviceID?
    private var isFullTold = false
    /// The addresses of which it is known that they have more devices than may be.
    private var toldHosts: Set<String> = []
    private var avoided: Set<Int> = []

    /// Begins with the pins of earlier runs, all of them away until they are heard.
    package init(pins: [DevicePin], times: Times = Times()) {
        self.times = times
        self.pinned = Dictionary(
            pins.map { ($0.id, Pinned(pin: $0, presence: .away)) }, uniquingKeysWith: { first, _ in first })
    }

    // MARK: What is

    /// The pins, the oldest first.
    package var pins: [DevicePin] {
        self.pinned.values.map(\.pin).sorted { ($0.pinnedAt, $0.id) < ($1.pinnedAt, $1.id) }
    }

    /// True if a device of an earlier run or of this one is there, or has been a moment ago.
    package func isThere(_ id: DeviceID) -> Bool {
        switch self.pinned[id]?.presence {
        case .here, .leaving: true
        case .beginning, .away, nil: false
        }
    }

    /// The number of devices that are heard and have no virtual device since there is no room, or none for their
    /// address.
    package var refusedCount: Int {
        guard self.template != nil else { return 0 }
        guard self.hasRoom else { return self.waiting.count }
        let crowded = self.crowdedHosts
        return self.waiting.values.count { $0.isAt(crowded) }
    }

    /// The addresses that have as many devices as may be.
    private var crowdedHosts: Set<String> {
        guard let template else { return [] }
        let counts = Dictionary(self.pinned.values.compactMap(\.pin.host).map { ($0, 1) }, uniquingKeysWith: +)
        return Set(counts.filter { $0.value >= template.atMostPerHost }.keys)
    }

    private var hasRoom: Bool {
        self.template.map { self.pinned.count < $0.atMost && self.freePort($0) != nil } ?? false
    }

    /// The time when ``Event/timePassed`` has something to do; nil for never.
    package var nextDeadline: NIODeadline? {
        var deadlines = self.pinned.values.compactMap { $0.news?.due }
        for case .leaving(let until) in self.pinned.values.map(\.presence) { deadlines.append(until) }
        guard self.template != nil, self.busy == nil else { return deadlines.min() }
        deadlines += self.pinned.values.compactMap { $0.move?.due }
        if self.hasRoom || !self.isFullTold {
            let told = self.crowdedHosts.intersection(self.toldHosts)
            deadlines += self.waiting.values.filter { !$0.isAt(told) }.map(\.due)
        }
        return deadlines.min()
    }

    // MARK: What happens

    /// Takes what happened.
    /// - Parameter time: the same in seconds since 1970.
    package mutating func handle(_ event: Event, at now: NIODeadline, time: Int64) -> [Action] {
        var actions: [Action] = []
        switch event {
        case .configured(let template):
            if template != self.template { (self.isFullTold, self.toldHosts, self.avoided) = (false, [], []) }
            self.template = template
            if template == nil { self.waiting = [:] }
            // What is due begins with the next list: a reload does nothing of it.
            return []
        case .listed(let candidates): actions = self.list(candidates, at: now, time: time)
        // The next device is begun with at the next instant, not within the answer for this one.
        case .proved(let id, let host): return self.proved(id, host, at: now, time: time)
        case .made(let id):
            guard self.busy == id else { return [] }
            self.busy = nil
            guard let pin = self.pinned[id]?.pin else { return [] }
            self.pinned[id]?.presence = .here
            return [.tellPresent(pin)]
        case .notMade(let id):
            guard self.busy == id else { return [] }
            self.busy = nil
            guard let entry = self.pinned.removeValue(forKey: id) else { return [] }
            self.avoided.insert(entry.pin.port)
            // When all of them are, it was not the ports, or they are worth another try.
            if let template, self.freePort(template) == nil { self.avoided = [] }
            self.waiting[id] = Waiting(
                candidate: Candidate(id: id, traits: entry.pin.traits, addresses: []),
                due: now + self.pause(after: entry.failures), failures: entry.failures + 1)
            return [.remove(entry.pin)]
        case .forgotten(let id):
            guard let pin = self.pinned.removeValue(forKey: id)?.pin else { return [] }
            if self.busy == id { self.busy = nil }
            self.isFullTold = false
            return [.remove(pin)]
        case .timePassed: break
        }
        return actions + self.passTime(at: now, time: time)
    }

    /// Takes other ports for pins, since the template has others now.
    /// - Returns: the pins that have changed.
    package mutating func assign(ports: [DeviceID: Int]) -> [DevicePin] {
        var changed: [DevicePin] = []
        for (id, port) in ports {
            guard let pin = self.pinned[id]?.pin, pin.port != port else { continue }
            self.pinned[id]?.pin.port = port
            if let pin = self.pinned[id]?.pin { changed.append(pin) }
        }
        return changed
    }

    private mutating func list(_ candidates: [Candidate], at now: NIODeadline, time: Int64) -> [Action] {
        var actions: [Action] = []
        let heard = Dictionary(candidates.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        for (id, var entry) in self.pinned {
            if let candidate = heard[id] {
                if entry.presence == .away {
                    entry.pin.seenAt = time
                    actions += [.keep(entry.pin), .tellPresent(entry.pin)]
                }
                if entry.presence != .beginning { entry.presence = .here }
                if candidate.traits == entry.pin.traits {
                    entry.news = nil
                } else {
                    entry.news = (candidate.traits, entry.news?.due ?? now + self.times.renaming)
                }
                entry.move = self.move(of: entry, to: candidate, at: now)
            } else if entry.presence == .here {
                entry.presence = .leaving(until: now + (self.template?.grace ?? .zero))
                (entry.news, entry.move) = (nil, nil)
            }
            self.pinned[id] = entry
        }
        guard self.template != nil else { return actions }
        self.waiting = self.waiting.filter { heard[$0.key] != nil || $0.key == self.busy }
        for candidate in candidates where self.pinned[candidate.id] == nil {
            if let known = self.waiting[candidate.id] {
                self.waiting[candidate.id]?.candidate = candidate
                if known.candidate.addresses != candidate.addresses { self.waiting[candidate.id]?.answered = nil }
            } else if self.waiting.count < Self.maximumWaiting {
                self.waiting[candidate.id] = Waiting(candidate: candidate, due: now + self.times.settling)
            }
        }
        return actions
    }

    /// A device that is heard elsewhere than it was proved to be: what anyone announces moves nothing by itself.
    private func move(of entry: Pinned, to candidate: Candidate, at now: NIODeadline) -> Waiting? {
        let isKnown = entry.pin.host.map { host in candidate.addresses.contains { $0.host == host } } ?? false
        guard !isKnown, !candidate.addresses.isEmpty else { return nil }
        var move = entry.move ?? Waiting(candidate: candidate, due: now + self.times.renaming)
        move.candidate = candidate
        return move
    }

    private mutating func proved(_ id: DeviceID, _ host: String?, at now: NIODeadline, time: Int64) -> [Action] {
        guard self.busy == id else { return [] }
        self.busy = nil
        if var entry = self.pinned[id] {
            defer { self.pinned[id] = entry }
            guard let host else {
                let failures = entry.move?.failures ?? 0
                entry.move?.due = now + self.pause(after: failures)
                entry.move?.failures = failures + 1
                return []
            }
            entry.pin.host = host
            entry.move = nil
            return [.keep(entry.pin)]
        }
        guard let template = self.template, var entry = self.waiting[id] else { return [] }
        let names = Set(self.pinned.values.map(\.pin.name))
        guard let host, self.hasRoom, !self.crowdedHosts.contains(host), let port = self.freePort(template),
            let name = DevicePin.name(for: id, among: names)
        else {
            entry.due = now + self.pause(after: entry.failures)
            entry.failures += 1
            entry.answered = host
            self.waiting[id] = entry
            return []
        }
        let pin = DevicePin(
            id: id, name: name, port: port, traits: entry.candidate.traits, host: host, pinnedAt: time, seenAt: time)
        self.waiting[id] = nil
        self.pinned[id] = Pinned(pin: pin, presence: .beginning, failures: entry.failures)
        self.busy = id
        return [.make(pin)]
    }

    private func pause(after failures: Int) -> TimeAmount {
        let pause = self.times.retry.nanoseconds << min(failures, 16)
        return min(.nanoseconds(pause), self.times.longestRetry)
    }

    private func freePort(_ template: Template) -> Int? {
        let taken = Set(self.pinned.values.map(\.pin.port)).union(self.avoided)
        return template.ports.first { !taken.contains($0) }
    }

    private mutating func passTime(at now: NIODeadline, time: Int64) -> [Action] {
        var actions: [Action] = []
        for (id, var entry) in self.pinned {
            if case .leaving(let until) = entry.presence, now >= until {
                entry.presence = .away
                entry.pin.seenAt = time
                actions += [.keep(entry.pin), .tellAbsent(entry.pin)]
            }
            if let news = entry.news, now >= news.due {
                entry.news = nil
                entry.pin.traits = news.traits
                actions.append(.keep(entry.pin))
            }
            self.pinned[id] = entry
        }
        return actions + self.beginNext(at: now)
    }

    /// Begins with the device that has waited longest, if there is room for it.
    private mutating func beginNext(at now: NIODeadline) -> [Action] {
        guard self.template != nil, self.busy == nil else { return [] }
        var (due, actions) = self.due(at: now)
        due += self.pinned.values.compactMap(\.move).filter { $0.due <= now }
        // An address at which nothing answers does not keep the devices of others waiting.
        let silent = self.silentHosts
        let next = due.min {
            let (isSilent, isOtherSilent) = ($0.isAt(silent), $1.isAt(silent))
            if isSilent != isOtherSilent { return isOtherSilent }
            return ($0.due, $0.candidate.id) < ($1.due, $1.candidate.id)
        }
        guard let next else { return actions }
        self.busy = next.candidate.id
        actions.append(.prove(next.candidate))
        return actions
    }

    /// The new devices that are to be proved now and may be pinned; tells which may not.
    private mutating func due(at now: NIODeadline) -> (devices: [Waiting], actions: [Action]) {
        let due = self.waiting.values.filter { $0.due <= now }
        guard !due.isEmpty else { return ([], []) }
        guard self.hasRoom else {
            defer { self.isFullTold = true }
            return ([], self.isFullTold ? [] : [.tellFull(count: due.count)])
        }
        self.isFullTold = false
        let crowded = self.crowdedHosts
        let refused = Set(due.filter { $0.isAt(crowded) }.compactMap(\.host))
        let news = refused.subtracting(self.toldHosts).sorted()
        self.toldHosts = self.toldHosts.intersection(crowded).union(refused)
        return (due.filter { !$0.isAt(crowded) }, news.map { .tellCrowded(host: $0) })
    }

    /// The addresses of which more devices have failed than may be pinned there.
    private var silentHosts: Set<String> {
        guard let template else { return [] }
        let failed = self.waiting.values.filter { $0.failures > 0 }.compactMap(\.host)
        let counts = Dictionary(failed.map { ($0, 1) }, uniquingKeysWith: +)
        return Set(counts.filter { $0.value >= template.atMostPerHost }.keys)
    }
}
