public import CastWire

/// What a virtual device stands for: the built-in receiver, or a real device behind a relay.
///
/// Lives on the virtual device's event loop; every call comes from there, and none may block.
public protocol DeviceTarget: AnyObject {
    /// Begins to work; what happens by itself goes to `output`.
    func start(output: any SenderOutput)

    /// Ends the work; nothing goes to the output afterwards.
    func stop()

    /// Gives way to another target: apps' virtual connections are closed, and whoever waits for an answer gets the one
    /// that a device gives whose apps end. ``stop()`` follows.
    func giveWay()

    /// Tells all senders how things stand here, since they knew another target before.
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

    /// What an app plays: one element of MEDIA_STATUS's `status`, nil when nothing is loaded or nobody has said.
    func media(at transport: EndpointID) -> JSONObject?

    /// Lets everything leave that was sent on since the last time.
    func flush()
}

extension DeviceTarget {
    /// The apps of ``sessions``, and no others.
    public var running: RunningApps { RunningApps(self.sessions, isComplete: true) }
}
