package import CastDiscovery
package import Logging
import Synchronization

/// Announces the virtual devices of a gateway in the network, and says in the log how that goes.
package final class DeviceAnnouncer: Sendable {
    private let publisher: any ServicePublisher
    private let logger: Logger
    /// The publication that announced a device last: one that is replaced must not withdraw what its successor announces.
    private let owners = Mutex<[String: ObjectIdentifier]>([:])

    /// Begins to announce.
    /// - Parameters:
    ///   - network: where the publisher comes from.
    ///   - blockedLevel: how loudly it is said that nothing can be announced.
    package init(network: any MulticastNetwork, blockedLevel: Logger.Level = .notice, logger: Logger) {
        self.logger = logger
        self.publisher = network.makePublisher()
        self.publisher.start { event in
            switch event {
            case .blocked(let reason):
                logger.log(
                    level: blockedLevel, "Virtual devices are not announced until mDNS is there",
                    metadata: ["reason": "\(reason)"])
            case .published(let key, let instance):
                logger.info("Announced", metadata: ["device": "\(key)", "instance": "\(instance)"])
            case .renamed(let key, let instance):
                logger.notice(
                    "Another has the name in the network, so a further one is tried",
                    metadata: ["device": "\(key)", "instance": "\(instance)"])
            case .failed(let key, let reason):
                logger.warning(
                    "Not announced; it is tried again", metadata: ["device": "\(key)", "reason": "\(reason)"])
            }
        }
    }

    /// Announces what of `services` is new or has changed, and says goodbye for what is only in `former`; by the keys of each.
    package func announce(
        _ services: [String: PublishedService], insteadOf former: [String: PublishedService], owner: AnyObject
    ) {
        for key in former.keys.sorted() where services[key] == nil { self.withdraw(key, owner: owner) }
        for (key, service) in services.sorted(by: { $0.key < $1.key }) where service != former[key] {
            self.announce(service, as: key, owner: owner)
        }
    }

    /// Announces a device, or what has changed about it.
    private func announce(_ service: PublishedService, as name: String, owner: AnyObject) {
        self.owners.withLock { $0[name] = ObjectIdentifier(owner) }
        self.publisher.publish(service, as: name)
    }

    /// Says goodbye for a device, unless another owner announces it by now.
    private func withdraw(_ name: String, owner: AnyObject) {
        let isOwn = self.owners.withLock { owners in
            guard owners[name] == ObjectIdentifier(owner) else { return false }
            owners[name] = nil
            return true
        }
        if isOwn { self.publisher.withdraw(name) }
    }

    /// Says goodbye for all.
    package func stop() {
        self.publisher.stop()
    }
}
