import CastIdentity
import CastTransport
import CastWire
import CastwayTestSupport
import NIOCore
import NIOPosix

/// A device over TLS on the loopback interface that answers as a test says; heartbeats it answers by itself.
struct ScriptedDevice {
    /// What the device says when it hears a message.
    typealias Script = @Sendable (_ message: CastMessage) -> [CastMessage]

    /// Where it listens.
    let port: Int

    static func with(_ script: @escaping Script, _ body: (ScriptedDevice) async throws -> Void) async throws {
        let leaf = try TLSLeaf.generate(commonName: "scripted", now: 1_800_000_000)
        let tls = try TLSServerContext(certificate: leaf.certificate, privateKey: leaf.privateKey)
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try tls.install(in: channel)
                    try channel.pipeline.syncOperations.addHandlers([
                        ByteToMessageHandler(CastFrameDecoder()), Speaker(script: script),
                    ])
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        try await body(ScriptedDevice(port: listener.localAddress?.port ?? 0))
        try await listener.close()
    }

    private final class Speaker: ChannelInboundHandler {
        typealias InboundIn = CastMessage
        typealias OutboundOut = ByteBuffer

        private let script: Script

        init(script: @escaping Script) {
            self.script = script
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let message = Self.unwrapInboundIn(data)
            let answers = message.namespace == .heartbeat ? [message.answer(["type": "PONG"])] : self.script(message)
            guard !answers.isEmpty, let frames = try? CastMessage.frames(answers) else { return }
            context.writeAndFlush(Self.wrapOutboundOut(frames), promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }
}

extension CastMessage {
    /// An answer to this message, in its namespace.
    func answer(_ json: JSONObject) -> CastMessage {
        CastMessage(source: self.destination, destination: self.source, namespace: self.namespace, json: json)
    }

    /// What it is, for scripts.
    var request: ReceiverRequest? { self.namespace == .receiver ? ReceiverRequest(self.payload) : nil }
}
