public import CastIdentity
public import CastTransport
public import DeviceListening
public import GatewayCore
public import Logging
public import NIOCore

/// What all virtual devices of a gateway share.
public struct VirtualDeviceEnvironment: Sendable {
    /// Where identities and certificates are kept.
    public let identities: IdentityStore
    /// The handlers of messages.
    public let registry: HandlerRegistry
    /// What `routing` says.
    public var routerSettings: RouterSettings
    /// Renders payloads for the log; nil leaves them out.
    public var payloadText: MessageRouter.PayloadText?
    /// Where events go.
    public let events: EventBus
    /// Where devices with the built-in receiver live, one after the other.
    public let eventLoops: any EventLoopGroup
    /// What senders may do.
    public var limits: SenderLimits
    /// What clients of the set-up service may do.
    public var setupLimits: SetupLimits
    /// Decides on connections, over all listeners.
    public let admission: Admission
    /// Knows who may use the devices that ask for a join code.
    public let rights: any SenderRights
    /// Says when the system cannot accept senders for a while.
    package let shortage: AcceptShortageLog
    /// How long deferred messages may take when the gateway stops.
    public var drain: Duration
    /// Announces the devices in the network; nil when none is announced.
    public let announcer: DeviceAnnouncer?
    /// The devices that run now.
    public let running = RunningDevices()
    /// Numbers senders over all devices.
    public let connectionIDs = ConnectionIDs()

    /// How many senders are connected now, those too whose TLS does not stand yet.
    public var senderCount: Int { self.admission.count(of: .senders) }

    /// Collects what virtual devices share.
    /// - Parameters:
    ///   - admission: counts connections; nil for one of these devices' own, with their limits.
    ///   - rights: knows who may use the devices that ask for a join code.
    ///   - logger: for what concerns all devices.
    public init(
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
