import CastTransport
import CastWire
import CastwayTestSupport
import ControlAPI
import Foundation
import GatewayConfig
import GatewayJournal
import GatewayOperations
import Logging
import NIOCore
import NIOPosix
import Testing

/// Server-sent events and the state, from the admin listener: byte by byte, and through curl.
@Suite(.timeLimit(.minutes(1))) struct EventStreamTests {
    private func withServer(
        _ journal: FakeJournal = FakeJournal(), body: (FakeJournal, Int) async throws -> Void
    ) async throws {
        let listening = Inbox<Int?>()
        let limits = ConnectionLimits(total: 64, perAddress: 64)
        let server = ControlServer(
            configuration: AdminConfiguration { $0.listen = .tcp(ListenAddress(host: "127.0.0.1", port: 0)) },
            stateDirectory: "", catalogue: OperationCatalogue([]),
            probes: ControlProbes(
                liveness: { ControlAnswer([:]) }, readiness: { _ in ControlAnswer([:]) },
                version: { ControlAnswer([:]) }), events: journal,
            admission: Admission(senders: limits, setup: limits, admin: limits),
            on: { MultiThreadedEventLoopGroup.singleton },
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, onListening: { listening.put($0) })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            let port = try #require(await listening.next() ?? nil)
            try await body(journal, port)
            group.cancelAll()
        }
    }

    private static func get(_ path: String, method: String = "GET", _ headers: [String] = []) -> String {
        (["\(method) \(path) HTTP/1.1", "Host: 127.0.0.1"] + headers + ["", ""]).joined(separator: "\r\n")
    }

    @Test func eventsComeWithTheirPositions() async throws {
        try await self.withServer { journal, port in
            try await HTTPPeer.connect(to: port) { peer in
                peer.send(
                    Self.get(
                        "/api/v1/events?type=media.*&type=session&device=hall&namespace=urn%3Ax-cast%3Aa",
                        ["Last-Event-ID: b1.41"]))
                let beginning = await peer.read(until: "synced\",\"seq\":0}\nid: b1.0\n\n")
                #expect(beginning.hasPrefix("HTTP/1.1 200"))
                #expect(beginning.lowercased().contains("content-type: text/event-stream"))
                #expect(beginning.contains("retry: 1000\n\n"))
                #expect(beginning.contains("event: hello\ndata: {\"frame\":\"hello\""))
                let hall = DevicePattern("hall")
                let topics = EventTopics([
                    .init(type: DevicePattern("media.*"), device: hall),
                    .init(type: DevicePattern("session"), device: hall),
                    .init(type: DevicePattern("channel.message"), device: hall, namespace: "urn:x-cast:a"),
                ])
                #expect(
                    journal.subscriptions == [
                        .init(topics: topics, position: JournalPosition("b1.41"), caller: "admin")
                    ])
                journal.happen("one")
                let event = await peer.read(until: "id: b1.1\n\n")
                #expect(event.contains("data: {\"boot\":\"b1\",\"seq\":1,") && !event.contains("event:"))
                journal.happen("two", kind: .coalesced)
                #expect(await peer.read(until: "id: b1.2\n\n").contains("event: coalesced\ndata: {"))
                // A bookmark moves the reader, and is no event.
                journal.happen("", kind: .bookmark)
                #expect(await peer.read(until: "id: b1.3\n\n").contains(": bookmark\nid: b1.3\n\n"))
                journal.stop()
                let end = await peer.read(until: "b1.3\n\n")
                #expect(
                    end.contains("event: end\ndata: {\"frame\":\"end\",\"reason\":\"stopping\",\"resume\":\"b1.3\"}"))
            }
        }
    }

    /// It counts as a use of the gateway no longer, though nothing is written to it.
    @Test func aReaderThatClosesItsEndIsGoneAtOnce() async throws {
        try await self.withServer { journal, port in
            try await HTTPPeer.connect(to: port) { peer in
                peer.send(Self.get("/api/v1/events"))
                _ = await peer.read(until: "synced\",\"seq\":0}\nid: b1.0\n\n")
                #expect(journal.feedCount == 1)
                try await peer.endOutput()
                #expect(await journal.cancelled.next() == true)
                #expect(journal.feedCount == 0)
            }
        }
    }

    @Test func aReaderWhoseConnectionIsClosedIsGoneAtOnce() async throws {
        try await self.withServer { journal, port in
            try await HTTPPeer.connect(to: port) { peer in
                peer.send(Self.get("/api/v1/events"))
                _ = await peer.read(until: "synced\",\"seq\":0}\nid: b1.0\n\n")
            }
            #expect(await journal.cancelled.next() == true)
        }
    }

    @Test(arguments: [
        ("?from=x", [], "BOOT.SEQ"), ("?from=b1.1&from=b1.2", [], "twice"), ("?typ=a", [], "not 'typ'"),
        ("?type=", [], "1 to 256 bytes"), ("", ["Last-Event-ID: nonsense"], "BOOT.SEQ"),
        ("?token=cwt_1", [], "token_in_query"),
        ("?" + Array(repeating: "type=a", count: 65).joined(separator: "&"), [], "more than 64"),
    ])
    func badQueriesAreProblems(query: String, headers: [String], text: String) async throws {
        try await self.withServer { journal, port in
            try await HTTPPeer.connect(to: port) { peer in
                peer.send(Self.get("/api/v1/events" + query, headers + ["Connection: close"]))
                let answer = await peer.readToEnd()
                #expect(answer.hasPrefix("HTTP/1.1 400") && answer.contains(text), "\(answer)")
                #expect(journal.feedCount == 0)
            }
        }
    }

    @Test func headsSubscribeToNothing() async throws {
        try await self.withServer { journal, port in
            for path in ["/api/v1/events", "/api/v1/state"] {
                try await HTTPPeer.connect(to: port) { peer in
                    peer.send(Self.get(path, method: "HEAD", ["Connection: close"]))
                    #expect(await peer.readToEnd().hasPrefix("HTTP/1.1 200"))
                }
            }
            #expect(journal.subscriptions.isEmpty)
        }
    }

    @Test func theStateIsASnapshot() async throws {
        try await self.withServer { journal, port in
            journal.happen()
            try await HTTPPeer.connect(to: port) { peer in
                peer.send(Self.get("/api/v1/state", ["Connection: close"]))
                #expect(await peer.readToEnd().contains(#"{"seq":1,"caller":"admin"}"#))
            }
        }
    }

    @Test func theSocketIsNamedToRequestsThatAreNone() async throws {
        try await self.withServer { _, port in
            for headers in [["Connection: close"], ["Upgrade: h2c", "Connection: upgrade"]] {
                try await HTTPPeer.connect(to: port) { peer in
                    peer.send(Self.get("/api/v1/socket", headers))
                    let answer = await peer.readToEnd().lowercased()
                    #expect(answer.hasPrefix("http/1.1 426") && answer.contains("upgrade: websocket"), "\(answer)")
                }
            }
            // On the admin listener pages are kept away, from sockets too.
            for header in ["Origin: http://evil.example", "Host: evil.example"] {
                try await HTTPPeer.connect(to: port) { peer in
                    let parts = header.split(separator: ": ").map(String.init)
                    peer.send(
                        WebSocketPeer.request(
                            "/api/v1/socket", ["Host": "127.0.0.1"].merging([parts[0]: parts[1]]) { $1 }))
                    #expect(await peer.readToEnd().hasPrefix("HTTP/1.1 403"))
                }
            }
        }
    }

    @Test func aReaderThatIsTooSlowIsToldWhereToResume() async throws {
        try await self.withServer(FakeJournal(budget: 1 << 20)) { journal, port in
            try await HTTPPeer.connect(to: port) { peer in
                peer.send(Self.get("/api/v1/events"))
                _ = await peer.read(until: "synced\",\"seq\":0}\nid: b1.0\n\n")
                try await peer.goDeaf()
                for _ in 0..<200 { journal.happen(String(repeating: "x", count: 100_000)) }
                try await peer.listen()
                let rest = await peer.read(until: "\"reason\":\"too_slow\"")
                #expect(rest.contains("event: end\n"))
            }
        }
    }

    @Test func aReaderThatLeavesEndsItsFeed() async throws {
        try await self.withServer { journal, port in
            try await HTTPPeer.connect(to: port) { peer in
                peer.send(Self.get("/api/v1/events"))
                _ = await peer.read(until: "synced")
            }
            // What is written shows that the reader is gone.
            while journal.feedCount > 0 {
                journal.happen("", kind: .bookmark)
                await Task.yield()
            }
        }
    }

    @Test func curlReadsThem() async throws {
        try await self.withServer { journal, port in
            journal.happen("before")
            let curl = Process()
            curl.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            curl.arguments = [
                "curl", "-sN", "-H", "Last-Event-ID: b1.1", "http://127.0.0.1:\(port)/api/v1/events?type=*",
            ]
            let output = Pipe()
            curl.standardOutput = output
            let (pieces, input) = AsyncStream.makeStream(of: String.self)
            output.fileHandleForReading.readabilityHandler = { handle in
                let data = handle.availableData
                if data.isEmpty { input.finish() } else { input.yield(String(decoding: data, as: UTF8.self)) }
            }
            let (statuses, ended) = AsyncStream.makeStream(of: Int32.self)
            curl.terminationHandler = { process in
                ended.yield(process.terminationStatus)
                ended.finish()
            }
            try curl.run()
            var text = ""
            for await piece in pieces {
                text += piece
                if text.contains("event: end") { break }
                if text.contains("synced"), !text.contains("seq\":2,") { journal.happen("after") }
                if text.contains("seq\":2,") { journal.stop() }
            }
            #expect(text.contains("id: b1.2\n") && text.contains("\"reason\":\"stopping\""))
            #expect(journal.subscriptions.first?.position == JournalPosition("b1.1"))
            var status: Int32 = -1
            for await ended in statuses { status = ended }
            #expect(status == 0)
        }
    }
}
