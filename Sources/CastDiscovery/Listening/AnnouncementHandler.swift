import NIOCore

/// Takes the datagrams of one place, and hands on what devices say in them.
final class AnnouncementHandler: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    private let heard: (_ instances: [HeardInstance], _ address: String) -> Void

    init(heard: @escaping (_ instances: [HeardInstance], _ address: String) -> Void) {
        self.heard = heard
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let envelope = self.unwrapInboundIn(data)
        // Answers from elsewhere are no mDNS (RFC 6762, section 6).
        guard envelope.remoteAddress.port == ListeningPlace.port else { return }
        let address = envelope.remoteAddress.ipAddress ?? ""
        let instances = AnnouncementReader.instances(in: envelope.data.readableBytesUInt8Span, from: address)
        guard !instances.isEmpty else { return }
        self.heard(instances, address)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // It is opened again when the interfaces are looked at the next time.
        context.close(promise: nil)
    }
}
