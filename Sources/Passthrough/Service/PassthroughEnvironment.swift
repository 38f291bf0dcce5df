public import CastDiscovery
public import CastTransport
public import DeviceListening
public import GatewayCore
public import HTTPServing
public import NIOCore

/// What all devices of a gateway that are passed through share.
public struct PassthroughEnvironment: Sendable {
    /// Where events go.
    public let events: EventBus
    /// Where the devices live, one after the other.
    public let eventLoops: any EventLoopGroup
    /// Decides on connections, over all listeners.
    public let admission: Admission
    /// Knows who may use the devices that ask for a join code.
    public let rights: any SenderRights
    /// Announces the devices in the network; nil when none is announced.
    public let announcer: DeviceAnnouncer?
    /// Where this process answers for other devices.
    public let ownEndpoints: OwnEndpoints
    /// Numbers senders over all virtual devices.
    public let connectionIDs: ConnectionIDs
    /// Says when the system cannot accept senders for a while.
    package let shortage: AcceptShortageLog
    /// What one splice may use.
    public var limits = PassthroughLimits()
    /// What one connection to a set-up port may use.
    public var setupConnections = HTTPLimits()
    /// What a request at a set-up port may cost the device.
    public var setup = SetupProxyLimits()
    /// Carries the streams of mirroring senders; nil where none is carried.
    public var streams: PassedStreams?
    /// The devices that run now.
    public let running = RunningPassthroughs()

    /// Collects what the devices share.
    package init(
        events: EventBus, eventLoops: any EventLoopGroup, admission: Admission, rights: any SenderRights,
        announcer: DeviceAnnouncer?, ownEndpoints: OwnEndpoints, connectionIDs: ConnectionIDs,
        shortage: AcceptShortageLog
    ) {
        self.events = events
        self.eventLoops = eventLoops
        self.admission = admission
        self.rights = rights
        self.announcer = announcer
        self.ownEndpoints = ownEndpoints
        self.connectionIDs = connectionIDs
        self.shortage = shortage
    }
}
