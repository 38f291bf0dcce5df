public import CastWire
public import GatewayCore

/// A router's output that writes down what it is told.
public final class RecordingOutput: RouterOutput {
    /// One thing that the router did.
    public enum Step: Hashable, Sendable {
        /// A message went on to the peer.
        case forward(CastMessage)
        /// A message went to senders.
        case toSenders(CastMessage, ConnectionID?)
        /// A message went to the target.
        case toReceiver(CastMessage, ConnectionID?)
        /// An event was published.
        case event(GatewayEvent)
        /// What was queued left.
        case flush
    }

    /// Everything, in order.
    public var steps: [Step] = []

    /// The apps that the router is told of.
    public var sessions: [EndpointID: SessionFacts] = [:]

    /// The CONNECT of each channel's sender that the router is told of.
    public var connects: [ConnectionID: CastMessage] = [:]

    /// Whether more may run than ``sessions``.
    public var runsMore = false

    /// Starts empty.
    public init() {}

    /// The messages that went on, in order.
    public var forwarded: [CastMessage] {
        self.steps.compactMap { if case .forward(let message) = $0 { message } else { nil } }
    }

    /// The payloads that went on, in order.
    public var forwardedTexts: [String] { self.forwarded.map { $0.payload.text ?? "" } }

    /// The messages to senders, in order.
    public var toSenders: [CastMessage] {
        self.steps.compactMap { if case .toSenders(let message, _) = $0 { message } else { nil } }
    }

    /// The events, in order.
    public var events: [GatewayEvent] {
        self.steps.compactMap { if case .event(let event) = $0 { event } else { nil } }
    }

    /// Records a forwarded message.
    public func forward(_ message: RoutedMessage) { self.steps.append(.forward(message.message)) }
    /// Records a message to senders.
    public func sendToSenders(_ message: CastMessage, connection: ConnectionID?) {
        self.steps.append(.toSenders(message, connection))
    }
    /// Records a message to the target.
    public func sendToReceiver(_ message: CastMessage, connection: ConnectionID?) {
        self.steps.append(.toReceiver(message, connection))
    }
    /// An app of ``sessions``.
    public func session(at transport: EndpointID) -> SessionFacts? { self.sessions[transport] }
    /// What the router is told that runs: ``sessions``, and nothing else unless ``runsMore``.
    public var running: RunningApps {
        RunningApps(
            self.sessions.values.sorted { $0.sessionID < $1.sessionID }, isComplete: !self.runsMore)
    }
    /// A CONNECT of ``connects``, whichever end of the channel the message is from.
    public func connect(of message: CastMessage, on connection: ConnectionID) -> CastMessage? {
        self.connects[connection]
    }
    /// Records an event.
    public func emit(_ event: GatewayEvent) { self.steps.append(.event(event)) }
    /// Records a flush.
    public func flush() { self.steps.append(.flush) }
}
