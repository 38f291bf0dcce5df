import Glibc
public import NIOCore

/// Lets a second listening socket of this user have an address that one has already (`SO_REUSEPORT`, socket(7)).
///
/// Both sockets must allow it. Only for the moment in which one listener takes over from another: a socket that goes on
/// allowing it would let another process take its address unnoticed.
public enum SharedAddress {
    /// The option, for sockets that are about to be bound.
    public static let option = NIOBSDSocket.Option(rawValue: CInt(SO_REUSEPORT))

    /// Allows or forbids it on an open listening channel.
    public static func allow(_ isAllowed: Bool, on channel: any Channel) async throws {
        try await channel.setOption(.socketOption(self.option), value: isAllowed ? 1 : 0).get()
    }
}
