package import NIOCore

/// Tells a connection that the caller of the request that is being answered is known. See ``HTTPListener/Rules/awaitsCaller``.
package struct CallerKnown: Sendable {
    /// Tells a connection of an ``HTTPListener``; on any thread, before the request is answered.
    package static func tell(_ channel: any Channel) { channel.triggerUserOutboundEvent(CallerKnown(), promise: nil) }
}
