import CastWire
import GatewayCore
import NIOCore
import SystemPrimitives

/// The answers that senders get, and their requests that wait, while the device is out of reach.
///
/// - For a grace period (`sessions.suspend_after`) senders are not told. What they ask is answered with the last status, or
///   waits for the device (`sessions.wait_for_device`). When the device is back in time with the same app, the virtual
///   connections are opened again on the new channel, and senders notice nothing.
/// - After the grace period, or when the device comes back with something else, senders are told what a device says whose
///   app has ended: CLOSE, then a status without the app.
///
/// Lives on the device's event loop.
final class DeviceOutage {
    private let channel: DeviceChannel
    private let platform: PlatformClient
    private let senders: SenderTable
    private let events: EventBus
    private let eventLoop: any EventLoop
    private var configuration: SessionsConfiguration
    private var grace = GracePeriod()
    private let graceTimer: LoopTimer
    private var queue = QueuedRequests()
    private let queueTimer: LoopTimer
    /// True when nothing ran on the device when it was lost; false before it was ever there.
    private var wasIdle = false
    private var isStopped = false

    init(
        channel: DeviceChannel, platform: PlatformClient, senders: SenderTable,
        configuration: SessionsConfiguration, events: EventBus, eventLoop: any EventLoop
    ) {
        self.channel = channel
        self.platform = platform
        self.senders = senders
        self.configuration = configuration
        self.events = events
        self.eventLoop = eventLoop
        self.graceTimer = LoopTimer(on: eventLoop)
        self.queueTimer = LoopTimer(on: eventLoop)
    }

    /// True while the device is out of reach and its senders have not been told.
    var isInGracePeriod: Bool { self.grace.isRunning }
    /// True while an app that was found again has not answered for its media status.
    var isRefreshing: Bool { self.grace.isRefreshing }
    /// The number of requests that wait for the device to come online.
    var queuedCount: Int { self.queue.count }

    func configure(_ configuration: SessionsConfiguration) {
        self.configuration = configuration
    }

    func start() {
        self.isStopped = false
    }

    func stop() {
        self.isStopped = true
        self.graceTimer.cancel()
        self.queueTimer.cancel()
    }

    func forget(where isGone: (SenderEnd) -> Bool) {
        self.queue.forget(where: isGone)
        self.grace.forget(where: isGone)
    }

    // MARK: The device comes and goes

    func begin() {
        let patience = TimeAmount(self.configuration.suspendAfter)
        self.wasIdle = self.platform.apps.isEmpty
        guard patience > .zero else { return self.reportLoss() }
        self.grace.begin()
        self.answerPending()
        self.senders.flush()
        self.graceTimer.set(until: self.eventLoop.now + patience) { self.reportLoss() }
    }

    /// The device is dialled at other addresses: there is no grace period.
    func deviceMoved(wasOnline: Bool) {
        if wasOnline { self.wasIdle = self.platform.apps.isEmpty }
        if wasOnline || self.grace.isRunning { self.reportLoss() }
    }

    private func reportLoss() {
        self.graceTimer.cancel()
        self.grace.clear()
        let offline = OfflineAnswers(lastKnown: self.platform.status)
        for app in self.platform.apps {
            for relay in self.senders.relays { self.publishEnd(of: app, reason: "device lost", to: relay) }
        }
        self.platform.set(offline.status)
        for relay in self.senders.relays {
            relay.deviceLost()
            relay.output?.broadcast(offline.broadcast)
        }
        self.answerPending()
        self.senders.flush()
    }

    /// The device is back: senders whose app still runs go on, the others are told that it does not.
    /// - Parameter before: what ran when the device was lost.
    func end(before: [SessionFacts]) {
        self.graceTimer.cancel()
        guard self.grace.isRunning else { return }
        self.grace.end()
        var transports = Set<EndpointID>()
        for relay in self.senders.relays { transports.formUnion(relay.transports) }
        for transport in transports.sorted(by: { $0.rawValue < $1.rawValue }) {
            if self.isSameSession(at: transport, before: before) {
                self.reopen(transport)
            } else {
                for relay in self.senders.relays { relay.appLost(transport) }
            }
        }
    }

    private func isSameSession(at transport: EndpointID, before: [SessionFacts]) -> Bool {
        guard let after = self.platform.facts(at: transport) else { return false }
        guard let old = before.first(where: { $0.transportID == transport }) else { return true }
        return old.sessionID == after.sessionID
    }

    /// Connects the senders' ends to their app again, and asks it for its media status: what it said meanwhile is lost.
    private func reopen(_ transport: EndpointID) {
        var first: SenderEnd?
        for relay in self.senders.relays {
            for (sender, connect) in relay.connections(to: transport) {
                self.senders.sendConnect(connect, for: sender)
                if first == nil { first = sender }
            }
        }
        guard let first, self.platform.facts(at: transport)?.namespaces.contains(.media) ?? false,
            let question = self.grace.refresh(transport, for: first)
        else { return }
        self.senders.send(question, for: first)
    }

    /// Takes a message of an app to one sender.
    /// - Returns: the media status for all senders, when the message answers for it.
    func refreshed(by message: CastMessage, at sender: SenderEnd) -> CastMessage? {
        self.grace.refreshed(by: message, at: sender)
    }

    /// Takes a message of the device to all senders.
    func receivedByAll(_ message: CastMessage) {
        if self.grace.isRefreshing { self.grace.receivedByAll(message) }
    }

    // MARK: The target of a virtual device changes

    /// Tells a relay's senders how the device stands, since they knew another device before.
    func announce(to relay: DeviceRelay) {
        for app in self.platform.apps {
            self.events.publish(.sessionStarted(device: relay.virtualDevice.name, session: app))
        }
        let status = self.channel.isOnline ? self.platform.status : nil
        relay.output?.broadcast(
            CastMessage(
                source: .platformReceiver, destination: .broadcast, namespace: .receiver,
                payload: ReceiverStatusPayload(status ?? self.answers.status).payload))
    }

    /// Another device takes the place of this one for a relay's senders: what they wait for is answered as by a device whose
    /// apps have ended.
    func release(_ relay: DeviceRelay) {
        for app in self.platform.apps { self.publishEnd(of: app, reason: "another device", to: relay) }
        let offline = OfflineAnswers(lastKnown: self.platform.status)
        for (sender, request) in self.senders.pending.takeAll(of: ObjectIdentifier(relay)) {
            guard let answer = offline.answer(to: request.message, request.summary) else { continue }
            relay.answer(answer, to: sender.connection)
        }
        self.answer(self.queue.takeAll(of: ObjectIdentifier(relay)))
        self.watchQueue()
    }

    private func publishEnd(of app: SessionFacts, reason: String, to relay: DeviceRelay) {
        self.events.publish(
            .sessionEnded(device: relay.virtualDevice.name, sessionID: app.sessionID, reason: reason))
    }

    // MARK: Answers in the device's place

    private var answers: OfflineAnswers {
        OfflineAnswers(lastKnown: self.platform.status, keepsApps: self.grace.isRunning)
    }

    /// The answer in the device's place; nil when the sender waits for none.
    func answer(to message: CastMessage) -> CastMessage? {
        self.answers.answer(to: message, message.summary)
    }

    /// Answers what was sent on a channel that is gone.
    private func answerPending() {
        let offline = self.answers
        for (sender, request) in self.senders.pending.takeAll() {
            if request.summary.type == AppAvailability.type, self.enqueue(request.message, request.summary, for: sender)
            {
                continue
            }
            guard let answer = offline.answer(to: request.message, request.summary) else { continue }
            self.senders.relay(of: sender)?.answer(answer, to: sender.connection)
        }
    }

    // MARK: Requests that wait for the device

    /// Lets a request wait for the device rather than answering it in its place, for `sessions.wait_for_device` at most.
    ///
    /// Two requests wait, so that a device that is about to come online is not said to have nothing: which apps it has, since
    /// some senders never ask that again; and the first GET_STATUS of a channel, unless nothing ran on the device.
    /// - Returns: false when it is to be answered now.
    func enqueue(_ message: CastMessage, _ summary: PayloadSummary, for sender: SenderEnd) -> Bool {
        let patience = TimeAmount(self.configuration.waitForDevice)
        guard patience > .zero, message.family == .receiver, message.isToPlatform, !self.isStopped,
            let id = summary.requestID, id != .spontaneous, self.mayWait(summary.type, sender),
            self.queue.add(message, for: sender, until: self.eventLoop.now + patience)
        else { return false }
        self.watchQueue()
        return true
    }

    private func mayWait(_ type: String?, _ sender: SenderEnd) -> Bool {
        switch type {
        case AppAvailability.type: true
        case "GET_STATUS":
            // In the grace period it is answered as it was last, with the app.
            !self.grace.isRunning && !self.wasIdle
                && self.senders.relay(of: sender)?.mayWaitForStatus(sender.connection) ?? false
        default: false
        }
    }

    /// The device is online: what waited for it is sent now.
    func sendQueued() {
        for relay in self.senders.relays { relay.deviceOnline() }
        for request in self.queue.takeAll() {
            self.senders.relay(of: request.sender)?.receive(request.message, from: request.sender.connection)
        }
        self.watchQueue()
    }

    private func watchQueue() {
        guard let deadline = self.queue.nextDeadline else { return self.queueTimer.cancel() }
        guard self.queueTimer.deadline != deadline else { return }
        self.queueTimer.set(until: deadline) {
            self.answer(self.queue.takeExpired(at: self.eventLoop.now))
            self.senders.flush()
            self.watchQueue()
        }
    }

    private func answer(_ requests: [QueuedRequests.Request]) {
        for request in requests {
            guard let answer = self.answer(to: request.message) else { continue }
            self.senders.relay(of: request.sender)?.answer(answer, to: request.sender.connection)
        }
    }
}
