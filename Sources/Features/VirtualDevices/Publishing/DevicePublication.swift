import CastDiscovery
import CastWire
import Logging
import NIOCore

/// The announcement of one virtual device: there as long as the device can be connected to, and true to what runs on it.
///
/// Lives on the device's event loop.
final class DevicePublication {
    /// Apps change their status several times within a moment when they come and go.
    private static let settlingTime = TimeAmount.milliseconds(250)
    /// The interval at which an interface that is not there is looked for again.
    private static let interfacePause = TimeAmount.seconds(5)

    private let announcer: DeviceAnnouncer
    private let eventLoop: any EventLoop
    private let logger: Logger
    private var advertisement: DeviceAdvertisement?
    /// True if nothing is announced for now, since discovery does not hear what stands behind the device.
    private var isHeld: Bool
    /// True if what stands behind the device can be used.
    private var isTargetThere = true
    private let followsTarget: Bool
    private var state = AdvertisedState.idle
    /// By the keys under which they are announced.
    private var announced: [String: PublishedService] = [:]
    private var timer: Scheduled<Void>?
    private var interfaceTimer: Scheduled<Void>?

    /// - Parameters:
    ///   - isHeld: whether nothing is announced before ``hold(_:)`` allows it.
    ///   - followsTarget: whether the announcement ends while what stands behind the device is out of reach; false where ``hold(_:)`` alone
    ///     decides.
    init(
        announcer: DeviceAnnouncer, isHeld: Bool = false, followsTarget: Bool = true, eventLoop: any EventLoop,
        logger: Logger
    ) {
        self.isHeld = isHeld
        self.followsTarget = followsTarget
        self.announcer = announcer
        self.eventLoop = eventLoop
        self.logger = logger
    }

    /// Senders can connect; or what the device is announced as has changed.
    func announce(_ advertisement: DeviceAdvertisement) {
        if let obstacle = advertisement.obstacle, self.advertisement?.obstacle != obstacle {
            self.logger.info("Not announced by mDNS", metadata: ["reason": "\(obstacle)"])
        }
        self.advertisement = advertisement
        self.update()
    }

    /// Takes the announcement back: senders should not connect any more.
    func withdraw() {
        self.timer?.cancel()
        self.timer = nil
        self.advertisement = nil
        self.update()
    }

    /// Keeps the announcement back, or lets it out again.
    func hold(_ isHeld: Bool) {
        guard isHeld != self.isHeld else { return }
        self.isHeld = isHeld
        self.update()
    }

    /// Announces the device while what stands behind it can be used; senders would find one that does nothing otherwise.
    func follow(isTargetThere: Bool) {
        guard self.followsTarget, isTargetThere != self.isTargetThere else { return }
        self.isTargetThere = isTargetThere
        if !isTargetThere, !self.announced.isEmpty {
            self.logger.info("Not announced by mDNS", metadata: ["reason": "the device behind it is out of reach"])
        }
        self.update()
    }

    /// Another target stands behind the device, of which nothing is known yet.
    func forgetState() {
        self.take(.idle)
    }

    /// Learns from what the target tells all senders.
    func learn(_ message: CastMessage) {
        guard let status = ReceiverStatusPayload(message.payload)?.status else { return }
        self.take(AdvertisedState(status))
    }

    private func take(_ state: AdvertisedState) {
        guard state != self.state else { return }
        self.state = state
        guard self.advertisement != nil, self.timer == nil else { return }
        let publication = NIOLoopBound(self, eventLoop: self.eventLoop)
        self.timer = self.eventLoop.scheduleTask(in: Self.settlingTime) { publication.value.update() }
    }

    private var isKeptBack: Bool { self.isHeld || !self.isTargetThere }

    private func update() {
        self.timer?.cancel()
        self.timer = nil
        self.interfaceTimer?.cancel()
        self.interfaceTimer = nil
        let services = self.isKeptBack ? [:] : self.advertisement?.services(self.state) ?? [:]
        defer { self.lookForInterfaces(services.count) }
        let before = self.announced
        guard services != before else { return }
        self.announced = services
        self.announcer.announce(services, insteadOf: before, owner: self)
    }

    /// Tries again while an interface is missing in which the device is to be announced.
    private func lookForInterfaces(_ count: Int) {
        guard !self.isKeptBack, let advertisement, advertisement.obstacle == nil,
            count < Set(advertisement.configuration.announcing.interfaces).count
        else { return }
        let publication = NIOLoopBound(self, eventLoop: self.eventLoop)
        self.interfaceTimer = self.eventLoop.scheduleTask(in: Self.interfacePause) { publication.value.update() }
    }
}
