import CastTransport
import CastwayTestSupport
import HTTPServing
import HTTPTypes
import NIOCore
import NIOPosix
import Testing

/// WebSockets over real sockets, byte by byte: the handshake, the rules of RFC 6455, and the limits.
@Suite(.timeLimit(.minutes(1))) struct WebSocketTests {
    /// Says every text back, in the order in which they come, and tells when it has ended.
    private final class Echo: WebSocketEndpoint {
        private let socket: WebSocket
        private let endings: Inbox<Bool>

        init(_ socket: WebSocket, ended: Inbox<Bool>) {
            self.socket = socket
            self.endings = ended
        }

        func opened() { self.socket.send(text: ByteBuffer(string: "hello")) }

        func received(text: ByteBuffer) {
            if text == ByteBuffer(string: "bye") { return self.socket.close(code: 4000, reason: "as you say") }
            self.socket.send(text: text)
        }

        func received(binary: ByteBuffer) {
            self.socket.send(text: ByteBuffer(string: "\(binary.readableBytes) bytes"))
        }
        func becameWritable() {}
        func ended() { self.endings.put(true) }
    }

    /// A listener with an echo at `/socket`, and a WebSocket that is refused at `/closed`.
    private func withEcho(
        _ limits: WebSocketLimits = WebSocketLimits(), http: HTTPLimits = HTTPLimits(), ended: Inbox<Bool> = Inbox(),
        body: (ListenerBench) async throws -> Void
    ) async throws {
        try await ListenerBench.with(
            limits: http, connections: ConnectionLimits(total: 2000, perAddress: 2000),
            upgrades: { request in
                switch request.path {
                case "/socket":
                    let protocols = HTTPField.Name("Sec-WebSocket-Protocol").map { request.elements(of: $0) } ?? []
                    let isOffered = protocols.contains("castway.v1")
                    return .accept(
                        WebSocketAcceptance(subprotocol: isOffered ? "castway.v1" : nil, limits: limits) { socket in
                            Echo(socket, ended: ended)
                        })
                case "/closed": return .refuse(UpgradeRefusal(status: 401, problem: #"{"code":"unauthorized"}"#))
                default: return .answer
                }
            }, body: body)
    }

    private func withSocket(
        _ limits: WebSocketLimits = WebSocketLimits(), ended: Inbox<Bool> = Inbox(),
        body: (WebSocketPeer) async throws -> Void
    ) async throws {
        try await self.withEcho(limits, ended: ended) { bench in
            try await HTTPPeer.connect(to: bench.port) { peer in
                let socket = WebSocketPeer(peer)
                #expect(await socket.open().hasPrefix("HTTP/1.1 101"))
                #expect(await socket.next()?.text == "hello")
                try await body(socket)
            }
        }
    }

    // MARK: The handshake

    @Test func aWebSocketIsOpenedAndClosed() async throws {
        let ended = Inbox<Bool>()
        try await self.withEcho(ended: ended) { bench in
            try await HTTPPeer.connect(to: bench.port) { peer in
                let socket = WebSocketPeer(peer)
                let answer = await socket.open("/socket?a=b", ["Sec-WebSocket-Protocol": "castway.v1, other"])
                #expect(answer.hasPrefix("HTTP/1.1 101 Switching Protocols\r\n"))
                // The example of RFC 6455, 1.3.
                #expect(answer.lowercased().contains("sec-websocket-accept: s3pplmbitxaq9kygzzhzrbk+xoo=\r\n"))
                #expect(answer.lowercased().contains("sec-websocket-protocol: castway.v1\r\n"))
                #expect(!answer.lowercased().contains("extensions"))
                #expect(await socket.next() == .init(first: 0x81, payload: ByteBuffer(string: "hello")))
                socket.send(text: "one")
                #expect(await socket.next()?.text == "one")
                socket.close(1000)
                let close = await socket.next()
                #expect(close?.first == 0x88 && close?.code == 1000)
                #expect(await socket.next() == nil)
            }
            #expect(await ended.next() == true)
        }
    }

    /// Frames that stand behind the request in the same packet are not lost.
    @Test func earlyFramesAreRead() async throws {
        // Nothing else than the frame brings the answer.
        try await self.withEcho(WebSocketLimits(pingInterval: .hours(1))) { bench in
            try await HTTPPeer.connect(to: bench.port) { peer in
                var bytes = ByteBuffer(string: WebSocketPeer.request())
                bytes.writeImmutableBuffer(WebSocketPeer.frame(0x81, ByteBuffer(string: "early")))
                peer.send(bytes)
                let socket = WebSocketPeer(peer)
                #expect(await socket.answer().hasPrefix("HTTP/1.1 101"))
                #expect(await socket.next()?.text == "hello")
                #expect(await socket.next()?.text == "early")
            }
        }
    }

    @Test(arguments: [
        (WebSocketPeer.request("/closed"), 401, "unauthorized"),
        (WebSocketPeer.request(["Sec-WebSocket-Version": "8"]), 426, "sec-websocket-version: 13"),
        (WebSocketPeer.request(["Sec-WebSocket-Version": ""]), 426, "bad_handshake"),
        (WebSocketPeer.request(["Sec-WebSocket-Key": ""]), 400, "sec-websocket-key"),
        (WebSocketPeer.request(["Sec-WebSocket-Key": "short"]), 400, "sec-websocket-key"),
        (WebSocketPeer.request(["Content-Length": "5"]) + "hello", 400, "no body"),
        (WebSocketPeer.request(["Transfer-Encoding": "chunked"]) + "0\r\n\r\n", 400, "no body"),
        (WebSocketPeer.request(method: "POST"), 400, "get"), (WebSocketPeer.request(["Host": ""]), 400, "host"),
        (WebSocketPeer.request("/missing"), 404, ""),
    ])
    func aRefusalIsAnswered(request: String, status: Int, text: String) async throws {
        try await self.withEcho { bench in
            try await HTTPPeer.connect(to: bench.port) { peer in
                peer.send(request)
                let answer = await peer.readToEnd().lowercased()
                #expect(answer.hasPrefix("http/1.1 \(status)"), "\(answer)")
                #expect(answer.contains(text) && answer.contains("connection: close"), "\(answer)")
                #expect(status == 404 || answer.contains("content-type: application/problem+json"))
            }
        }
    }

    /// Other protocols are not taken, and the request is answered all the same.
    @Test(arguments: [
        ["Upgrade": "h2c", "Connection": "Upgrade, HTTP2-Settings", "HTTP2-Settings": "AAMAAABkAAQAoAAAAAIAAAAA"],
        ["Upgrade": "foo/1, bar", "Connection": "upgrade"], ["Upgrade": "websocket", "Connection": "keep-alive"],
        ["Upgrade": "", "Connection": "upgrade"],
    ])
    func otherOffersAreIgnored(headers: [String: String]) async throws {
        try await self.withEcho { bench in
            try await HTTPPeer.connect(to: bench.port) { peer in
                peer.send(WebSocketPeer.request("/", headers))
                #expect(await peer.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200"))
            }
        }
    }

    @Test func anUpgradeOfALaterRequestIsAnswered() async throws {
        try await self.withEcho { bench in
            try await HTTPPeer.connect(to: bench.port) { peer in
                peer.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(await peer.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200"))
                peer.send(WebSocketPeer.request())
                // The responder of the bench answers all with 200; here it matters that it is asked, and that it ends.
                let answer = await peer.readToEnd()
                #expect(answer.hasPrefix("HTTP/1.1 200") && answer.lowercased().contains("connection: close"))
            }
        }
    }

    @Test func requestsWithoutAnOfferAreServedOneAfterTheOther() async throws {
        try await self.withEcho { bench in
            try await HTTPPeer.connect(to: bench.port) { peer in
                for path in ["/", "/missing", "/socket"] {
                    peer.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
                    let status = path == "/missing" ? 404 : 200
                    #expect(await peer.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 \(status)"))
                }
            }
        }
    }

    @Test(arguments: ["", "GET /socket HTTP/1.1\r\nHost: a\r\nUpgrade: webs", "\0\0\0\r\n\r\n"])
    func aHandshakeThatIsNoneEnds(beginning: String) async throws {
        let limits = HTTPLimits(requestTimeout: .milliseconds(200), idleTimeout: .milliseconds(400))
        try await self.withEcho(http: limits) { bench in
            try await HTTPPeer.connect(to: bench.port) { peer in
                peer.send(beginning)
                let answer = await peer.readToEnd()
                let isRefused = answer.hasPrefix("HTTP/1.1 400") || answer.hasPrefix("HTTP/1.1 408")
                #expect(answer.isEmpty || isRefused, "\(answer)")
            }
            // One that leaves in the middle is not kept.
            try await HTTPPeer.connect(to: bench.port) { peer in
                peer.send(beginning)
                try await peer.endOutput()
                _ = await peer.readToEnd()
            }
        }
    }

    // MARK: Frames

    @Test func messagesInPartsAreAssembled() async throws {
        try await self.withSocket { socket in
            socket.send(0x01, ByteBuffer(string: "on"))
            // Control frames may stand between the parts.
            socket.send(0x89, ByteBuffer(string: "p"))
            socket.send(0x00, ByteBuffer())
            socket.send(0x80, ByteBuffer(string: "e"))
            // A ping is answered when all that came with it was read.
            let frames = [await socket.next(), await socket.next()]
            #expect(frames.contains(.init(first: 0x8A, payload: ByteBuffer(string: "p"))))
            #expect(frames.contains(.init(first: 0x81, payload: ByteBuffer(string: "one"))))
            socket.send(0x82, ByteBuffer(repeating: 0xFF, count: 70_000))
            #expect(await socket.next()?.text == "70000 bytes")
            // A character in two parts is one.
            let letter = Array("ä".utf8)
            socket.send(0x01, ByteBuffer(bytes: letter[..<1]))
            socket.send(0x80, ByteBuffer(bytes: letter[1...]))
            #expect(await socket.next()?.text == "ä")
            for count in [0, 125, 126, 65_535, 65_536] {
                let text = String(repeating: "x", count: count)
                socket.send(text: text)
                #expect(await socket.next()?.text == text)
            }
        }
    }

    /// What breaks a rule ends the WebSocket with the code that says so.
    @Test(
        arguments: [
            // Not masked.
            ([0x81, 0x01, 0x61], 1002),
            // Reserved bits and opcodes.
            ([0xC1, 0x80, 0, 0, 0, 0], 1002), ([0x83, 0x80, 0, 0, 0, 0], 1002), ([0x8B, 0x80, 0, 0, 0, 0], 1002),
            // A control frame in parts, and one that is too long.
            ([0x09, 0x80, 0, 0, 0, 0], 1002), ([0x89, 0xFE, 0, 126, 0, 0, 0, 0], 1002),
            // Nothing to continue; another message before the end of one.
            ([0x80, 0x80, 0, 0, 0, 0], 1002), ([0x01, 0x80, 0, 0, 0, 0, 0x81, 0x80, 0, 0, 0, 0], 1002),
            // Text that is none.
            ([0x81, 0x81, 0, 0, 0, 0, 0xFF], 1007),
            // Close frames: half a code, codes that are not sent, a reason that is no text.
            ([0x88, 0x81, 0, 0, 0, 0, 0x03], 1002), ([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xED], 1002),
            ([0x88, 0x82, 0, 0, 0, 0, 0x00, 0x00], 1002), ([0x88, 0x83, 0, 0, 0, 0, 0x03, 0xE8, 0xFF], 1007),
            // Too long: by one frame, by 2^63, and in parts.
            ([0x81, 0xFE, 0x04, 0x01, 0, 0, 0, 0], 1009),
            ([0x81, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 1009),
            ([0x81, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0], 1009),
        ] as [([UInt8], UInt16)])
    func brokenRulesHaveTheirCode(bytes: [UInt8], code: UInt16) async throws {
        try await self.withSocket(WebSocketLimits(maximumMessageBytes: 1024)) { socket in
            socket.peer.send(ByteBuffer(bytes: bytes))
            let close = await socket.next()
            #expect(close?.first == 0x88 && close?.code == code, "\(String(describing: close))")
            #expect(await socket.next() == nil)
        }
    }

    @Test func aMessageThatIsTooLongInPartsIsRefused() async throws {
        try await self.withSocket(WebSocketLimits(maximumMessageBytes: 1024)) { socket in
            socket.send(0x01, ByteBuffer(repeating: 0x61, count: 1024))
            socket.send(0x80, ByteBuffer(repeating: 0x61, count: 1))
            #expect(await socket.next()?.code == 1009)
        }
    }

    @Test func anEmptyCloseIsAnsweredWithAnEmptyOne() async throws {
        try await self.withSocket { socket in
            socket.send(0x88, ByteBuffer())
            #expect(await socket.next() == .init(first: 0x88, payload: ByteBuffer()))
            #expect(await socket.next() == nil)
        }
    }

    @Test func theServerClosesByTheHandshake() async throws {
        let ended = Inbox<Bool>()
        try await self.withSocket(ended: ended) { socket in
            socket.send(text: "bye")
            let close = await socket.next()
            #expect(close?.code == 4000)
            #expect(await ended.next() == true)
            // Messages behind it are not heard.
            socket.send(text: "one")
            socket.close(4000)
            #expect(await socket.next() == nil)
        }
    }

    @Test func aPeerThatDoesNotAnswerACloseIsHungUp() async throws {
        try await self.withSocket { socket in
            socket.send(text: "bye")
            #expect(await socket.next()?.code == 4000)
            #expect(await socket.next() == nil)
        }
    }

    @Test func aPeerThatHalfClosesIsHungUp() async throws {
        let ended = Inbox<Bool>()
        try await self.withSocket(ended: ended) { socket in
            try await socket.peer.endOutput()
            #expect(await socket.next() == nil)
        }
        #expect(await ended.next() == true)
    }

    // MARK: Limits

    @Test func aSilentPeerIsAskedAndThenHungUp() async throws {
        let limits = WebSocketLimits(pingInterval: .milliseconds(100), pongTimeout: .milliseconds(200))
        try await self.withSocket(limits) { socket in
            for _ in 0..<3 {
                #expect(await socket.next()?.first == 0x89)
                socket.send(0x8A, ByteBuffer())
            }
            #expect(await socket.next()?.first == 0x89)
            #expect(await socket.next() == nil)
        }
    }

    /// Frames beyond the allowance wait in the peer, and none is lost.
    @Test func aFloodIsReadSlowly() async throws {
        let clock = ContinuousClock()
        let begin = clock.now
        try await self.withSocket(WebSocketLimits(framesPerSecond: 1000)) { socket in
            var bytes = ByteBuffer()
            let padding = String(repeating: "x", count: 100)
            for number in 0..<2500 {
                bytes.writeImmutableBuffer(WebSocketPeer.frame(0x81, ByteBuffer(string: "\(number) \(padding)")))
            }
            socket.peer.send(bytes)
            for number in 0..<2500 { #expect(await socket.next()?.text == "\(number) \(padding)") }
        }
        #expect(clock.now - begin > .milliseconds(800))
    }

    /// Answers to a peer that reads none are not held without bound.
    @Test func aPeerThatReadsNothingIsNotReadFromEither() async throws {
        let limits = WebSocketLimits(
            framesPerSecond: 1_000_000, pingInterval: .milliseconds(500), pongTimeout: .seconds(1))
        let ended = Inbox<Bool>()
        try await self.withSocket(limits, ended: ended) { socket in
            try await socket.peer.goDeaf()
            let frame = WebSocketPeer.frame(0x81, ByteBuffer(repeating: 0x61, count: 60_000))
            for _ in 0..<300 { socket.peer.send(frame) }
            #expect(await ended.next() == true)
        }
    }

    @Test func whenTheListenerIsGivenUpTheWebSocketSaysSo() async throws {
        try await self.withEcho { bench in
            try await HTTPPeer.connect(to: bench.port) { peer in
                let socket = WebSocketPeer(peer)
                #expect(await socket.open().hasPrefix("HTTP/1.1 101"))
                _ = await socket.next()
                bench.listener.quiesce(within: .minutes(1))
                #expect(await socket.next()?.code == 1001)
                socket.close(1001)
                #expect(await socket.next() == nil)
            }
        }
    }

    @Test func aListenerThatStopsClosesWhatIsLeft() async throws {
        try await self.withEcho { bench in
            try await HTTPPeer.connect(to: bench.port) { peer in
                let socket = WebSocketPeer(peer)
                _ = await socket.open()
                _ = await socket.next()
                await bench.listener.stop()
                #expect(await socket.next() == nil)
            }
        }
    }

    @Test func manyThatComeAndGoLeaveNothing() async throws {
        let ended = Inbox<Bool>()
        try await self.withEcho(ended: ended) { bench in
            for round in 0..<1000 {
                try await HTTPPeer.connect(to: bench.port) { peer in
                    let socket = WebSocketPeer(peer)
                    #expect(await socket.open().hasPrefix("HTTP/1.1 101"))
                    // Some say good-bye, some just leave.
                    if round % 2 == 0 {
                        socket.close(1000)
                        while await socket.next() != nil {}
                    }
                }
            }
            for _ in 0..<1000 { #expect(await ended.next() == true) }
            for await isEmpty in bench.isEmpty where isEmpty { break }
            #expect(bench.admission.count(of: .setup) == 0)
        }
    }
}
