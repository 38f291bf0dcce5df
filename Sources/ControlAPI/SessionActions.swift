public import CastWire

/// What the admin listener can have done with sessions of the gateway's own; the app wires it to the gateway.
public struct SessionActions: Sendable {
    /// All sessions.
    public let list: @Sendable () async -> ControlAnswer
    /// Starts a session with an app on a device, and answers when the app can be spoken to; nil stands for the app that
    /// the configuration names.
    public let start: @Sendable (_ device: String, _ app: AppID?) async -> ControlAnswer
    /// Ends the session of this number; whether its app is stopped, nil as the configuration says.
    public let end: @Sendable (_ number: Int, _ isStop: Bool?) async -> ControlAnswer

    /// Collects the actions.
    public init(
        list: @escaping @Sendable () async -> ControlAnswer,
        start: @escaping @Sendable (_ device: String, _ app: AppID?) async -> ControlAnswer,
        end: @escaping @Sendable (_ number: Int, _ isStop: Bool?) async -> ControlAnswer
    ) {
        self.list = list
        self.start = start
        self.end = end
    }
}
