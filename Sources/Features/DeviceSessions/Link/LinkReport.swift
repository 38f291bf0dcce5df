import GatewayCore
import Logging
import NIOCore
import Synchronization

/// The names of the devices that are online, for callers on any thread, and of those to which a channel is kept.
final class OnlineDevices: Sendable {
    private let names = Mutex<[String: Set<ObjectIdentifier>]>([:])
    private let kept = Mutex<[String: Set<ObjectIdentifier>]>([:])
    /// Counts of the devices' links.
    let counter = LinkCounter()

    func contains(_ name: String) -> Bool {
        self.names.withLock { $0[name] != nil }
    }

    /// Notes whether a device is online on one link; for a moment there may be two of one name, when a device is replaced.
    fileprivate func set(_ name: String, on link: ObjectIdentifier, isOnline: Bool) {
        self.names.withLock { names in
            var links = names[name] ?? []
            if isOnline { links.insert(link) } else { links.remove(link) }
            names[name] = links.isEmpty ? nil : links
        }
    }

    fileprivate func keep(_ name: String, on link: ObjectIdentifier) {
        self.kept.withLock { _ = $0[name, default: []].insert(link) }
    }

    /// Notes that a device is not dialled on a link any more.
    /// - Parameter tell: called when there is no other link to it, before one can begin.
    fileprivate func release(_ name: String, from link: ObjectIdentifier, tell: () -> Void) {
        self.kept.withLock { kept in
            guard var links = kept[name], links.remove(link) != nil else { return }
            kept[name] = links.isEmpty ? nil : links
            if links.isEmpty { tell() }
        }
    }
}

/// Tells the log, the subscribers of events and other threads how one device's link stands.
final class LinkReport {
    private let name: String
    private let devices: OnlineDevices
    private let events: EventBus
    let logger: Logger
    private var isLossReported = false
    /// True if the device was online since the last loss.
    private var wasOnline = false
    /// The cause of the last loss of the channel; nil while the device is online, and before.
    private var lossLabel: String?
    private(set) var standing = LinkStatus()
    /// The time when the device was in reach last; nil while it is, and when it never was.
    private(set) var wasOnlineUntil: NIODeadline?

    init(name: String, online: OnlineDevices, events: EventBus, logger: Logger) {
        self.name = name
        self.devices = online
        self.events = events
        self.logger = logger
    }

    /// The device is dialled from now on.
    func began() { self.devices.keep(self.name, on: ObjectIdentifier(self)) }

    /// Reports that the device is not wanted any more.
    /// - Parameter forget: called when there is no other link to it, before that is told.
    func released(forget: () -> Void) {
        self.devices.release(self.name, from: ObjectIdentifier(self)) {
            forget()
            self.events.publish(.deviceReleased(target: self.name))
        }
    }

    func online(at address: DeviceAddress?, now: NIODeadline) {
        self.isLossReported = false
        self.standing = LinkStatus(isOnline: true, since: now)
        self.wasOnlineUntil = nil
        self.devices.set(self.name, on: ObjectIdentifier(self), isOnline: true)
        self.devices.counter.online(after: self.lossLabel)
        self.lossLabel = nil
        self.wasOnline = true
        self.logger.info("Device online", metadata: ["address": "\(address.map(\.description) ?? "unknown")"])
        self.events.publish(.deviceOnline(target: self.name))
    }

    /// There is no channel. Logs nothing: ``lost(_:_:label:at:now:)`` says why.
    func offline(now: NIODeadline) {
        if self.standing.isOnline {
            self.standing = LinkStatus(isOnline: false, since: now)
            self.wasOnlineUntil = now
        }
        self.devices.set(self.name, on: ObjectIdentifier(self), isOnline: false)
    }

    /// An address was tried in vain.
    /// - Parameter isLast: whether the device was reached at none of its addresses; that is reported as a loss is.
    func notReached(_ reason: String, at address: DeviceAddress?, isLast: Bool, now: NIODeadline) {
        self.devices.counter.failed()
        if isLast { return self.tell("Device not reached", reason, at: address, now: now) }
        self.logger.debug("Address not reached", metadata: Self.metadata(reason, address))
    }

    /// The device was lost, or did not answer on a channel. Reported once until it is online again: the pauses between dials
    /// grow, but a device may stay away for days.
    /// - Parameter label: what ended the channel, in one of few words.
    func lost(
        _ text: Logger.Message, _ reason: String, label: String, at address: DeviceAddress?, now: NIODeadline
    ) {
        if self.wasOnline { self.lossLabel = label } else { self.devices.counter.failed() }
        self.wasOnline = false
        self.tell(text, reason, at: address, now: now)
    }

    private func tell(_ text: Logger.Message, _ reason: String, at address: DeviceAddress?, now: NIODeadline) {
        self.standing.isOnline = false
        self.standing.since = self.standing.since ?? now
        self.standing.reason = reason
        self.logger.log(level: self.isLossReported ? .debug : .notice, text, metadata: Self.metadata(reason, address))
        if !self.isLossReported { self.events.publish(.deviceOffline(target: self.name, reason: reason)) }
        self.isLossReported = true
    }

    /// The next loss is reported again, since the device is dialled elsewhere, or is lost for another reason.
    func reset() {
        self.isLossReported = false
    }

    private static func metadata(_ reason: String, _ address: DeviceAddress?) -> Logger.Metadata {
        ["address": "\(address.map(\.description) ?? "unknown")", "reason": "\(reason)"]
    }
}

extension DeviceLink {
    /// The state of the link: whether it is up, since when, and why it is not.
    var standing: LinkStatus { self.report.standing }

    /// True if the device was in reach within the last seconds, so that it may be back soon.
    func wasOnline(within time: TimeAmount, before now: NIODeadline) -> Bool {
        self.isOnline || self.report.wasOnlineUntil.map { now - $0 < time } ?? false
    }

    /// The device is not wanted any more; it has been hung up on.
    func release() {
        self.authenticator?.end()
        self.report.released { self.authenticator?.forget() }
    }
}

/// The state of a device's link: whether it is up, since when, and why it is not.
struct LinkStatus: Sendable {
    var isOnline = false
    /// Since when; nil as long as the device has been neither reached nor missed.
    var since: NIODeadline?
    /// The reason it is not up, as the last attempt ended; nil while it is.
    var reason: String?
}
