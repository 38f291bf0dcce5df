/// The state of a virtual device's announcement, and what follows from what happens to it.
struct Registration {
    enum State: Hashable {
        /// For the daemon, or for the host's name.
        case waiting
        /// The daemon makes sure that no other host has the name.
        case registering
        case established
        /// The daemon refused; the timer tries again.
        case failed
    }

    enum Event: Hashable {
        case running
        /// Withdrawn until the host has a name.
        case unnamed
        case blocked
        case changed(PublishedService)
        case collision
        case established
        case failure(reason: String)
        case timer
    }

    enum Action: Hashable {
        /// Withdraw what there is, and announce the service under this name.
        case build(instance: String)
        case updateRecord
        /// Answer to these subtypes and to no others.
        case answer([ServiceSubtype])
        case withdraw
        case tell(Outcome)
        case retry(milliseconds: Int)
    }

    /// The event that is told, without the key.
    enum Outcome: Hashable {
        case published(instance: String)
        case renamed(instance: String)
        case failed(reason: String)
    }

    private static let firstPause = 1000
    private static let longestPause = 60000
    /// A network with more devices of one id is not one to take part in.
    private static let maximumAttempts = 99

    private(set) var service: PublishedService
    private(set) var state = State.waiting
    private var attempt = 1
    private var pause = Self.firstPause
    private var toldReason: String?

    init(_ service: PublishedService) {
        self.service = service
    }

    /// The name under which it is announced, or tried.
    var instance: String { CastService.instance(self.service.instance, attempt: self.attempt) }

    mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .running: return self.state == .waiting ? self.build() : []
        case .unnamed:
            guard self.state != .waiting else { return [] }
            self.state = .waiting
            return [.withdraw]
        case .blocked:
            self.state = .waiting
            return []
        case .changed(let service): return self.change(to: service)
        case .collision:
            guard self.state == .registering || self.state == .established else { return [] }
            guard self.attempt < Self.maximumAttempts else { return self.fail("every name is taken") }
            self.attempt += 1
            return [.tell(.renamed(instance: self.instance))] + self.build()
        case .established:
            guard self.state == .registering else { return [] }
            self.state = .established
            self.pause = Self.firstPause
            self.toldReason = nil
            return [.tell(.published(instance: self.instance)), .answer(self.service.subtypes)]
        case .failure(let reason): return self.fail(reason)
        case .timer: return self.state == .failed ? self.build() : []
        }
    }

    private mutating func build() -> [Action] {
        self.state = .registering
        return [.build(instance: self.instance)]
    }

    private mutating func change(to service: PublishedService) -> [Action] {
        let old = self.service
        self.service = service
        guard service != old else { return [] }
        if service.instance != old.instance { self.attempt = 1 }
        guard self.state != .waiting else { return [] }
        if self.state == .failed || old.needsRebuild(for: service) { return self.build() }
        var actions: [Action] = service.record == old.record ? [] : [.updateRecord]
        if self.state == .established, service.subtypes != old.subtypes { actions.append(.answer(service.subtypes)) }
        return actions
    }

    private mutating func fail(_ reason: String) -> [Action] {
        self.state = .failed
        defer {
            self.pause = min(self.pause * 2, Self.longestPause)
            self.toldReason = reason
        }
        return [.withdraw] + (reason == self.toldReason ? [] : [.tell(.failed(reason: reason))])
            + [.retry(milliseconds: self.pause)]
    }
}
