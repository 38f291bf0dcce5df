import CastClient
import CastWire
import NIOCore

/// Lets a media client talk through a sender's channel.
final class AppTransport: MediaTransport {
    let eventLoop: any EventLoop
    private weak var channel: RemoteAppChannel?

    init(_ channel: RemoteAppChannel) {
        self.channel = channel
        self.eventLoop = channel.eventLoop
    }

    func send(_ payload: CastMessage.Payload, in namespace: Namespace) {
        self.channel?.send(payload, in: namespace)
    }

    /// The channel sends at once.
    func flush() {}
}
