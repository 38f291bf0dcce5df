import CastWire
import CastwayTestSupport
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewayOperations
import GatewayTesting
import HandlerKit
import NIOCore
import NIOPosix
import Testing
import VirtualDevices

@testable import GatewayApp
@testable import GatewaySettings

/// How far a request is: whether its device was asked to do something.
@Suite(.timeLimit(.minutes(2))) struct RequestProgressTests {
    /// Takes requests, and answers none.
    private struct Silence: MessageHandler {
        let name = "silence"
        let claims: [Claim]
        let heard = Inbox<String>()

        init(_ types: Set<String>, in namespaces: [Namespace] = [.receiver, .media, .multizone]) {
            self.claims = namespaces.map { Claim(.exact($0), phase: .filter, types: types) }
        }

        func handle(_ message: RoutedMessage, in context: HandlerContext) -> Verdict {
            self.heard.put(message.summary.type ?? "")
            return .drop("silence")
        }
    }

    /// A gateway's operations with requests, and what is told of these.
    private struct Bench {
        let operations: OperationCatalogue
        let changes: AsyncStream<GatewayEvent>

        init(_ gateway: Gateway) {
            self.operations = gateway.operations
            self.changes = gateway.events.subscribe { if case .request = $0 { true } else { false } }.events
        }

        func call(_ name: OperationName, _ input: JSONObject, wait: Duration? = nil) async throws -> JSONObject {
            var options = CallOptions()
            options.wait = wait
            return try await self.operations.call(name, input, for: .admin, options: options).get().body
        }

        /// Begins a command, and gives its id.
        func begin(_ name: OperationName, _ input: JSONObject) async throws -> String {
            try #require(try await self.call(name, input, wait: .zero).string("request"))
        }

        func state(of id: String) async throws -> String? {
            try await self.call("request.get", ["request": .string(id)]).string("state")
        }

        func cancel(_ id: String) async throws -> JSONObject {
            try await self.call("request.cancel", ["request": .string(id)])
        }

        /// Carries a command out, and gives what is told of it. It may have ended before its caller is answered.
        func carryOut(_ name: OperationName, _ input: JSONObject) async throws -> [String] {
            _ = try await self.call(name, input, wait: .zero)
            return await self.told()
        }

        /// What is told of a request up to its end.
        /// - Parameter id: the request; nil for the next of which something is told.
        func told(of id: String? = nil) async -> [String] {
            var states: [String] = []
            for await case .request(let other, _, let facts) in self.changes where other == id ?? other {
                let state = facts.string("state").flatMap { CommandRequest.State(rawValue: $0) }
                states.append(state?.rawValue ?? "")
                if state?.isEnd != false { break }
            }
            return states
        }
    }

    /// Runs a gateway with a real device, `wall`, and a virtual one that plays by itself, `hall`; neither answers some requests.
    private func with(
        _ types: Set<String>, _ body: (Bench, [String: Silence]) async throws -> Void
    ) async throws {
        // The wall is asked for its status whenever it is looked after.
        let silent = [
            "wall": Silence(types, in: [.media, .multizone] + (types.contains("GET_STATUS") ? [] : [.receiver])),
            "hall": Silence(types),
        ]
        try await RunningGateway.with(.hallAndOffice) { far in
            var configuration = GatewayConfiguration.hallAndOffice
            configuration.discovery.staticDevices = [
                StaticDevice(name: "wall", address: DialAddress(host: "127.0.0.1", port: far.port("hall")))
            ]
            try await RunningGateway.with(configuration) { near in
                try far.gateway.registry.register(try #require(silent["wall"]))
                try near.gateway.registry.register(try #require(silent["hall"]))
                try await body(Bench(near.gateway), silent)
            }
        }
    }

    /// Readers that are limited to devices are let see events by that name, so it is never what a caller has written.
    @Test func eventsNameTheDeviceAsTheGatewayDoes() async throws {
        try await self.with([]) { bench, _ in
            func last() async -> (device: String?, facts: JSONObject)? {
                for await case .request(_, let device, let facts) in bench.changes
                where facts.string("state").flatMap({ CommandRequest.State(rawValue: $0) })?.isEnd == true {
                    return (device, facts)
                }
                return nil
            }
            for (text, name) in [("virtual:hall", "hall"), ("real:wall", "wall")] {
                _ = try await bench.call("volume.set", ["device": .string(text), "level": 0.3])
                let told = try #require(await last())
                #expect(told.device == name)
                #expect(told.facts.string("device") == name)
            }
            await #expect(throws: OperationProblem.self) {
                _ = try await bench.call("volume.set", ["device": "hall*", "level": 0.3])
            }
            let told = try #require(await last())
            #expect(told.device == nil)
            #expect(told.facts["device"] == nil)
        }
    }

    @Test(arguments: ["wall", "hall"]) func whatTheDeviceWasAskedIsSentAndThenUnknown(_ device: String) async throws {
        try await self.with(["SET_VOLUME", "SEEK", "STOP"]) { bench, silent in
            let heard = try #require(silent[device]).heard
            let session = try await bench.call("session.start", ["device": .string(device), "app": "CC1AD845"])
            _ = try await bench.call(
                "media.load",
                ["device": .string(device), "url": "http://192.0.2.1/film.mp4", "content_type": "video/mp4"])
            var commands: [(OperationName, JSONObject)] = [
                ("volume.set", ["device": .string(device), "level": 0.5]),
                ("media.seek", ["device": .string(device), "position": 1]),
            ]
            // The answer to the STOP of a session of the gateway's own is waited for whatever becomes of the request.
            if device == "hall" {
                let id = try #require(session.string("session_id"))
                commands.append(("session.end", ["session": .string(id), "stop": true]))
                commands.append(("virtual_device.stop", ["device": .string(device)]))
            }
            for (operation, input) in commands {
                let id = try await bench.begin(operation, input)
                #expect(await heard.next() != nil)
                #expect(try await bench.state(of: id) == "sent", "\(operation)")
                let end = try await bench.cancel(id)
                #expect(end.string("state") == "unknown", "\(operation)")
                #expect(end.object("problem")?.string("code") == "outcome_unknown", "\(operation)")
                #expect(await bench.told(of: id) == ["sent", "unknown"], "\(operation)")
            }
        }
    }

    @Test func whatIsDoneIsSentBefore() async throws {
        try await self.with([]) { bench, _ in
            for device in ["wall", "hall"] {
                let device = JSONValue.string(device)
                let commands: [(OperationName, JSONObject)] = [
                    ("session.start", ["device": device, "app": "CC1AD845"]),
                    ("media.load", ["device": device, "url": "http://192.0.2.1/f.mp4", "content_type": "video/mp4"]),
                    ("media.pause", ["device": device]), ("volume.set", ["device": device, "by": 0.1]),
                    (
                        "message.send",
                        ["device": device, "namespace": "urn:x-cast:com.google.cast.broadcast", "json": ["a": 1]]
                    ),
                ]
                for (operation, input) in commands {
                    let told = try await bench.carryOut(operation, input)
                    #expect(told == ["sent", "confirmed"], "\(operation) on \(device)")
                }
                // What joins asks for nothing.
                let joined = try await bench.carryOut("session.start", ["device": device, "app": "CC1AD845"])
                #expect(joined == ["confirmed"])
            }
        }
    }

    /// A question that a command begins with has the device do nothing.
    @Test(arguments: ["wall", "hall"]) func beforeItIsSentACommandIsCancelled(_ device: String) async throws {
        try await self.with(["GET_STATUS", "SET_VOLUME", "SET_DEVICE_VOLUME"]) { bench, silent in
            let heard = try #require(silent[device]).heard
            let id = try await bench.begin(
                "volume.set", ["device": .string(device), "level": 0.5, "member": "left"])
            #expect(await heard.next() == "GET_STATUS")
            #expect(try await bench.state(of: id) == "accepted")
            let end = try await bench.cancel(id)
            #expect(end.string("state") == "cancelled")
            #expect(await bench.told(of: id) == ["cancelled"])
            // The next that it hears is the question of another command.
            _ = try await bench.begin("volume.set", ["device": .string(device), "level": 0.5, "member": "left"])
            #expect(await heard.next() == "GET_STATUS")
        }
    }

    /// What listens where the device should be says nothing, so that it is dialled until the end.
    @Test func aDeviceThatIsNotReachedIsNotAsked() async throws {
        var configuration = GatewayConfiguration { $0.virtualDevices = [] }
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        defer { listener.close(promise: nil) }
        let port = try #require(listener.localAddress?.port)
        configuration.discovery.staticDevices = [
            StaticDevice(name: "wall", address: DialAddress(host: "127.0.0.1", port: port))
        ]
        try await RunningGateway.with(configuration, awaitsDevices: false) { near in
            let bench = Bench(near.gateway)
            let id = try await bench.begin("session.start", ["device": "wall", "app": "CC1AD845"])
            #expect(try await bench.state(of: id) == "accepted")
            let end = try await bench.cancel(id)
            #expect(end.string("state") == "cancelled")
            #expect(await bench.told(of: id) == ["cancelled"])
            // It may have ended before its caller is answered.
            let problem = await #expect(throws: OperationProblem.self) {
                let other = try await bench.begin("volume.set", ["device": "wall", "level": 0.5])
                let told = await bench.told(of: other)
                #expect(told == ["failed"])
                let code = try await bench.call("request.get", ["request": .string(other)]).object("problem")?
                    .string("code")
                throw OperationProblem(code ?? "", status: 504, "")
            }
            #expect(problem?.code == "device_not_connected")
        }
    }

    /// A device that is lost leaves open whether it did what it was asked; what it was not asked it did not do.
    @Test(arguments: [(true, "unknown", "outcome_unknown"), (false, "failed", "device_not_connected")])
    func aLostDeviceIsToldByWhetherItWasAsked(isAsked: Bool, state: String, code: String) async throws {
        let silence = isAsked ? Silence(["SET_VOLUME"], in: [.receiver]) : Silence(["GET_STATUS"], in: [.multizone])
        let (asked, ask) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            let (ports, port) = AsyncStream.makeStream(of: Int.self)
            group.addTask {
                try await FakeChromecast.with(handlers: [silence]) { chromecast in
                    port.yield(chromecast.port)
                    for await _ in asked { break }
                }
            }
            let wall = try #require(await ports.first { _ in true })
            var configuration = GatewayConfiguration { $0.virtualDevices = [] }
            configuration.discovery.staticDevices = [
                StaticDevice(name: "wall", address: DialAddress(host: "127.0.0.1", port: wall))
            ]
            try await RunningGateway.with(configuration) { near in
                let bench = Bench(near.gateway)
                var input: JSONObject = ["device": "wall", "level": 0.5]
                if !isAsked { input["member"] = "left" }
                let id = try await bench.begin("volume.set", input)
                #expect(await silence.heard.next() != nil)
                ask.yield()
                let told = await bench.told(of: id)
                #expect(told == (isAsked ? ["sent", state] : [state]))
                let request = try await bench.call("request.get", ["request": .string(id)])
                #expect(request.object("problem")?.string("code") == code)
            }
            try await group.waitForAll()
        }
    }
}
