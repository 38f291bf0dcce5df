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

/// Device authentication over real TLS, among other messages.
@Suite(.timeLimit(.minutes(1))) struct ChallengeTests {
    private struct Session {
        let eventLoop: any EventLoop
        let connection: NIOLoopBound<CastConnection>
        let events: Inbox<LoopbackSender.Event>
        let leaf: [UInt8]

        func say(_ messages: CastMessage...) async throws {
            try await self.eventLoop.submit {
                for message in messages { self.connection.value.send(message) }
                self.connection.value.flush()
            }.get()
        }

        func next() async throws -> CastMessage {
            try #require(await self.events.next { if case .message(let message) = $0 { message } else { nil } })
        }
    }

    private func withSession(_ body: (Session) async throws -> Void) async throws {
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
        ).bind(host: "127.0.0.1", port: 0) { device.value.makeSender(from: $0, admission: $1) }
        let dialer = try CastDialer(
            pipeline: CastPipeline(role: .sender, heartbeat: heartbeat, handshakeTimeout: .seconds(10)),
            timeout: .seconds(10))
        let (sender, dial) = try await eventLoop.submit {
            let sender = LoopbackSender()
            let dial = dialer.dial(
                host: "127.0.0.1", port: listener.localAddress?.port ?? 0, on: eventLoop, delegate: sender
            ).map { NIOLoopBound($0, eventLoop: eventLoop) }
            return (NIOLoopBound(sender, eventLoop: eventLoop), dial)
        }.get()
        let events = try await eventLoop.submit { sender.value.events }.get()
        let session = Session(
            eventLoop: eventLoop, connection: try await dial.get(), events: events, leaf: leaf.certificate)
        _ = await events.next { if case .ready = $0 { true } else { nil } }
        try await body(session)
        try await listener.close()
        try await eventLoop.submit { device.value.stop("done") }.get()
        withExtendedLifetime(sender) {}
    }

    private func challenge(_ hash: AuthHashAlgorithm = .sha256, from source: EndpointID = "sender-0") -> CastMessage {
        CastMessage(
            source: source, destination: .platformReceiver, namespace: .deviceAuth,
            payload: DeviceAuthMessage(
                challenge: AuthChallenge(
                    senderNonce: Array(0..<16), hashAlgorithm: hash, signatureAlgorithm: .rsassaPKCS1v15)
            ).payload)
    }

    @Test(arguments: [(AuthHashAlgorithm.sha1, HashAlgorithm.sha1), (.sha256, .sha256)])
    func theReplyProvesTheDevice(wire: AuthHashAlgorithm, hash: HashAlgorithm) async throws {
        try await self.withSession { session in
            try await session.say(self.challenge(wire, from: "sender-5"))
            let reply = try await session.next()
            #expect(reply.source == .platformReceiver)
            #expect(reply.destination == "sender-5")
            let response = try #require(try DeviceAuthMessage(parsing: reply.payload.bytes).response)
            #expect(response.hashAlgorithm == wire)
            #expect(response.crl != nil)
            let root = try DeviceBench.store.get().root(now: DeviceBench.now)
            let verified = try DeviceAuthVerifier(trustedRoots: [root.der]).verify(
                DeviceAuthProof(
                    signature: response.signature, deviceCertificate: response.clientAuthCertificate,
                    intermediates: response.intermediateCertificates, hash: hash, nonce: response.senderNonce ?? []),
                leaf: session.leaf, challengeNonce: Array(0..<16), now: DeviceBench.now)
            #expect(verified.isFresh)
        }
    }

    @Test func messagesBeforeAndBehindItAreAnswered() async throws {
        try await self.withSession { session in
            try await session.say(
                .connect("sender-0"), .request("BEFORE", id: 1), self.challenge(), .request("BEHIND", id: 2))
            var namespaces: [Namespace] = []
            var ids: [RequestID?] = []
            for _ in 0..<3 {
                let message = try await session.next()
                namespaces.append(message.namespace)
                if message.namespace == .receiver { ids.append(PayloadSummary(peeking: message.payload).requestID) }
            }
            #expect(namespaces.count { $0 == .deviceAuth } == 1)
            #expect(ids == [1, 2])
        }
    }

    /// A sender that asks again before it has been answered is answered as often as it asked, by whichever of its ends.
    @Test func challengesInARowAreAllAnswered() async throws {
        try await self.withSession { session in
            let sources: [EndpointID] = ["sender-0", "sender-1", "sender-0", "sender-2", "sender-1"]
            try await session.eventLoop.submit {
                for source in sources { session.connection.value.send(self.challenge(from: source)) }
                session.connection.value.flush()
            }.get()
            var answered: [EndpointID] = []
            for _ in sources {
                let reply = try await session.next()
                #expect(try DeviceAuthMessage(parsing: reply.payload.bytes).response != nil)
                answered.append(reply.destination)
            }
            #expect(answered == sources)
            try await session.say(.connect("sender-0"), .request("NEXT", id: 3))
            #expect(try await session.next().namespace == .receiver)
        }
    }

    @Test func whatIsNoChallengeIsNotAnswered() async throws {
        try await self.withSession { session in
            var garbage = self.challenge()
            garbage.payload = .binary(.init(bytes: [0xFF, 0xFF]))
            try await session.say(garbage, .connect("sender-0"), .request("NEXT", id: 3))
            #expect(try await session.next().namespace == .receiver)
        }
    }

    @Test func theSeventeenthEndsTheChannel() async throws {
        try await self.withSession { session in
            for _ in 0..<16 {
                try await session.say(self.challenge())
                let reply = try await session.next()
                #expect(try DeviceAuthMessage(parsing: reply.payload.bytes).response != nil)
            }
            try await session.say(self.challenge())
            #expect(await session.events.next { if case .closed = $0 { true } else { nil } } == true)
        }
    }
}
