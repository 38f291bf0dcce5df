import CastIdentity
import CastTransport
import CastWire
import CastwayTestSupport
import GatewayTesting
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization
import Testing

/// Real sockets and real TLS on 127.0.0.1.
@Suite(.timeLimit(.minutes(1))) struct CastListenerTests {
    private static let question = CastMessage.test("question", in: .media)

    @Test func aListenerAndADiallerExchangeMessages() async throws {
        let bench = try TLSBench()
        let (events, input) = TLSBench.Events.makeStream()
        let dialer = try CastDialer(pipeline: TLSBench.pipeline(.sender), timeout: .seconds(10))
        try await bench.withListener(answer: { $0.reply(.text("answer")) }) { port in
            let loop = bench.loop
            let dialled = try await loop.flatSubmit {
                let delegate = StreamingDelegate(
                    input,
                    onReady: { connection in
                        connection.send(Self.question)
                        connection.flush()
                    })
                let kept = NIOLoopBound(delegate, eventLoop: loop)
                return dialer.dial(host: "127.0.0.1", port: port, on: loop, delegate: delegate).map {
                    NIOLoopBound((delegate: kept.value, connection: $0), eventLoop: loop)
                }
            }.get()
            #expect(await events.next() == .ready(leaf: nil))
            #expect(await events.next() == .received(Self.question.reply(.text("answer"))))
            #expect(await bench.events.next() == .ready(leaf: TLSBench.leaves[0].certificate))
            #expect(await bench.events.next() == .received(Self.question))
            try await loop.submit { dialled.value.connection.close("done") }.get()
            #expect(await events.next() == .closed(.closedLocally("done")))
            #expect(await bench.events.next() == .closed(nil))
        }
        #expect(bench.limiter.count == 0)
    }

    @Test func nobodyIsAcceptedBeforeItIsTime() async throws {
        let bench = try TLSBench()
        let (events, input) = TLSBench.Events.makeStream()
        let accepted = Mutex(0)
        let listener = CastListener(
            pipeline: TLSBench.pipeline(.receiver), eventLoop: bench.loop,
            certificate: { bench.context.withLock { $0 } },
            admit: { try bench.limiter.admit($0, at: .now(), evict: $1) }, acceptsPerSecond: 1000,
            accepting: { _ in accepted.withLock { $0 += 1 } })
        let channel = try await listener.bind(host: "127.0.0.1", port: 0, isAccepting: false) { _, _ in
            StreamingDelegate(input)
        }
        let port = channel.localAddress?.port ?? 0
        let early = try await bench.client(port)
        // The event loop looks at all its sockets between two turns.
        for _ in 0..<3 { try await bench.loop.submit {}.get() }
        #expect(accepted.withLock { $0 } == 0)
        #expect(bench.limiter.count == 0)
        try await channel.setOption(.autoRead, value: true).get()
        #expect(await early.events.next() == .ready(leaf: nil))
        #expect(await events.next() == .ready(leaf: TLSBench.leaves[0].certificate))
        let late = try await bench.client(port)
        #expect(await late.events.next() == .ready(leaf: nil))
        #expect(accepted.withLock { $0 } == 2)
        try await channel.close()
        try await bench.group.shutdownGracefully()
    }

    @Test(arguments: [TLSVersion.tlsv12, .tlsv13])
    func currentVersionsOfTLSAreAccepted(_ version: TLSVersion) async throws {
        let bench = try TLSBench()
        try await bench.withListener { port in
            let client = try await bench.client(port, version: version)
            #expect(await client.events.next() == .ready(leaf: nil))
            #expect(await bench.events.next() == .ready(leaf: TLSBench.leaves[0].certificate))
        }
    }

    @Test(arguments: [
        (0, NIOTLSCipher.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, true),
        (0, .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, true), (0, .TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA, true),
        (2, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, true), (2, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384, true),
        (2, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256, true), (2, .TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA, true),
        (2, .TLS_RSA_WITH_AES_128_GCM_SHA256, false), (2, .TLS_RSA_WITH_AES_256_GCM_SHA384, false),
        (2, .TLS_RSA_WITH_AES_128_CBC_SHA, false), (2, .TLS_RSA_WITH_AES_256_CBC_SHA, false),
    ])
    func keyExchangeHasForwardSecrecy(leaf: Int, suite: NIOTLSCipher, isAccepted: Bool) async throws {
        let bench = try TLSBench(leaf: leaf)
        try await bench.withListener { port in
            let client = try await bench.client(port, version: .tlsv12, suites: [suite])
            if isAccepted {
                #expect(await client.events.next() == .ready(leaf: nil))
                return
            }
            guard case .closed(.tls) = await client.events.next(), case .closed = await bench.events.next() else {
                Issue.record("a key exchange by plain RSA was accepted")
                return
            }
        }
    }

    @Test func anOutdatedTLSIsRefused() async throws {
        let bench = try TLSBench()
        try await bench.withListener { port in
            let client = try await bench.client(port, version: .tlsv11)
            guard case .closed(.tls) = await client.events.next(), case .closed = await bench.events.next() else {
                Issue.record("a TLS 1.1 client was accepted")
                return
            }
        }
    }

    @Test func garbageCostsOnlyItsOwnConnection() async throws {
        let bench = try TLSBench()
        try await bench.withListener { port in
            let old = try await bench.client(port)
            #expect(await old.events.next() == .ready(leaf: nil))
            #expect(await bench.events.next() == .ready(leaf: TLSBench.leaves[0].certificate))
            let garbage = try await ClientBootstrap(group: bench.group).connect(host: "127.0.0.1", port: port).get()
            try await garbage.writeAndFlush(ByteBuffer(string: "GET / HTTP/1.1\r\nHost: x\r\n\r\n"))
            try await garbage.closeFuture.get()
            guard case .closed(.tls) = await bench.events.next() else {
                Issue.record("garbage was not refused")
                return
            }
            let next = try await bench.client(port) { connection in
                connection.send(Self.question)
                connection.flush()
            }
            #expect(await next.events.next() == .ready(leaf: nil))
            #expect(await bench.events.next() == .ready(leaf: TLSBench.leaves[0].certificate))
            #expect(await bench.events.next() == .received(Self.question))
            #expect(old.channel.isActive)
        }
    }

    @Test func aMalformedFrameCostsTheConnectionAtOnce() async throws {
        let bench = try TLSBench()
        try await bench.withListener { port in
            let client = try await bench.client(port)
            #expect(await client.events.next() == .ready(leaf: nil))
            #expect(await bench.events.next() == .ready(leaf: TLSBench.leaves[0].certificate))
            try await client.channel.eventLoop.submit {
                let pipeline = client.channel.pipeline.syncOperations
                let context = try pipeline.context(handlerType: CastConnection.self)
                context.writeAndFlush(NIOAny(ByteBuffer(bytes: [255, 255, 255, 255])), promise: nil)
            }.get()
            let closed = await bench.events.next()
            #expect(closed == .closed(.malformed(.frameTooLarge(declared: 4_294_967_295, limit: 65_536))))
            #expect(await client.events.next() == .closed(nil))
        }
    }

    @Test func whoIsTurnedAwayIsNeverReleasedAndWhoIsAdmittedOnce() async throws {
        let bench = try TLSBench(maximumTotal: 1)
        try await bench.withListener { port in
            let first = try await bench.client(port)
            #expect(await first.events.next() == .ready(leaf: nil))
            for _ in 0..<3 {
                let second = try await bench.client(port)
                guard case .closed = await second.events.next() else {
                    Issue.record("one too many was let in")
                    return
                }
            }
            #expect(bench.limiter.count == 1)
            try await first.channel.close()
        }
        #expect(bench.limiter.count == 0)
    }

    @Test func aNewCertificateLeavesOldConnectionsAlone() async throws {
        let bench = try TLSBench()
        try await bench.withListener(answer: { $0.reply(.text("answer")) }) { port in
            let old = try await bench.client(port)
            #expect(await old.events.next() == .ready(leaf: nil))
            #expect(await bench.events.next() == .ready(leaf: TLSBench.leaves[0].certificate))
            let swapped = try TLSBench.context(1)
            bench.context.withLock { $0 = swapped }
            let new = try await bench.client(port)
            #expect(await new.events.next() == .ready(leaf: nil))
            #expect(await bench.events.next() == .ready(leaf: TLSBench.leaves[1].certificate))
            let served = try await new.channel.eventLoop.submit {
                let tls = try new.channel.pipeline.syncOperations.handler(type: NIOSSLClientHandler.self)
                return try tls.peerCertificate?.toDERBytes()
            }.get()
            #expect(served == TLSBench.leaves[1].certificate)
            try await old.channel.writeAndFlush(try Self.question.frame())
            #expect(await old.events.next() == .received(Self.question.reply(.text("answer"))))
        }
    }

    @Test func aPeerThatNeverReadsIsClosedAndHoldsLittle() async throws {
        let bench = try TLSBench()
        let unsent = Mutex(0)
        let message = CastMessage.test(String(repeating: "x", count: 60_000), in: .media)
        // Everything is sent in one turn of the loop, so the peer cannot read meanwhile, even if it wanted to.
        let flood: @Sendable (CastConnection) -> Void = { connection in
            for _ in 0..<170 {
                connection.send(message)
                connection.flush()
            }
            unsent.withLock { $0 += 1 }
        }
        try await bench.withListener(onReady: flood) { port in
            let client = try await bench.client(port)
            #expect(await bench.events.next() == .ready(leaf: TLSBench.leaves[0].certificate))
            guard case .closed(.slowReader(let pending)) = await bench.events.next() else {
                Issue.record("a peer that does not read was kept")
                return
            }
            #expect(pending <= 1024 * 1024 + 128 * 1024)
            try await client.channel.closeFuture.get()
        }
        #expect(unsent.withLock { $0 } == 1)
        #expect(bench.limiter.count == 0)
    }

    @Test func diallingAClosedPortFails() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let vacant = try await ServerBootstrap(group: group).bind(host: "127.0.0.1", port: 0).get()
        let port = vacant.localAddress?.port ?? 0
        try await vacant.close()
        let loop = group.next()
        let (events, input) = TLSBench.Events.makeStream()
        let dialer = try CastDialer(pipeline: TLSBench.pipeline(.sender), timeout: .seconds(10))
        await #expect(throws: (any Error).self) {
            try await loop.flatSubmit {
                let delegate = StreamingDelegate(input)
                let kept = NIOLoopBound(delegate, eventLoop: loop)
                let dialled = dialer.dial(host: "127.0.0.1", port: port, on: loop, delegate: delegate).map { _ in }
                dialled.whenComplete { _ in
                    // The channel says goodbye to its owner in the turn after.
                    loop.execute { withExtendedLifetime(kept) {} }
                }
                return dialled
            }.get()
        }
        #expect(await events.next() == .closed(nil))
        try await group.shutdownGracefully()
    }
}
