import CastTransport
import CastwayTestSupport
import HTTPServing
import Logging
import NIOCore
import NIOPosix
import Synchronization
import Testing

/// What one HTTP connection may do before it is closed.
@Suite(.timeLimit(.minutes(1))) struct HTTPListenerTests {
    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let quick = HTTPLimits(
        requestTimeout: .milliseconds(200), idleTimeout: .milliseconds(400), maximumBodyBytes: 1000)

    @Test func aConnectionIsKeptForAnotherRequestAndThenClosed() async throws {
        try await ListenerBench.with(limits: Self.quick) { bench in
            try await HTTPPeer.connect(to: bench.port) { peer in
                for _ in 0..<3 {
                    peer.send(Self.get)
                    #expect(await peer.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200"))
                }
                #expect(await peer.readToEnd().isEmpty)
            }
        }
    }

    @Test func aConnectionThatIsKeptIsJudgedForEachRequest() async throws {
        final class Right: Sendable { let isGiven = Mutex(true) }
        let right = Right()
        try await ListenerBench.with(isAllowed: { right.isGiven.withLock { $0 } }) { bench in
            try await HTTPPeer.connect(to: bench.port) { peer in
                peer.send(Self.get)
                #expect(await peer.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200"))
                right.isGiven.withLock { $0 = false }
                peer.send(Self.get)
                let answer = await peer.readToEnd()
                #expect(answer.hasPrefix("HTTP/1.1 403") && answer.contains(#""code":"forbidden""#), "\(answer)")
                #expect(await bench.refusals.next() == "the address is not in senders.allow")
            }
        }
    }

    @Test(arguments: [
        "", "GET /", "GET / HTTP/1.1\r\nHost: a\r\nX: ", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
    ])
    func drippingBytesExtendNothing(beginning: String) async throws {
        try await ListenerBench.with(limits: Self.quick) { bench in
            try await HTTPPeer.connect(to: bench.port) { peer in
                peer.send(beginning)
                peer.drip()
                let answer = await peer.readToEnd()
                // What was answered before its body came is answered, and that is the end.
                #expect(answer.isEmpty || answer.lowercased().contains("connection: close"), "\(answer)")
            }
        }
    }

    @Test func aRequestForWhichThereIsNoMemoryIsToldSo() async throws {
        let budget = PeerBudget(bytes: PeerBudget.minimum)
        // With so few connections an address has no more than its share.
        let connections = ConnectionLimits(total: 100, perAddress: 2)
        try await ListenerBench.with(connections: connections, budget: budget) { bench in
            let room = budget.addressShare(of: .setup) - PeerCost.plainHTTP
            let other = try bench.admission.admit("127.0.0.1", to: .setup, bytes: room - (8 << 10), at: .now()) {}
            other.secured()
            try await HTTPPeer.connect(to: bench.port) { peer in
                peer.send("GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "x", count: 12_000))
                let answer = await peer.readToEnd()
                #expect(answer.hasPrefix("HTTP/1.1 503") && answer.contains(#""code":"overloaded""#), "\(answer)")
            }
            other.release()
            // What fits is answered, and nothing is left of it.
            try await HTTPPeer.connect(to: bench.port) { peer in
                let line = "X: " + String(repeating: "x", count: 12_000)
                peer.send("GET / HTTP/1.1\r\nHost: a\r\n\(line)\r\nConnection: close\r\n\r\n")
                #expect(await peer.readToEnd().hasPrefix("HTTP/1.1 200"))
            }
            _ = await bench.isEmpty.first { $0 }
            #expect(bench.admission.bytes(of: .setup) == 0)
        }
    }

    @Test func silenceIsTheEnd() async throws {
        try await ListenerBench.with(limits: Self.quick) { bench in
            try await HTTPPeer.connect(to: bench.port) { #expect(await $0.readToEnd().isEmpty) }
        }
    }

    @Test(arguments: ["Content-Length: 1001", "Content-Length: 99999999999999"])
    func aBodyThatIsTooLongIsRefusedWithoutBeingRead(length: String) async throws {
        // The time for a request is long here: it is the refusal that ends it.
        try await ListenerBench.with(limits: HTTPLimits(requestTimeout: .hours(1), maximumBodyBytes: 1000)) { bench in
            try await HTTPPeer.connect(to: bench.port) { peer in
                peer.send("POST / HTTP/1.1\r\nHost: a\r\n\(length)\r\n\r\n")
                peer.drip()
                let answer = await peer.readToEnd()
                #expect(answer.hasPrefix("HTTP/1.1 413"))
                #expect(answer.lowercased().contains("connection: close"))
            }
        }
    }

    @Test func theBodyOfARefusedRequestIsNotReadForEver() async throws {
        try await ListenerBench.with(limits: HTTPLimits(requestTimeout: .hours(1), maximumBodyBytes: 1000)) { bench in
            try await HTTPPeer.connect(to: bench.port) { peer in
                peer.send("POST /missing HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n")
                peer.drip()
                let answer = await peer.readToEnd()
                #expect(answer.hasPrefix("HTTP/1.1 404"))
                #expect(answer.lowercased().contains("connection: close"))
            }
        }
    }

    @Test func headersAreBounded() async throws {
        try await ListenerBench.with { bench in
            try await HTTPPeer.connect(to: bench.port) { peer in
                peer.send("GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "x", count: 40_000) + "\r\n\r\n")
                let answer = await peer.readToEnd()
                #expect(answer.hasPrefix("HTTP/1.1 431"), "\(answer)")
            }
        }
    }

    @Test func whoDoesNotReadAnAnswerIsHungUp() async throws {
        try await ListenerBench.with(limits: Self.quick) { bench in
            try await HTTPPeer.connect(to: bench.port) { peer in
                try await peer.goDeaf()
                peer.send("GET /long HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(await bench.cutOff.next() == true)
            }
        }
    }

    @Test func connectionsAreCountedAndAllowed() async throws {
        try await ListenerBench.with(connections: ConnectionLimits(total: 100, perAddress: 2)) { bench in
            try await HTTPPeer.connect(to: bench.port) { first in
                first.send(Self.get)
                _ = await first.read(until: "\r\n\r\n")
                try await HTTPPeer.connect(to: bench.port) { second in
                    second.send(Self.get)
                    _ = await second.read(until: "\r\n\r\n")
                    try await HTTPPeer.connect(to: bench.port) { #expect(await $0.readToEnd().isEmpty) }
                    #expect(await bench.refusals.next() == "too many connections from this address")
                    #expect(bench.admission.count(of: .setup) == 2)
                    #expect(bench.admission.count(of: .senders) == 0)
                }
            }
        }
        try await ListenerBench.with(isAllowed: { false }) { bench in
            try await HTTPPeer.connect(to: bench.port) { #expect(await $0.readToEnd().isEmpty) }
            #expect(await bench.refusals.next() == "the address is not in senders.allow")
        }
    }

    @Test func whoKeepsAConnectionForNothingGivesWay() async throws {
        try await ListenerBench.with(connections: ConnectionLimits(total: 4, perAddress: 4)) { bench in
            try await HTTPPeer.connect(to: bench.port) { idle in
                // Served once, and kept since.
                idle.send(Self.get)
                _ = await idle.read(until: "\r\n\r\n")
                try await HTTPPeer.connect(to: bench.port) { silent in
                    silent.send("GET")
                    try await HTTPPeer.connect(to: bench.port) { late in
                        late.send(Self.get)
                        #expect(await late.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200"))
                        #expect(await idle.readToEnd().isEmpty)
                    }
                }
            }
        }
    }

    /// What has connected to a listener that is given up before it answers is hung up on, and nothing else happens.
    @Test(.timeLimit(.minutes(1))) func connectionsOfAListenerThatNeverAnswersAreClosed() async throws {
        let connections = ConnectionLimits(total: 100, perAddress: 100)
        for _ in 0..<20 {
            let listener = try await HTTPListener(
                at: .address(host: "127.0.0.1", port: 0), kind: .setup,
                admission: Admission(senders: connections, setup: connections, admin: connections),
                on: MultiThreadedEventLoopGroup.singleton,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            ) { _, _, _ in }
            let port = try #require(listener.port)
            var senders: [any Channel] = []
            for _ in 0..<4 {
                senders.append(
                    try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                        .connect(host: "127.0.0.1", port: port).get())
            }
            await listener.discard()
            for sender in senders { try await sender.closeFuture.get() }
        }
    }
}
