import CastDiscovery
import CastTransport
import DeviceListening
import GatewayConfig
import GatewayCore
import Logging
import NIOCore
import NIOPosix
import SystemPrimitives

/// One virtual device whose senders are passed through: who may connect now, the splices, and what is announced.
///
/// Its target is whatever discovery knows of the real device at the moment (``follow(_:)``): new senders go to where the device is now,
/// and those of addresses that it has no more are cut. Lives on one event loop together with its splices.
final class PassthroughDevice {
    /// The interval at which an interface that is not there is looked for again.
    private static let interfacePause = TimeAmount.seconds(5)

    let eventLoop: any EventLoop
    let name: String
    let ownEndpoints: OwnEndpoints
    private let environment: PassthroughEnvironment
    private let desk: SetupProxyState
    private let log: SpliceLog
    private let publication: PassthroughPublication?
    private let logger: Logger
    private let wallClock: @Sendable () -> Int64
    private let interfaces: @Sendable () -> InterfaceTable
    private let tell: @Sendable (PassthroughState) -> Void
    private(set) var settings: PassthroughSettings
    private var limits: PassthroughLimits
    /// The real device as it is known; nil while it is away.
    private(set) var target: PassedDevice?
    /// The addresses to dial, best first.
    private(set) var candidates: [DialAddress] = []
    private var identities = AddressIdentities()
    private(set) var counts = PassthroughCounts()
    private(set) var stopReason: String?
    private var splices: [ConnectionID: Splice] = [:]
    /// The number of connections each address has, those too that have not begun.
    private var addresses: [AddressBlock: Int] = [:]
    private var hours: SenderHours
    private var isOpenNow = true
    /// The port where senders connect; nil before they can, and when they cannot any more.
    private var port: Int?
    private let timer: LoopTimer
    private let hoursTimer: LoopTimer
    /// Has hours begin and end by the clock as it is set.
    private var clock: ClockObservation?
    private let interfaceTimer: LoopTimer
    private var whenEmpty: (() -> Void)?

    init(
        _ settings: PassthroughSettings, environment: PassthroughEnvironment, desk: SetupProxyState = SetupProxyState(),
        refusals: RefusalLog, eventLoop: any EventLoop, logger: Logger,
        wallClock: @escaping @Sendable () -> Int64,
        interfaces: @escaping @Sendable () -> InterfaceTable = { .current },
        tell: @escaping @Sendable (PassthroughState) -> Void = { _ in }
    ) {
        self.eventLoop = eventLoop
        self.name = settings.name
        self.ownEndpoints = environment.ownEndpoints
        self.environment = environment
        self.desk = desk
        self.settings = settings
        self.limits = environment.limits
        self.logger = logger
        self.wallClock = wallClock
        self.interfaces = interfaces
        self.tell = tell
        self.hours = SenderHours(settings.senders, timeZone: settings.timeZone)
        self.log = SpliceLog(
            device: settings.name, events: environment.events, refusals: refusals, eventLoop: eventLoop, logger: logger)
        self.publication = environment.announcer.map { PassthroughPublication(announcer: $0, logger: logger) }
        self.timer = LoopTimer(on: eventLoop)
        self.hoursTimer = LoopTimer(on: eventLoop)
        self.interfaceTimer = LoopTimer(on: eventLoop)
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        self.clock = environment.events.clock.observe { eventLoop.execute { bound.value.lookAtHours() } }
        self.lookAtHours()
    }

    // MARK: Life

    /// Senders can connect at this port; it is announced from now on.
    func listens(at port: Int) {
        self.port = port
        if self.settings.isMirrored { self.environment.streams?.begin() }
        self.announce()
    }

    /// Senders cannot connect any more; those that are connected stay.
    func withdraw() {
        self.port = nil
        self.interfaceTimer.cancel()
        self.publication?.withdraw()
    }

    /// Takes other settings. Senders stay, unless they are passed through to another device then, or may not be connected now.
    /// - Parameter target: what is known of the real device that is meant then.
    func reconfigure(_ settings: PassthroughSettings, limits: PassthroughLimits, target: PassedDevice?) {
        let before = self.settings
        self.settings = settings
        self.limits = limits
        if before.target != settings.target {
            self.cutAll(.closedLocally("the virtual device has another target now"))
        }
        if before.senders.during != settings.senders.during || before.timeZone != settings.timeZone {
            self.hours = SenderHours(settings.senders, timeZone: settings.timeZone)
            self.lookAtHours()
        }
        if before.isMirrored != settings.isMirrored { self.switchMirroring() }
        for splice in self.all {
            if let reason = self.obstacle(for: splice.address) { splice.cut(.closedLocally(reason)) }
        }
        self.follow(target)
    }

    func stop(_ reason: String) {
        self.stopReason = reason
        self.clock?.cancel()
        self.clock = nil
        self.hoursTimer.cancel()
        self.withdraw()
        self.cutAll(.closedLocally(reason))
        self.timer.cancel()
    }

    /// Waits until the splices that were ended are gone.
    /// - Returns: a future that succeeds when none is left, or when the time is over.
    func waitForEnds(atMost time: TimeAmount) -> EventLoopFuture<Void> {
        let promise = self.eventLoop.makePromise(of: Void.self, within: time) { $0.succeed() }
        if self.splices.isEmpty { promise.succeed() } else { self.whenEmpty = { promise.succeed() } }
        return promise.futureResult
    }

    private func cutAll(_ reason: SpliceEnding) {
        for splice in self.all { splice.cut(reason) }
    }

    /// The splices, those too that have not begun, the oldest first.
    private var all: [Splice] { self.splices.values.sorted { $0.id.rawValue < $1.id.rawValue } }

    // MARK: The real device

    /// Takes what discovery knows of the real device now; nil when it is away.
    func follow(_ target: PassedDevice?) {
        let table = self.interfaces()
        let announcement = PassthroughAnnouncement(
            settings: self.settings, port: self.port ?? self.settings.listen.port)
        if let target, self.target == nil {
            self.logger.info(
                "The device is there",
                metadata: ["addresses": "\(target.addresses.map(\.description).joined(separator: " "))"])
        } else if target == nil, self.target != nil {
            self.logger.info("The device is away, so senders are turned away")
        }
        self.target = target
        self.identities.follow(target?.identity)
        let before = self.candidates
        self.candidates = announcement.candidates(of: target, in: table).filter {
            !self.ownEndpoints.contains(host: $0.host, port: $0.port)
        }
        if before != self.candidates { self.identities.doubt() }
        self.desk.follow(host: self.candidates.first?.host, iconPath: target?.record?.iconPath)
        let places = Set(self.candidates)
        for splice in self.all {
            guard let place = splice.target, splice.phase == .open else { continue }
            if places.isEmpty {
                splice.cut(.deviceAway)
            } else if !places.contains(place) {
                splice.cut(.deviceMoved)
            }
        }
        self.announce(table)
    }

    private func announce(_ table: InterfaceTable? = nil) {
        defer { self.tell(self.state) }
        self.interfaceTimer.cancel()
        guard let publication else { return }
        guard let port, self.isOpenNow, let target else { return publication.withdraw() }
        let announcement = PassthroughAnnouncement(settings: self.settings, port: port)
        let outcome = announcement.outcome(for: target, in: table ?? self.interfaces())
        publication.follow(outcome)
        guard !outcome.missing.isEmpty else { return }
        self.interfaceTimer.set(until: self.eventLoop.now + Self.interfacePause) { self.follow(self.target) }
    }

    // MARK: Hours

    private func lookAtHours() {
        guard self.stopReason == nil else { return }
        let now = self.wallClock()
        let isOpen = self.hours.allows(at: now)
        if isOpen != self.isOpenNow {
            self.isOpenNow = isOpen
            self.logger.info(isOpen ? "Senders may connect from now on" : "Senders may not connect for now")
            if !isOpen { self.cutAll(.outsideHours) }
            self.environment.events.publish(.passed(device: self.name, isOpen ? .opened : .closed))
            self.announce()
        }
        guard let pause = self.hours.pause(at: now) else { return self.hoursTimer.cancel() }
        self.hoursTimer.set(until: self.eventLoop.now + .seconds(max(pause, 1))) { self.lookAtHours() }
    }

    // MARK: Senders

    /// The reason an address may not connect now, be it to the device or to its set-up port; nil when it may.
    func obstacle(for address: String) -> String? {
        if let reason = self.stopReason { return reason }
        if let obstacle = self.settings.senders.obstacle(for: address, to: self.name, self.environment.rights) {
            return obstacle
        }
        return self.isOpenNow ? nil : "\(SpliceEnding.outsideHours)"
    }

    /// Takes a connection of a sender; called when it is accepted, on the event loop.
    /// - Throws: when it is turned away.
    func accept(_ channel: any Channel) throws {
        let address = channel.remoteAddress?.host ?? "unknown"
        let block = AddressBlock(address)
        let id = self.environment.connectionIDs.next()
        let bound = NIOLoopBound(self, eventLoop: self.eventLoop)
        let admission: ConnectionAdmission
        do {
            admission = try self.environment.admission.admit(
                address, to: .senders, bytes: PeerCost.passedSender,
                obstacle: self.obstacle(for: address) ?? self.obstacle(of: block), at: self.eventLoop.now
            ) {
                bound.eventLoop.execute { bound.value.splices[id]?.cut(.evicted) }
            }
        } catch {
            self.log.turnedAway(address, Admission.reason(of: error))
            throw error
        }
        channel.closeFuture.whenComplete { _ in admission.release() }
        let splice = Splice(
            id: id, address: address, north: channel, admission: admission, device: self, limits: self.limits)
        try channel.pipeline.syncOperations.addHandler(SpliceHandler(.sender, of: splice))
        self.splices[id] = splice
        self.addresses[block, default: 0] += 1
        self.watch(splice)
    }

    /// The reason one more address may not connect; nil when it may.
    private func obstacle(of block: AddressBlock) -> String? {
        if self.target == nil { return "\(SpliceEnding.deviceAway)" }
        if self.candidates.isEmpty { return "no address of the device may be dialled from here" }
        guard let most = self.settings.senders.maximumAddresses, self.addresses[block] == nil,
            self.addresses.count >= most
        else { return nil }
        return "as many addresses are connected as senders.max allows"
    }

    /// Connects to the real device.
    func connect(
        to address: DialAddress, _ initialize: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
    ) -> EventLoopFuture<any Channel> {
        let bootstrap = SpliceSockets.set(on: ClientBootstrap(group: self.eventLoop))
            .connectTimeout(self.limits.connect)
            .channelInitializer(initialize)
        if let literal = try? SocketAddress(ipAddress: address.host, port: address.port) {
            return bootstrap.connect(to: literal)
        }
        return bootstrap.connect(host: address.host, port: address.port)
    }

    /// Finds out whether the device that is meant is at an address, before a sender is passed through to it.
    /// - Parameter done: called once, perhaps at once: with nil when it is, or may be, and otherwise with the reason why not.
    func identify(_ address: DialAddress, done: @escaping (_ refusal: String?) -> Void) {
        guard let expected = self.identities.expected else { return done(nil) }
        if let known = self.identities.answer(at: address, now: self.eventLoop.now) { return done(known.refusal) }
        let bound = NIOLoopBound((self, done), eventLoop: self.eventLoop)
        IdentityProbe.ask(address, for: expected, within: self.limits.connect, on: self.eventLoop).whenSuccess {
            outcome in
            let (device, done) = bound.value
            // Another device may be meant by now; then it is asked again by the next sender.
            guard device.identities.expected?.id == expected.id else { return done("another device is meant now") }
            let refusal = device.identities.note(outcome, at: address, now: device.eventLoop.now)
            if let refusal {
                device.logger.warning(
                    "A sender is not passed through to this address",
                    metadata: ["address": "\(address)", "reason": "\(refusal)"])
            }
            done(refusal)
        }
    }

    func opened(_ splice: Splice) {
        self.counts.opened += 1
        self.log.opened(splice)
        if self.settings.isMirrored { self.admitStreams(of: splice) }
    }

    func ended(_ splice: Splice, _ reason: SpliceEnding) {
        self.splices[splice.id] = nil
        if let count = self.addresses[splice.block] { self.addresses[splice.block] = count > 1 ? count - 1 : nil }
        if !splice.wasOpen { self.counts.refused += 1 }
        self.environment.streams?.dismiss(splice.id, self.stopReason == nil ? .senderGone : .deviceStopped)
        self.log.ended(splice, reason)
        guard self.splices.isEmpty, let callback = self.whenEmpty else { return }
        self.whenEmpty = nil
        callback()
    }

    func count(_ bytes: Int, from side: SpliceSide) {
        switch side {
        case .sender: self.counts.fromSenders &+= UInt64(bytes)
        case .device: self.counts.fromDevice &+= UInt64(bytes)
        }
    }

    // MARK: Mirroring

    /// Lets the sender of a splice mirror to the device.
    private func admitStreams(of splice: Splice) {
        guard let streams = self.environment.streams, let ends = splice.ends else { return }
        streams.admit(splice.id, of: ends.sender, at: ends.screen, to: self.name, ends.device)
    }

    /// Follows settings in which streams are carried that were not, or the other way round.
    private func switchMirroring() {
        if self.settings.isMirrored { self.environment.streams?.begin() }
        for splice in self.all where splice.phase == .open {
            if self.settings.isMirrored {
                self.admitStreams(of: splice)
            } else {
                self.environment.streams?.dismiss(splice.id, .reconfigured)
            }
        }
    }

    // MARK: Time

    /// Sets the timer of a splice.
    func watch(_ splice: Splice) {
        self.wake(at: splice.nextDeadline)
    }

    private func wake(at deadline: NIODeadline) {
        if let earlier = self.timer.deadline, earlier <= deadline { return }
        self.timer.set(until: deadline) { self.timePassed() }
    }

    private func timePassed() {
        let now = self.eventLoop.now
        for splice in self.all { splice.timePassed(at: now) }
        guard let next = self.splices.values.map(\.nextDeadline).min() else { return }
        // Those that are due were ended; what is never due at once cannot spin.
        self.wake(at: max(next, now + .milliseconds(10)))
    }

    // MARK: What others see

    var overview: PassthroughOverview {
        let open = self.all.filter { $0.phase == .open }
        return PassthroughOverview(
            name: self.name, target: self.settings.target, state: self.state,
            announcedIn: self.publication?.interfaces ?? [], counts: self.counts,
            splices: open.map { splice in
                SpliceOverview(
                    connection: splice.id, address: splice.address, since: splice.began,
                    fromSender: splice.received.sender, fromDevice: splice.received.device)
            }, streams: self.environment.streams?.streams(of: self.name) ?? [])
    }

    private var state: PassthroughState {
        if self.target == nil { return .away }
        if let conflicts = self.publication?.conflicts, !conflicts.isEmpty { return .sameNetwork }
        if !self.isOpenNow { return .closed }
        return self.publication?.interfaces.isEmpty == false ? .announced : .listening
    }

    func disconnect(reason: String, where isMeant: (SpliceOverview) -> Bool) -> [SpliceOverview] {
        let meant = self.overview.splices.filter(isMeant)
        for splice in meant { self.splices[splice.connection]?.cut(.closedLocally(reason)) }
        return meant
    }
}
