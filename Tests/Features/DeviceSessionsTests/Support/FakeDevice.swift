import CastClient
import CastIdentity
import CastTransport
import CastWire
import CastwayTestSupport
import NIOCore
import NIOPosix

/// A device over loopback TLS that says what a test tells it to, and shows what it hears.
final class FakeDevice: Sendable {
    enum Event: Sendable {
        case opened(Int)
        case message(Int, CastMessage)
        case closed(Int)
    }

    enum Behaviour: Sendable {
        /// Answers heartbeats, and Castway's own GET_STATUS with this status.
        case usual(ReceiverStatus)
        /// Does the usual on its first channel. On later ones, like a device that has restarted, it closes a virtual
        /// connection with every message until that is acknowledged with CLOSE; then it answers every GET_STATUS.
        case restarting(ReceiverStatus)
        /// Does the usual, and answers challenges with what this makes of them; nil is silence.
        case proving(@Sendable (AuthChallenge) -> DeviceAuthMessage?)
        /// Does the usual, says that it is the device of this id, and tells which commands it hears; it answers those with its status.
        case identified(String, heard: @Sendable (JSONObject) -> Void)
        /// Answers heartbeats only.
        case heartbeatsOnly
        /// Says nothing at all.
        case mute
    }

    /// Made once: a key takes its time.
    private static let certificate = Result {
        let leaf = try TLSLeaf.generate(commonName: "fake", now: 1_800_000_000)
        return try TLSServerContext(certificate: leaf.certificate, privateKey: leaf.privateKey)
    }

    /// The DER of the certificate that every fake device serves.
    static func leaf() throws -> [UInt8] { try Self.certificate.get().leaf }

    let events = Inbox<Event>()
    let port: Int
    private let listener: any Channel
    private let channels: NIOLoopBound<Channels>
    private let eventLoop: any EventLoop

    /// The channels in the order in which they were accepted.
    private final class Channels {
        var all: [any Channel] = []
        var areRefused = false
    }

    init(on eventLoop: any EventLoop, behaviour: Behaviour = .usual(.idle)) async throws {
        let tls = try Self.certificate.get()
        let channels = try await eventLoop.submit { NIOLoopBound(Channels(), eventLoop: eventLoop) }.get()
        self.listener = try await ServerBootstrap(group: eventLoop)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { [events] channel in
                channel.eventLoop.makeCompletedFuture {
                    let number = channels.value.all.count
                    channels.value.all.append(channel)
                    guard !channels.value.areRefused else { return channel.close(promise: nil) }
                    try tls.install(in: channel, timeout: .hours(1))
                    try channel.pipeline.syncOperations.addHandlers([
                        ByteToMessageHandler(CastFrameDecoder()),
                        FakeDeviceChannel(number: number, behaviour: behaviour, events: events),
                    ])
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        self.port = self.listener.localAddress?.port ?? 0
        self.channels = channels
        self.eventLoop = eventLoop
    }

    /// Says something on a channel.
    func say(_ messages: CastMessage..., on number: Int = 0) async throws {
        try await self.eventLoop.flatSubmit {
            self.channels.value.all[number].writeAndFlush(try? CastMessage.frames(messages))
        }.get()
    }

    /// Hangs up.
    func hangUp(_ number: Int = 0) async throws {
        try await self.eventLoop.flatSubmit { self.channels.value.all[number].close() }.get()
    }

    /// Closes all channels; it may be dialled again.
    func hangUpAll() async throws {
        try await self.eventLoop.submit {
            for channel in self.channels.value.all { channel.close(promise: nil) }
        }.get()
    }

    /// Closes all channels, now and whenever it is dialled.
    func hangUpFromNowOn() async throws {
        try await self.eventLoop.submit {
            self.channels.value.areRefused = true
            for channel in self.channels.value.all { channel.close(promise: nil) }
        }.get()
    }

    /// Reads nothing any more.
    func stopReading(_ number: Int = 0) async throws {
        try await self.eventLoop.flatSubmit {
            self.channels.value.all[number].setOption(.autoRead, value: false)
        }.get()
    }

    func stop() async throws {
        try await self.listener.close()
        try await self.eventLoop.submit {
            for channel in self.channels.value.all { channel.close(promise: nil) }
        }.get()
    }

    /// The next message that is for a test to judge, on whichever channel.
    func nextMessage() async -> CastMessage? {
        await self.events.next { if case .message(_, let message) = $0 { message } else { nil } }
    }

    /// The next message from a sender's end.
    func nextSendersMessage() async -> CastMessage? {
        await self.events.next {
            if case .message(_, let message) = $0, message.source != .platformSender { message } else { nil }
        }
    }
}
