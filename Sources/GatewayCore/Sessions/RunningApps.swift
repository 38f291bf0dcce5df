import CastWire

/// What runs behind a virtual device, as far as the gateway knows.
public struct RunningApps: Hashable, Sendable {
    /// The apps, an idle screen among them.
    public var sessions: [SessionFacts]
    /// False when more may run: the device has not said yet, has said it in part, or is about to launch something.
    public var isComplete: Bool

    /// Collects what is known.
    public init(_ sessions: [SessionFacts], isComplete: Bool) {
        self.sessions = sessions
        self.isComplete = isComplete
    }

    /// Nothing is known.
    public static let unknown = RunningApps([], isComplete: false)

    /// The app of a session; some senders give the transport id in the place of the session's.
    public func session(_ id: String) -> SessionFacts? {
        self.sessions.first { $0.sessionID == id } ?? self.sessions.first { $0.transportID.rawValue == id }
    }
}
