import CastWire
import CastwayTestSupport
import ControlAPI
import DeviceSessions
import FeatureContract
import Foundation
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewayJournal
import GatewayMetrics
import GatewayOperations
import HandlerKit
import NIOCore
import NIOPosix
import SystemPrimitives
import Testing
import VirtualDevices

@testable import GatewayApp
@testable import GatewaySettings

/// Metrics that nothing else moves: each by what it counts, in a whole gateway, read over HTTP.
@Suite(.serialized, .timeLimit(.minutes(3))) struct MovingMetricsTests {
    /// A gateway that is measured, with a hall that plays and a real device, `wall`: the hall of another gateway.
    private struct Stage {
        let far: RunningGateway
        let near: RunningGateway
        let deferring: Deferring

        var events: EventBus { self.near.gateway.events }

        /// The value of a series; 0 for one that is not there.
        func value(_ series: String) async throws -> Double {
            try await Self.value(series, of: self.near.gateway)
        }

        static func value(_ series: String, of gateway: Gateway) async throws -> Double {
            let port = try #require(gateway.metricsPort)
            let body = try await HTTPAsker.get("/metrics", port: port).body
            let line = body.split(separator: "\n").first { $0.hasPrefix(series + " ") }
            return line.flatMap { Double($0.dropFirst(series.count + 1)) } ?? 0
        }
    }

    /// Holds messages and never decides, or does what no handler may.
    private struct Deferring: MessageHandler {
        static let held: Namespace = "urn:x-cast:test.held"
        static let wrong: Namespace = "urn:x-cast:test.wrong"
        static let slow: Namespace = "urn:x-cast:test.slow"

        let name = "deferring"
        let claims = [Self.held, Self.wrong, Self.slow].map { Claim(.exact($0), phase: .handle) }
        let heard = Inbox<Void>()
        let goOn = DispatchSemaphore(value: 0)

        func handle(_ message: RoutedMessage, in context: HandlerContext) -> Verdict {
            switch message.message.namespace {
            case Self.held:
                _ = context.deferral()
                self.heard.put(())
            case Self.slow:
                self.heard.put(())
                self.goOn.wait()
                return .drop("slow")
            default: break
            }
            // Without a deferral this is wrong.
            return .deferred(within: .seconds(60))
        }
    }

    /// What is done, and which series shows it.
    private struct Move: Sendable, CustomTestStringConvertible {
        let series: String
        let change: @Sendable (Stage) async throws -> Void

        init(_ series: String, _ change: @escaping @Sendable (Stage) async throws -> Void) {
            self.series = series
            self.change = change
        }

        var testDescription: String { self.series }
    }

    private static let moves = [
        Move(#"castway_channel_reconnects_total{reason="moved"}"#) { stage in
            let online = stage.events.subscribe { $0 == .deviceOnline(target: "wall") }
            var configuration = stage.near.gateway.configuration
            configuration.discovery.staticDevices = [Self.wall(at: stage.far.port("office"))]
            _ = try await stage.near.gateway.reload(to: configuration).get()
            for await _ in online.events { break }
        },
        Move(#"castway_sessions{state="connected"}"#) { stage in
            _ = try await stage.near.gateway.startSession(device: "wall", app: "CC1AD845")
        },
        Move(#"castway_journal_events_total{class="state"}"#) { stage in
            try await Self.reading("session.", stage) {
                _ = try await stage.near.gateway.startSession(device: "wall", app: "CC1AD845")
            }
        },
        Move(#"castway_journal_events_total{class="log"}"#) { stage in
            try await Self.reading("sender.connected", stage) {
                try await TestSender.connect(to: stage.near.port("hall")) { _ = try await $0.connectPlatform() }
            }
        },
        Move(#"castway_journal_events_total{class="lost"}"#) { stage in
            // The journal's thread is held up until more waits than may.
            let (held, goOn) = (Inbox<Void>(), DispatchSemaphore(value: 0))
            let wakes = Inbox<Void>()
            let reader = try stage.near.gateway.journal.subscribe(to: .all, from: nil, for: .admin) { wakes.put(()) }
            try await Self.takeSnapshot(reader, wakes)
            let other = try stage.near.gateway.journal.subscribe(to: .all, from: nil, for: .admin) {
                held.put(())
                goOn.wait()
            }
            _ = await held.next()
            let data = JSONValue.string(String(repeating: "x", count: 4096))
            for _ in 0..<10_000 { stage.events.publish(.custom(name: "flood", data: data)) }
            for _ in 0..<10_000 { goOn.signal() }
            while true {
                let frames = reader.take(upTo: .max)
                if frames.contains(where: { $0.kind == .gap }) { break }
                if frames.isEmpty { _ = await wakes.next() }
            }
            for feed in [reader, other] { feed.cancel() }
        },
        Move(#"castway_journal_skipped_total{reason="gap"}"#) { stage in
            try await Self.readLate(stage) { number in
                .senderThrottled(device: "hall", address: "192.0.2.1", count: number)
            }
        },
        Move(#"castway_journal_skipped_total{reason="coalesced"}"#) { stage in
            try await Self.readLate(stage) { number in
                .receiverStatus(device: "hall", status: ["number": .number(number)])
            }
        },
        Move(#"castway_journal_skipped_total{reason="left_out"}"#) { stage in
            for _ in 0..<100 {
                stage.events.publish(
                    .messageRejected(device: "hall", handler: "rules", reason: "NOT_ALLOWED", address: "192.0.2.1"))
            }
        },
        Move("castway_journal_resyncs_total") { stage in
            let position = JournalPosition(boot: "other", seq: 1)
            _ = try stage.near.gateway.journal.subscribe(to: .all, from: position, for: .admin) {}
        },
        Move(#"castway_flow_queue_dropped_total{reason="closed"}"#) { stage in
            let gone = stage.events.subscribe { if case .senderDisconnected = $0 { true } else { false } }
            try await Self.tell(Deferring.held, times: 3, stage) { _ in
                _ = await stage.deferring.heard.next()
            }
            for await _ in gone.events { break }
        },
        Move("castway_handler_failures_total") { stage in
            try await Self.tell(Deferring.wrong, times: 1, stage) { _ = try await $0.status(requestID: 9) }
        },
    ]

    private static func wall(at port: Int) -> StaticDevice {
        StaticDevice(name: "wall", address: DialAddress(host: "127.0.0.1", port: port))
    }

    /// Connects to an app of the hall, says something to it, and then does something else.
    private static func tell(
        _ namespace: Namespace, times: Int, _ stage: Stage, _ body: (TestSender) async throws -> Void
    ) async throws {
        try await TestSender.connect(to: stage.near.port("hall")) { sender in
            let transport = try await sender.launch()
            for _ in 0..<times { try await sender.send(["type": "X"], in: namespace, to: transport) }
            try await body(sender)
        }
    }

    /// Takes everything up to what happens as it happens.
    private static func takeSnapshot(_ feed: any EventFeed, _ wakes: Inbox<Void>) async throws {
        while true {
            let frames = feed.take(upTo: .max)
            if frames.contains(where: { $0.kind == .synced }) { break }
            if frames.isEmpty { _ = await wakes.next() }
        }
        while !feed.take(upTo: .max).isEmpty {}
    }

    /// Does something, and waits until the journal, which has a thread of its own, has taken an event of it.
    private static func reading(_ event: String, _ stage: Stage, _ body: () async throws -> Void) async throws {
        let wakes = Inbox<Void>()
        let feed = try stage.near.gateway.journal.subscribe(to: .all, from: nil, for: .admin) { wakes.put(()) }
        try await Self.takeSnapshot(feed, wakes)
        try await body()
        while true {
            let frames = feed.take(upTo: .max)
            if frames.contains(where: { String(buffer: $0.bytes).contains(event) }) { break }
            if frames.isEmpty { _ = await wakes.next() }
        }
        feed.cancel()
    }

    /// Has more happen than waits for a reader, and reads it then.
    private static func readLate(_ stage: Stage, _ event: (Int) -> GatewayEvent) async throws {
        let wakes = Inbox<Void>()
        let feed = try stage.near.gateway.journal.subscribe(to: .all, from: nil, for: .admin) { wakes.put(()) }
        try await Self.takeSnapshot(feed, wakes)
        for number in 1...10_000 { stage.events.publish(event(number)) }
        stage.events.publish(.configurationReloaded(changes: ["last"]))
        while true {
            let frames = feed.take(upTo: .max)
            if frames.contains(where: { String(buffer: $0.bytes).contains("last") || $0.kind == .gap }) { break }
            if frames.isEmpty { _ = await wakes.next() }
        }
        feed.cancel()
    }

    private static func with(_ body: (Stage) async throws -> Void) async throws {
        let deferring = Deferring()
        try await RunningGateway.with(.hallAndOffice) { far in
            var configuration = GatewayConfiguration.hallAndOffice
            configuration.metrics = MetricsConfiguration { $0.listen = ListenAddress(host: "127.0.0.1", port: 0) }
            configuration.api.listen = ListenAddress(host: "127.0.0.1", port: 0)
            configuration.api.events.clientBudget = 64 << 10
            configuration.discovery.staticDevices = [Self.wall(at: far.port("hall"))]
            try await RunningGateway.with(configuration) { near in
                try near.gateway.registry.register(deferring)
                try await body(Stage(far: far, near: near, deferring: deferring))
            }
        }
    }

    @Test(arguments: moves) private func whatIsCountedMoves(_ move: Move) async throws {
        try await Self.with { stage in
            let before = try await stage.value(move.series)
            try await move.change(stage)
            let after = try await stage.value(move.series)
            #expect(after > before, "\(before) -> \(after)")
        }
    }

    @Test func openWebSocketsAreCounted() async throws {
        try await Self.with { stage in
            #expect(try await stage.value("castway_websocket_clients") == 0)
            let port = try #require(stage.near.gateway.apiPort)
            let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(host: "127.0.0.1", port: port) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                    }
                }
            try await channel.executeThenClose { inbound, outbound in
                let head = [
                    "GET /api/v1/socket HTTP/1.1", "Host: 127.0.0.1:\(port)", "Connection: Upgrade",
                    "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                    "", "",
                ]
                try await outbound.write(ByteBuffer(string: head.joined(separator: "\r\n")))
                var pieces = inbound.makeAsyncIterator()
                #expect(try await pieces.next().map { String(buffer: $0).hasPrefix("HTTP/1.1 101") } == true)
                // It is open once it answers: a text frame of a client, whose mask is zero (RFC 6455, 5.2).
                let call = #"{"id":1,"call":"gateway.get"}"#
                try await outbound.write(
                    ByteBuffer(bytes: [0x81, 0x80 | UInt8(call.utf8.count), 0, 0, 0, 0] + Array(call.utf8)))
                #expect(try await pieces.next() != nil)
                #expect(try await stage.value("castway_websocket_clients") == 1)
            }
        }
    }

    /// An event loop that does not answer holds up no scrape, and is counted.
    @Test func aLoopThatIsSilentIsCounted() async throws {
        try await Self.with { stage in
            #expect(try await stage.value("castway_scrape_timeouts_total") == 0)
            try await Self.tell(Deferring.slow, times: 1, stage) { _ in
                _ = await stage.deferring.heard.next()
                // Not over HTTP, whose connection may live on the same loop.
                _ = await stage.near.gateway.context.metrics.families()
                stage.deferring.goOn.signal()
            }
            #expect(try await stage.value("castway_scrape_timeouts_total") > 0)
        }
    }

    /// What says how things stand, and has no event that moves it.
    @Test func whatOnlyStandsIsThere() async throws {
        try await Self.with { stage in
            let port = try #require(stage.near.gateway.metricsPort)
            let body = try await HTTPAsker.get("/metrics", port: port).body
            #expect(body.contains("castway_build_info{version=\""))
            let now = Double(WallClock.secondsSince1970)
            let read = try await stage.value("castway_config_last_reload_timestamp_seconds")
            #expect(read > now - 180 && read <= now + 1)
            #expect(try await stage.value("process_threads") > 1)
            #expect(try await stage.value("process_max_fds") >= stage.value("process_open_fds"))
            #expect(
                try await stage.value("process_virtual_memory_bytes") > stage.value("process_resident_memory_bytes"))
        }
    }

    // MARK: Plugins

    /// Answers too late, says what is none of the protocol, and reads nothing any more when it is told to.
    private static let program = """
        import json, sys, threading, time
        for line in sys.stdin:
            m = json.loads(line)
            method, id = m.get("method"), m.get("id")
            result = {}
            if method == "initialize":
                result = {"protocol": 1, "plugin": {"id": "test.teller", "version": "2.0"}}
            elif method == "message":
                if "deaf" in line:
                    threading.Event().wait()
                print("this is no protocol", flush=True)
                time.sleep(0.15)  # lint:allow later than the deadline of its claim
                result = {"disposition": "reply", "payload": {}}
            if id is not None:
                print(json.dumps({"jsonrpc": "2.0", "id": id, "result": result}), flush=True)
            if method == "shutdown":
                break
        """

    private static let manifest = """
        manifest: 1
        id: test.teller
        version: 2.0
        exec: [python3, -u, teller.py]
        claims:
          - {match: "urn:x-cast:test.teller", phase: handle}
          - {match: "urn:x-cast:test.copies", phase: observe}
        """

    private static let instance = """
            - name: teller
              plugin: test.teller
              grant:
                namespaces:
                  - {match: "urn:x-cast:test.teller", phase: handle, on_failure: open, deadline: 100ms}
                  - {match: "urn:x-cast:test.copies", phase: observe}
        """

    @Test func whatAPluginDoesWrongIsCounted() async throws {
        try await PluginStage.run { stage in
            let gateway = stage.running.gateway
            try stage.folder.write(Self.manifest, to: "plugins/test.teller/plugin.yaml")
            try stage.folder.write(Self.program, to: "plugins/test.teller/teller.py")
            _ = try await stage.reload(Self.instance).get()
            var configuration = gateway.configuration
            configuration.metrics = MetricsConfiguration { $0.listen = ListenAddress(host: "127.0.0.1", port: 0) }
            _ = try await gateway.reload(to: configuration).get()
            func value(_ name: String, _ more: String = "") async throws -> Double {
                try await Stage.value("\(name){plugin=\"teller\"\(more)}", of: gateway)
            }
            let operations = gateway.operations
            let ready = gateway.events.subscribe { if case .plugin(_, .ready) = $0 { true } else { false } }
            _ = try await operations.call("plugin.restart", ["plugin": "teller"], for: .admin).get()
            for await _ in ready.events { break }
            #expect(try await value("castway_plugin_restarts_total", ",reason=\"requested\"") == 1)
            let names = [
                "castway_plugin_breaker_open", "castway_plugin_stdout_noise_total",
                "castway_plugin_late_replies_total", "castway_observe_dropped_total",
            ]
            for name in names { #expect(try await value(name) == 0, "\(name)") }
            let suspended = gateway.events.subscribe { if case .handlerSuspended = $0 { true } else { false } }
            try await TestSender.connect(to: stage.running.port("hall")) { sender in
                let transport = try await sender.launch()
                for _ in 0..<8 {
                    try await sender.send(["type": "X"], in: PluginStage.namespace, to: transport)
                }
                for await _ in suspended.events { break }
                for name in names.dropLast() { #expect(try await value(name) > 0, "\(name)") }
            }
        }
    }

    @Test func whatAPluginIsTooSlowForIsCounted() async throws {
        try await PluginStage.run { stage in
            let gateway = stage.running.gateway
            try stage.folder.write(Self.manifest, to: "plugins/test.teller/plugin.yaml")
            try stage.folder.write(Self.program, to: "plugins/test.teller/teller.py")
            _ = try await stage.reload(Self.instance).get()
            var configuration = gateway.configuration
            configuration.metrics = MetricsConfiguration { $0.listen = ListenAddress(host: "127.0.0.1", port: 0) }
            _ = try await gateway.reload(to: configuration).get()
            let series = #"castway_observe_dropped_total{plugin="teller"}"#
            #expect(try await Stage.value(series, of: gateway) == 0)
            try await TestSender.connect(to: stage.running.port("hall")) { sender in
                let transport = try await sender.launch()
                try await sender.send(["type": "deaf"], in: PluginStage.namespace, to: transport)
                let text = JSONValue.string(String(repeating: "x", count: 1024))
                for _ in 0..<2500 {
                    try await sender.send(["type": "X", "text": text], in: "urn:x-cast:test.copies", to: transport)
                }
                _ = try await sender.status(requestID: 9)
                #expect(try await Stage.value(series, of: gateway) > 0)
            }
        }
    }
}
