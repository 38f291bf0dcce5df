/// Knows which addresses may connect to virtual devices that ask for a join code (`senders.join: required`), and learns what senders join.
///
/// Called on event loops, for each connection and each app that a sender joins: it must not block.
package protocol SenderRights: Sendable {
    /// Whether an address may connect to a device now.
    /// - Parameter address: without the port; IPv4 that came through an IPv6 socket as IPv4.
    func mayConnect(_ address: String, to device: String) -> Bool

    /// A sender has connected to an app; told again while it stays so.
    /// - Parameter session: the app's session id, which stays the same as long as the app runs.
    func joined(_ session: String, on device: String, from address: String)
}

/// Without join codes no address has a right, so a device that asks for one takes no sender.
package struct NoSenderRights: SenderRights {
    package init() {}

    /// Never.
    package func mayConnect(_ address: String, to device: String) -> Bool { false }

    /// Does nothing.
    package func joined(_ session: String, on device: String, from address: String) {}
}
