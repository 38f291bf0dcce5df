package import CastIdentity
package import CastTransport
package import DeviceListening
package import GatewayCore
package import Logging
package import NIOCore

/// The parts that all virtual devices of a gateway share.
package struct VirtualDeviceEnvironment: ListeningEnvironment {
    /// The store of identities and certificates.
    package let identities: IdentityStore
    package let registry: HandlerRegistry
    /// The settings of `routing`.
    package var routerSettings: RouterSettings
    /// Renders payloads for the log; nil leaves them out.
    package var payloadText: MessageRouter.PayloadText?
    package let events: EventBus
    /// The event loops of devices with the built-in receiver, used one after the other.
    package let eventLoops: any EventLoopGroup
    package var limits: SenderLimits
    package var setupLimits: SetupLimits
    package let admission: Admission
    /// Knows who may use the devices that ask for a join code.
    package let rights: any SenderRights
    /// Says when the system cannot accept senders for a while.
    package let shortage: AcceptShortageLog
    /// The time deferred messages may take when the gateway stops.
    package var drain: Duration
    /// Announces the devices in the network; nil when none is announced.
    package let announcer: DeviceAnnouncer?
    /// The devices that run now.
    package let running = RunningDevices()
    /// Numbers senders over all devices.
    package let connectionIDs = ConnectionIDs()

    /// The number of senders that are connected now, those too whose TLS does not stand yet.
    package var senderCount: Int { self.admission.count(of: .senders) }

    /// Collects what virtual devices share.
    /// - Parameters:
    ///   - admission: counts connections; nil for one of these devices' own, with their limits.
    ///   - rights: knows who may use the devices that ask for a join code.
    ///   - logger: for what concerns all devices.
    package init(
        identities: IdentityStore, registry: HandlerRegistry, routerSettings: RouterSettings,
        payloadText: MessageRouter.PayloadText? = nil, events: EventBus,
        eventLoops: any EventLoopGroup, limits: SenderLimits,
        setupLimits: SetupLimits = SetupLimits(), admission: Admission? = nil, drain: Duration,
        announcer: DeviceAnnouncer? = nil, rights: any SenderRights = NoSenderRights(),
        logger: Logger = Logger(label: "VirtualDevice")
    ) {
        self.rights = rights
        self.announcer = announcer
        self.shortage = AcceptShortageLog(logger: logger)
        self.identities = identities
        self.registry = registry
        self.routerSettings = routerSettings
        self.payloadText = payloadText
        self.events = events
        self.eventLoops = eventLoops
        self.limits = limits
        self.drain = drain
        self.setupLimits = setupLimits
        self.admission =
            admission
            ?? Admission(
                senders: limits.connections, setup: setupLimits.connections,
                admin: ConnectionLimits(total: 1, perAddress: 1))
    }
}
