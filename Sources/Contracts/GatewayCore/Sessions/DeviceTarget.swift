public import CastWire
public import NIOCore

/// What a virtual device stands for: the built-in receiver, or a real device behind a relay.
///
/// Lives on the virtual device's event loop; every call comes from there, and none may block.
public protocol DeviceTarget: AnyObject {
    /// Begins to work; what it sends goes to `output`, until ``stop()``.
    func start(output: any SenderOutput)

    /// Ends the work; nothing goes to the output afterwards.
    func stop()

    /// Ends the apps' virtual connections because another target takes over. Requests that wait are answered as a device
    /// answers whose apps end. ``stop()`` follows.
    func prepareForReplacement()

    /// Sends the status to all senders, since they have known another one until now.
    func announce()

    /// True when senders may connect to this end; otherwise the sender is told by CLOSE.
    func accepts(_ end: EndpointID) -> Bool

    /// A sender opened a virtual connection to an accepted end with this CONNECT message.
    func connect(_ message: CastMessage, from connection: ConnectionID)

    /// A sender closed a virtual connection with this CLOSE message.
    func disconnect(_ message: CastMessage, from connection: ConnectionID)

    /// A channel is gone with all its virtual connections.
    func connectionLost(_ connection: ConnectionID)

    /// A message of a sender in any other namespace, on an open virtual connection.
    func receive(_ message: CastMessage, from connection: ConnectionID)

    /// The app behind a transport id, as far as known.
    func session(at transport: EndpointID) -> SessionFacts?

    /// How many apps run, as far as known.
    var sessionCount: Int { get }

    /// The apps that run, as far as known; the idle screen is none.
    var sessions: [SessionFacts] { get }

    /// What runs, the idle screen too, and whether that is all of it.
    var running: RunningApps { get }

    /// What the device tells its senders of volume and screen before anything has changed; nil while it has not said.
    var condition: ReceiverCondition? { get }

    /// What an app plays: one element of MEDIA_STATUS's `status`; nil when nothing is loaded or no status has come yet.
    func media(at transport: EndpointID) -> JSONObject?

    /// Since when an app runs, and what it plays is as it is, as far as known.
    func times(of app: SessionFacts) -> AppTimes

    /// The streams of mirroring senders that pass it now.
    var streams: [MirroringStream] { get }

    /// Lets something happen at the device itself, which tells the senders what changes by it.
    func simulate(_ event: SimulatedEvent) -> SimulationOutcome

    /// Whether it takes what it is sent; false while too much waits for it.
    var isWritable: Bool { get }

    /// True while the device can be used; false while it is out of reach and senders are told so. ``SenderOutput/targetChanged()`` tells
    /// of each change.
    var isThere: Bool { get }

    /// Lets everything leave that was sent on since the last time.
    func flush()
}

extension DeviceTarget {
    /// Nothing ever waits for it.
    public var isWritable: Bool { true }

    /// It is here.
    public var isThere: Bool { true }

    /// None pass it.
    public var streams: [MirroringStream] { [] }

    /// It has not said.
    public var condition: ReceiverCondition? { nil }

    /// Nothing happens: the device is a real one.
    public func simulate(_ event: SimulatedEvent) -> SimulationOutcome { .notBuiltIn }

    /// Nothing is known.
    public func times(of app: SessionFacts) -> AppTimes { AppTimes() }

    /// The apps of ``sessions``, and no others.
    public var running: RunningApps { RunningApps(self.sessions, isComplete: true) }
}

/// The senders' side of a virtual device, as what it stands for sees it. Called on the device's event loop.
public protocol SenderOutput: AnyObject {
    /// Sends a message to one end on one channel.
    func send(_ message: CastMessage, to connection: ConnectionID)

    /// Sends a message to every channel that has a virtual connection to its source.
    func broadcast(_ message: CastMessage)

    /// Closes every virtual connection to an app that is gone: CLOSE to each sender's end.
    func closeVirtualConnections(of transport: EndpointID)

    /// Closes one virtual connection, because the device closed it.
    func closeVirtualConnection(_ connection: VirtualConnection, on channel: ConnectionID, message: CastMessage)

    /// Closes a sender's channel behind what was sent to it, so that the sender asks anew. Internal senders stay.
    func close(_ connection: ConnectionID, reason: String)

    /// Publishes an event.
    func emit(_ event: GatewayEvent)

    /// The target's ``DeviceTarget/isThere`` may have changed.
    func targetChanged()

    /// Where a sender's channel ends, at this host and at the sender's; nil for an internal sender, and for one that is gone.
    func endpoints(of connection: ConnectionID) -> (local: SocketAddress, remote: SocketAddress)?

    /// Called behind a series of the above that did not begin with a message of a sender.
    func flush()
}

extension SenderOutput {
    /// Nothing depends on it.
    public func targetChanged() {}

    /// No sender has a channel.
    public func endpoints(of connection: ConnectionID) -> (local: SocketAddress, remote: SocketAddress)? { nil }
}
