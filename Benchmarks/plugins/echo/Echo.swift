public import PluginKit

/// Sends every message back: the least that a handler does. The same source is a process and a library.
public struct Echo: CastPlugin {
    /// Needs nothing.
    public init(_ gateway: PluginGateway) {}

    /// The message's own payload.
    public func handle(_ message: PluginMessage) async throws -> Verdict { .reply(message.payload) }
}
