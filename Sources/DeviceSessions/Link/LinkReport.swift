import GatewayCore
import Logging
import NIOCore
import Synchronization

/// The names of the devices that are online, for callers on any thread.
final class OnlineDevices: Sendable {
    private let names = Mutex<[String: Set<ObjectIdentifier>]>([:])

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
}

/// Tells the log, the subscribers of events and other threads how one device's link stands.
final class LinkReport {
    private let name: String
    private let devices: OnlineDevices
    private let events: EventBus
    private let logger: Logger
    private var isLossReported = false
    /// How the link stands, and since when.
    private(set) var standing = LinkStanding()

    init(name: String, online: OnlineDevices, events: EventBus, logger: Logger) {
        self.name = name
        self.devices = online
        self.events = events
        self.logger = logger
    }

    /// The device answered.
    func online(at address: DeviceAddress?, now: NIODeadline) {
        self.isLossReported = false
        self.standing = LinkStanding(isOnline: true, since: now)
        self.devices.set(self.name, on: ObjectIdentifier(self), isOnline: true)
        self.logger.info("Device online", metadata: ["address": "\(address.map(\.description) ?? "unknown")"])
        self.events.publish(.deviceOnline(target: self.name))
    }

    /// There is no channel. Logs nothing: ``lost(_:_:at:)`` says why.
    func offline(now: NIODeadline) {
        if self.standing.isOnline { self.standing = LinkStanding(isOnline: false, since: now) }
        self.devices.set(self.name, on: ObjectIdentifier(self), isOnline: false)
    }

    /// One address of several was tried in vain.
    func notReached(_ reason: String, at address: DeviceAddress?) {
        self.logger.debug("Address not reached", metadata: Self.metadata(reason, address))
    }

    /// The device was lost, or not reached at any address. Reported once until it is online again: the pauses between dials
    /// grow, but a device may stay away for days.
    func lost(_ text: Logger.Message, _ reason: String, at address: DeviceAddress?, now: NIODeadline) {
        self.standing.isOnline = false
        self.standing.since = self.standing.since ?? now
        self.standing.reason = reason
        self.logger.log(level: self.isLossReported ? .debug : .notice, text, metadata: Self.metadata(reason, address))
        if !self.isLossReported { self.events.publish(.deviceOffline(target: self.name, reason: reason)) }
        self.isLossReported = true
    }

    /// The next loss is reported again, since the device is dialled elsewhere.
    func reset() {
        self.isLossReported = false
    }

    private static func metadata(_ reason: String, _ address: DeviceAddress?) -> Logger.Metadata {
        ["address": "\(address.map(\.description) ?? "unknown")", "reason": "\(reason)"]
    }
}

/// Whether a device's link is up, since when, and why it is not.
struct LinkStanding: Sendable {
    var isOnline = false
    /// Since when; nil as long as the device has been neither reached nor missed.
    var since: NIODeadline?
    /// Why it is not up, as the last attempt ended; nil while it is.
    var reason: String?
}
