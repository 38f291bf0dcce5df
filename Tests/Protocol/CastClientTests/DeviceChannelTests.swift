import CastTransport
import CastWire
import CastwayTestSupport
import NIOCore
import NIOEmbedded
import Testing

@testable import CastClient

/// A sender's end of a channel without TLS, on an event loop that turns when a test says so.
private final class ChannelBench {
    static let app = ReceiverApplication(
        appID: "ABCD1234", displayName: "Quiz", sessionID: "s-1", transportID: "t-1", namespaces: [.media])

    let loop = EmbeddedEventLoop()
    let dialled: DialledConnection
    /// The reference that a device holds.
    var channel: DeviceChannel?
    private(set) var wire: EmbeddedChannel?
    private var decoder = CastFrameDecoder()
    /// The number of the last request to the platform that ``sent()`` saw.
    private(set) var asked: RequestID?

    init() {
        let (_, continuation) = AsyncThrowingStream.makeStream(of: CastMessage.self)
        let channel = DeviceChannel(
            eventLoop: self.loop, options: SenderOptions(), counter: RequestCounter(), messages: continuation)
        self.channel = channel
        self.dialled = DialledConnection(of: channel)
    }

    /// A connection that the dial tries, before TCP stands.
    func makeConnection() throws -> (wire: EmbeddedChannel, connection: CastConnection) {
        let wire = EmbeddedChannel(loop: self.loop)
        let pipeline = CastPipeline(
            role: .sender, heartbeat: .init(interval: .seconds(5), timeout: .seconds(15)),
            handshakeTimeout: .seconds(5))
        return (wire, try pipeline.configure(wire, delegate: self.dialled))
    }

    /// TCP stands.
    func connect() throws {
        let (wire, _) = try self.makeConnection()
        try wire.connect(to: SocketAddress(ipAddress: "192.0.2.40", port: 8009)).wait()
        self.wire = wire
    }

    /// The types of what was sent since the last call.
    func sent() throws -> [String?] {
        var types: [String?] = []
        while var bytes = try self.wire?.readOutbound(as: ByteBuffer.self) {
            while let message = try self.decoder.decode(buffer: &bytes) {
                let summary = PayloadSummary(peeking: message.payload)
                if message.namespace == .receiver { self.asked = summary.requestID }
                types.append(summary.type)
            }
        }
        return types
    }

    /// What became of something by now; nil while it is under way.
    static func outcome<Value>(of future: EventLoopFuture<Value>) -> Result<Value, any Error>? {
        var outcome: Result<Value, any Error>?
        future.assumeIsolated().whenComplete { outcome = $0 }
        return outcome
    }

    /// The platform, or another end of the device, says something to the sender.
    func platformSays(
        _ payload: CastMessage.Payload, in namespace: Namespace = .receiver, as end: EndpointID = .platformReceiver
    ) throws {
        let message = CastMessage(source: end, destination: .platformSender, namespace: namespace, payload: payload)
        try self.wire?.writeInbound(message.frame())
    }
}

@Suite struct DeviceChannelTests {
    /// A name with two addresses: one connection comes to nothing, the other is the device's.
    @Test func anAddressThatFailsDoesNotEndTheOther() throws {
        let bench = ChannelBench()
        let channel = try #require(bench.channel)
        let losing = try bench.makeConnection()
        _ = try losing.wire.finish(acceptAlreadyClosed: true)
        bench.dialled.connectionClosed(losing.connection, reason: nil)
        try bench.connect()
        channel.open(.platformReceiver)
        #expect(try bench.sent() == ["CONNECT"])
        bench.dialled.connectionClosed(losing.connection, reason: nil)
        channel.open("t-1")
        #expect(try bench.sent() == ["CONNECT"])
    }

    /// A device that its program lets go hangs up at once, not when the device speaks next; the program may hold on to what
    /// belongs to it.
    @Test func aDeviceThatIsReleasedHangsUp() throws {
        let bench = ChannelBench()
        try bench.connect()
        weak var channel: DeviceChannel?
        weak var session: AppSession?
        let media: MediaClient
        do {
            let held = try #require(bench.channel)
            channel = held
            let joined = AppSession(joining: ChannelBench.app, on: held)
            try held.add(joined)
            joined.adopt(ChannelBench.app)
            session = joined
            media = try joined.mediaClient(MediaClientOptions())
        }
        #expect(try bench.sent() == ["CONNECT", "GET_STATUS"])
        #expect(session != nil && media.snapshot.isAvailable)
        bench.channel = nil
        #expect(channel == nil && session == nil)
        bench.loop.run()
        #expect(bench.wire?.isActive == false)
        #expect(!media.snapshot.isAvailable)
    }

    /// A channel with an app that is joined, of which everything that was sent has been read.
    private static func joined() throws -> (bench: ChannelBench, session: AppSession) {
        let bench = ChannelBench()
        try bench.connect()
        let channel = try #require(bench.channel)
        channel.open(.platformReceiver)
        let session = AppSession(joining: ChannelBench.app, on: channel)
        try channel.add(session)
        session.adopt(ChannelBench.app)
        _ = try bench.sent()
        return (bench, session)
    }

    @Test func anAppDoesNotSpeakForThePlatform() throws {
        let (bench, session) = try Self.joined()
        let nothingRuns = ReceiverStatusPayload(ReceiverStatus(application: nil, volume: ReceiverVolume(level: 1)))
            .payload
        try bench.platformSays(nothingRuns, as: "t-1")
        #expect(ChannelBench.outcome(of: session.end) == nil)
        try bench.platformSays(nothingRuns)
        let end = try #require(try ChannelBench.outcome(of: session.end)?.get())
        #expect(end.code == .applicationNotRunning)
        let error = #expect(throws: RequestError.self) { try session.mediaClient(MediaClientOptions()) }
        #expect(error == end)
    }

    @Test func anAppThatKeepsClosingItsConnectionIsToldSoAndLeft() throws {
        let (bench, session) = try Self.joined()
        let channel = try #require(bench.channel)
        let media = try session.mediaClient(MediaClientOptions())
        _ = try bench.sent()
        let status = ReceiverStatus(application: ChannelBench.app, volume: ReceiverVolume(level: 1))
        for _ in 0..<3 {
            try bench.platformSays(ConnectionPayload.close().payload, in: .connection, as: "t-1")
            #expect(try bench.sent().prefix(2) == ["CLOSE", "GET_STATUS"])
            #expect(channel.session(at: "t-1") === session)
            try bench.platformSays(ReceiverStatusPayload(status, requestID: try #require(bench.asked)).payload)
            #expect(try bench.sent().first == "CONNECT")
        }
        try bench.platformSays(ConnectionPayload.close().payload, in: .connection, as: "t-1")
        let end = try #require(try ChannelBench.outcome(of: session.end)?.get())
        #expect(end.message == "the app keeps closing its connection")
        #expect(!media.snapshot.isAvailable)
        bench.loop.run()
        #expect(bench.wire?.isActive == true)
    }

    /// A device that has restarted closes the platform's connection with every message until that is acknowledged.
    @Test func aPlatformThatClosesItsConnectionIsAskedAgain() throws {
        let bench = ChannelBench()
        try bench.connect()
        let channel = try #require(bench.channel)
        channel.open(.platformReceiver)
        let session = AppSession("ABCD1234", options: LaunchOptions(), on: channel, whileAsking: {})
        try channel.add(session)
        session.begin()
        let call = DeviceChannel.Call(
            "SET_VOLUME", sending: .json(["type": "SET_VOLUME", "requestId": 9]), timeout: .seconds(1))
        let answer = channel.wait(for: call, in: .receiver, to: .platformReceiver, answer: .numbered(9))
        #expect(try bench.sent() == ["CONNECT", "GET_STATUS", "SET_VOLUME"])
        for _ in 0..<3 {
            try bench.platformSays(ConnectionPayload.close().payload, in: .connection)
            #expect(try bench.sent() == ["CLOSE", "CONNECT", "GET_STATUS", "SET_VOLUME"])
        }
        try bench.platformSays(.json(["type": "RECEIVER_STATUS", "requestId": 9]))
        let answered = try ChannelBench.outcome(of: answer)?.get()
        #expect(answered.map { PayloadSummary(peeking: $0.payload).requestID } == 9)
        // One that goes on is left to do so.
        try bench.platformSays(ConnectionPayload.close().payload, in: .connection)
        #expect(try bench.sent() == [])
        #expect(throws: RequestError.connectionClosed(.platformReceiver)) {
            try ChannelBench.outcome(of: session.started)?.get()
        }
    }

    /// Devices number what they say of a launch in three ways, or not at all.
    @Test(
        arguments: [
            [:], ["requestId": 0, "launchRequestId": 0], ["requestId": 2], ["requestId": 0, "launchRequestId": 2],
        ] as [JSONObject])
    func aRefusalOfTheUserEndsTheLaunch(_ numbers: JSONObject) throws {
        let bench = ChannelBench()
        try bench.connect()
        let channel = try #require(bench.channel)
        let session = AppSession("ABCD1234", options: LaunchOptions(), on: channel, whileAsking: {})
        try channel.add(session)
        session.begin()
        let status = ReceiverStatus(application: nil, volume: ReceiverVolume(level: 1))
        try bench.platformSays(ReceiverStatusPayload(status, requestID: 1).payload)
        #expect(try bench.sent() == ["GET_STATUS", "LAUNCH"])
        var refusal: JSONObject = ["type": "LAUNCH_STATUS", "status": "USER_NOT_ALLOWED"]
        for member in numbers.members { refusal[member.name] = member.value }
        try bench.platformSays(.json(refusal))
        let error = #expect(throws: RequestError.self) { try ChannelBench.outcome(of: session.started)?.get() }
        #expect(error?.message == "the device does not launch app ABCD1234: USER_NOT_ALLOWED")
    }
}
