package import CastDiscovery
package import CastTransport
package import DeviceListening
package import GatewayCore
package import HTTPServing
package import NIOCore

/// The parts that all devices of a gateway that are passed through share.
package struct PassthroughEnvironment: ListeningEnvironment {
    package let events: EventBus
    /// The event loops of the devices, used one after the other.
    package let eventLoops: any EventLoopGroup
    package let admission: Admission
    /// Knows who may use the devices that ask for a join code.
    package let rights: any SenderRights
    /// Announces the devices in the network; nil when none is announced.
    package let announcer: DeviceAnnouncer?
    /// The end points where this process answers for other devices.
    package let ownEndpoints: OwnEndpoints
    /// Numbers senders over all virtual devices.
    package let connectionIDs: ConnectionIDs
    /// Says when the system cannot accept senders for a while.
    package let shortage: AcceptShortageLog
    package var limits = PassthroughLimits()
    /// The limits of one connection to a set-up port.
    package var setupConnections = HTTPLimits()
    /// The limits of a request at a set-up port.
    package var setup = SetupProxyLimits()
    /// Carries the streams of mirroring senders; nil where none is carried.
    package var streams: PassedStreams?
    package let running = RunningPassthroughs()

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
