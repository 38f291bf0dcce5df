import CastIdentity
import CastTransport
import CastWire
import CastwayTestSupport
import GatewayCore
import GatewayTesting
import Logging
import NIOCore
import NIOPosix
import Testing

@testable import VirtualDevices

/// Where a sender's channel ends: a mirrored stream goes between the same two addresses.
@Suite(.timeLimit(.minutes(1))) struct SenderEndpointsTests {
    @Test(arguments: [("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "127.0.0.1"), ("::1", "::1")])
    func theEndsOfAChannelAreKnown(listen: String, dialled: String) async throws {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let identity = try DeviceBench.identity()
        let leaf = try DeviceBench.store.get().currentLeaf(for: identity, now: DeviceBench.now)
        let tls = try TLSServerContext(certificate: leaf.certificate, privateKey: leaf.privateKey)
        let device = try await eventLoop.submit {
            let target = FakeTarget()
            target.echoes = true
            let device = VirtualDevice(
                facts: .test(), target: target, signer: ChallengeSigner(identity: identity, eventLoop: eventLoop),
                registry: HandlerRegistry(), settings: RouterSettings(), events: EventBus(),
                connectionIDs: ConnectionIDs(), eventLoop: eventLoop,
                logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
            device.start()
            return NIOLoopBound(device, eventLoop: eventLoop)
        }.get()
        let heartbeat = Heartbeat.Settings(interval: .seconds(5), timeout: .seconds(20))
        let limiter = ConnectionLimiter(ConnectionLimits(total: 9, perAddress: 9))
        let listener = try await CastListener(
            pipeline: CastPipeline(role: .receiver, heartbeat: heartbeat, handshakeTimeout: .seconds(10)),
            eventLoop: eventLoop, certificate: { tls }, admit: { try limiter.admit($0, at: .now(), evict: $1) }
        ).bind(host: listen, port: 0) { device.value.makeSender(from: $0, admission: $1) }
        let port = try #require(listener.localAddress?.port)
        let dialer = try CastDialer(
            pipeline: CastPipeline(role: .sender, heartbeat: heartbeat, handshakeTimeout: .seconds(10)),
            timeout: .seconds(10))
        let (sender, dial) = try await eventLoop.submit {
            let sender = LoopbackSender()
            let dial = dialer.dial(host: dialled, port: port, on: eventLoop, delegate: sender)
                .map { NIOLoopBound($0, eventLoop: eventLoop) }
            return (NIOLoopBound(sender, eventLoop: eventLoop), dial)
        }.get()
        let events = try await eventLoop.submit { sender.value.events }.get()
        let connection = try await dial.get()
        try await eventLoop.submit {
            connection.value.send(.connect("sender-0"))
            connection.value.send(.request("GET_STATUS", id: 1))
            connection.value.flush()
        }.get()
        // The device has the sender once it has answered.
        _ = await events.next { if case .message = $0 { true } else { nil } }
        let (here, there) = try await eventLoop.submit {
            let id = try #require(device.value.senders.all.first?.id)
            return (device.value.endpoints(of: id), connection.value.endpoints)
        }.get()
        #expect(here?.local.port == port && here?.local.ipAddress == dialled)
        #expect(here?.remote == there?.local && here?.local == there?.remote)
        let stranger = try await eventLoop.submit { device.value.endpoints(of: ConnectionID(rawValue: 999)) }.get()
        #expect(stranger == nil)
        try await listener.close()
        try await eventLoop.submit { device.value.stop("done") }.get()
        withExtendedLifetime(sender) {}
    }
}
