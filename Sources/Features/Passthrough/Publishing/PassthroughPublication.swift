import CastDiscovery
import DeviceListening
import Logging
import NIOCore

/// The announcements of one device that is passed through: there while senders can connect and the device is there. Says in the log what
/// keeps them back, once for each reason. Lives on the device's event loop.
final class PassthroughPublication {
    private let announcer: DeviceAnnouncer
    private let logger: Logger
    private var announced: [String: PublishedService] = [:]
    private var told = PassthroughAnnouncement.Outcome()

    init(announcer: DeviceAnnouncer, logger: Logger) {
        self.announcer = announcer
        self.logger = logger
    }

    /// The interfaces in which it is announced now.
    var interfaces: [String] {
        self.announced.keys.compactMap { $0.split(separator: "@").last.map(String.init) }.sorted()
    }

    /// The interfaces in whose network the device itself is.
    var conflicts: [String] { self.told.conflicts }

    /// Announces this, and nothing else.
    func follow(_ outcome: PassthroughAnnouncement.Outcome) {
        self.tell(outcome)
        self.announce(outcome.services)
    }

    /// Takes everything back.
    func withdraw() {
        self.announce([:])
    }

    private func announce(_ services: [String: PublishedService]) {
        self.announcer.announce(services, insteadOf: self.announced, owner: self)
        self.announced = services
    }

    private func tell(_ outcome: PassthroughAnnouncement.Outcome) {
        let before = self.told
        self.told = outcome
        if let obstacle = outcome.obstacle, obstacle != before.obstacle {
            self.logger.info("Not announced by mDNS", metadata: ["reason": "\(obstacle)"])
        }
        for interface in outcome.conflicts where !before.conflicts.contains(interface) {
            self.logger.error(
                "Not announced where the device itself is: senders see it there already",
                metadata: ["interface": "\(interface)"])
        }
        for interface in outcome.missing where !before.missing.contains(interface) {
            self.logger.warning(
                "Not announced in an interface that is not there or has no address",
                metadata: ["interface": "\(interface)"])
        }
    }
}
