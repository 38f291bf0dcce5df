import GatewayCore
import Logging
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

    init(name: String, online: OnlineDevices, events: EventBus, logger: Logger) {
        self.name = name
        self.devices = online
        self.events = events
        self.logger = logger
    }

    /// The device answered.
    func online(at address: DeviceAddress?) {
        self.isLossReported = false
        self.devices.set(self.name, on: ObjectIdentifier(self), isOnline: true)
        self.logger.info("Device online", metadata: ["address": "\(address.map(\.description) ?? "unknown")"])
        self.events.publish(.deviceOnline(target: self.name))
    }

    /// There is no channel. Logs nothing: ``lost(_:_:at:)`` says why.
    func offline() {
        self.devices.set(self.name, on: ObjectIdentifier(self), isOnline: false)
    }

    /// One address of several was tried in vain.
    func notReached(_ reason: String, at address: DeviceAddress?) {
        self.logger.debug("Address not reached", metadata: Self.metadata(reason, address))
    }

    /// The device was lost, or not reached at any address. Reported once until it is online again: the pauses between dials
    /// grow, but a device may stay away for days.
    func lost(_ text: Logger.Message, _ reason: String, at address: DeviceAddress?) {
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
