import CastWire
import GatewayCore
import NIOCore
import SystemPrimitives

extension VirtualDevice {
    /// At how many of its ends one sender gets a message; a sender needs a handful.
    private static let maximumEnds = 16

    /// Sends a message of the app to one sender, at each of its ends that is connected to the app.
    /// - Parameter id: the sender, by its connection: `c7`.
    /// - Returns: at how many ends; 0 when it is not connected to the app, nil when there is no such sender.
    func send(_ outgoing: InternalSender.Outgoing, toSender id: String) throws(GatewayError) -> Int? {
        let local = try self.local(of: outgoing.address, in: outgoing.namespace)
        try self.checkListed(outgoing.namespace, at: local)
        guard let sender = self.senders.all.first(where: { "\($0.id)" == id }) else { return nil }
        let ends = sender.virtualConnections.peers(of: local).prefix(Self.maximumEnds)
        let messages = ends.map { end in
            CastMessage(source: local, destination: end, namespace: outgoing.namespace, payload: outgoing.payload)
        }
        for message in messages { try Self.checkLength(message) }
        _ = try self.internalSenders.sender(for: outgoing.origin, on: self)
        CommandTrace.following(outgoing.trace) {
            for message in messages {
                CommandTrace.current?.sent()
                self.router.route(
                    RoutedMessage(
                        message, direction: .toSender, device: self.facts, connection: sender.id,
                        origin: outgoing.origin))
            }
            self.flush()
        }
        return messages.count
    }
}
