import CastWire
import CastwayTestSupport
import GatewayApp
import GatewayFixtures
import GatewayOperations
import Testing

@testable import castway

/// Every operation, by every way in, at the real program: over HTTP and over a WebSocket of the admin socket, and by `castway call`.
@Suite(.timeLimit(.minutes(3))) struct CallCommandTests {
    private static let samples =
        [
            CallSample(name: "credentials.clear", input: ["app=CC1AD845"]), CallSample(name: "credentials.list"),
            CallSample(name: "credentials.set", input: ["app=CC1AD845", "credentials=secret"]),
            CallSample(name: "device.get", input: ["device=lobby"]),
            CallSample(name: "device.get", input: ["device=attic"], problem: "unknown_device"),
            CallSample(name: "device.can_display", input: ["device=lobby", "content_type=video/mp4"]),
            CallSample(name: "device.probe", input: ["device=lobby"]), CallSample(name: "devices.list"),
            CallSample(name: "devices.list", input: ["sort=list"]),
            CallSample(name: "device.find", input: ["id=attic", "timeout=0"], problem: "device_not_found"),
            CallSample(
                name: "device.attributes", input: ["device=lobby", "set={\"room\": \"hall\"}"], problem: "not_real"),
            CallSample(name: "discovery.start"), CallSample(name: "discovery.stop"), CallSample(name: "gateway.health"),
            CallSample(name: "gateway.status"), CallSample(name: "log.get"),
            CallSample(name: "log.set", input: [#"levels={"Device*": "debug"}"#, "seconds=60"]),
            CallSample(name: "route.explain", input: ["device=lobby", "namespace=urn:x-cast:com.google.cast.media"]),
            CallSample(name: "senders.list"),
            CallSample(
                name: "virtual_device.disconnect", input: ["device=lobby", "sender=c9"], problem: "unknown_sender"),
            CallSample(name: "group.members", input: ["device=lobby"], problem: "not_a_group"),
            CallSample(name: "group.change", input: ["device=lobby", "add=[\"lobby\"]"], problem: "not_a_group"),
            CallSample(name: "virtual_device.get", input: ["device=lobby"]),
            CallSample(name: "virtual_device.launch", input: ["device=lobby", "app=CC1AD845"]),
            CallSample(name: "virtual_device.simulate", input: ["device=lobby", "key=volume_down"]),
            CallSample(name: "virtual_device.stop", input: ["device=attic"], problem: "unknown_device"),
            CallSample(name: "bridge.resume", input: ["bridge=webhook:none"], problem: "unknown_bridge"),
            CallSample(name: "catalogue.list"),
            CallSample(name: "catalogue.get", input: ["catalogue=films"], problem: "unknown_catalogue"),
            CallSample(name: "catalogue.refresh", input: ["catalogue=films"], problem: "unknown_catalogue"),
            CallSample(name: "pictures.clear"),
            CallSample(
                name: "channel.test", input: ["namespace=urn:x-cast:com.example.none"], problem: "unknown_channel"),
            CallSample(name: "guest.check_out", input: ["guest=g-unknown"], problem: "unknown_guest"),
            CallSample(name: "guest.check_out", input: ["device=lobby"]), CallSample(name: "guests.list"),
            CallSample(name: "join_code.create", input: ["devices=[\"lobby\"]", "uses=2"]),
            CallSample(name: "join_code.create", input: ["devices=[\"attic\"]"], problem: "unknown_device"),
            CallSample(name: "join_code.redeem", input: ["code=00000000"], problem: "code_refused"),
            CallSample(name: "join_code.revoke", input: ["id=j-unknown"], problem: "unknown_code"),
            CallSample(name: "join_codes.list"),
            CallSample(name: "bridges.list"), CallSample(name: "outbox.list"),
            CallSample(
                name: "outbox.show", input: ["id=msg_01JCASTWAY0000000000000001"], problem: "unknown_message"),
            CallSample(name: "outbox.replay", input: ["destination=webhook:none"]),
            CallSample(name: "outbox.purge", input: ["destination=webhook:none"]),
            CallSample(name: "outbox.purge", problem: "invalid_input"),
            CallSample(name: "config.get"), CallSample(name: "config.reload", input: ["dry_run=true"]),
            CallSample(name: "gateway.get"), CallSample(name: "launch.get"),
            CallSample(name: "launch.set", input: ["language=de-DE", "receiver_app=CC1AD845", "keep=true"]),
            CallSample(name: "launch.set", problem: "invalid_input"),
            CallSample(
                name: "launch.set", input: ["category=plugin:none", "language=de-DE"], problem: "unknown_category"),
            CallSample(name: "launch.reset", input: ["keys=[\"language\"]"]),
            CallSample(name: "handler.disable", input: ["name=media"]),
            CallSample(name: "handler.enable", input: ["name=media", "keep=true"]),
            CallSample(name: "handler.reset", input: ["name=media"]),
            CallSample(name: "handler.reset", input: ["name=medai"], problem: "unknown_handler"),
            CallSample(name: "handlers.list"),
            CallSample(name: "plugin.disable", input: ["plugin=quiz"], problem: "unknown_plugin"),
            CallSample(name: "plugin.enable", input: ["plugin=quiz"], problem: "unknown_plugin"),
            CallSample(name: "plugin.get", input: ["plugin=quiz"], problem: "unknown_plugin"),
            CallSample(name: "plugin.restart", input: ["plugin=quiz"], problem: "unknown_plugin"),
            CallSample(name: "plugins.list"),
            CallSample(name: "request.cancel", input: ["request=r-0-1"], problem: "unknown_request"),
            CallSample(name: "request.get", input: ["request=r-0-1"], problem: "unknown_request"),
            CallSample(name: "requests.list"), CallSample(name: "sessions.list"),
            CallSample(name: "token.create", input: ["name=ci", "scopes=[\"read\",\"control\"]", "lifetime=60"]),
            CallSample(name: "token.create", input: ["name=admin"], problem: "invalid_input"),
            CallSample(name: "token.revoke", input: ["id=unknown"], problem: "unknown_token"),
            CallSample(name: "tokens.list"),
            CallSample(name: "virtual_device.forget", input: ["device=auto-1"], problem: "unknown_device"),
            CallSample(name: "virtual_devices.list"),
        ] + CallSample.devices

    private let folder: TemporaryFolder
    private let admin: UnixAdminClient

    init() throws {
        self.folder = try TemporaryFolder(withStateOf: "lobby")
        self.admin = UnixAdminClient(path: self.folder.file("state/admin.sock"))
        try self.folder.write(
            """
            version: 1
            gateway: {state_directory: state}
            discovery: {mdns: {enabled: false}}
            virtual_devices:
              - {name: lobby, listen: "127.0.0.1:0", target: local}

            """, to: "gateway.yaml")
    }

    private func castway(_ arguments: [String]) async throws -> CastwayProcess.Result {
        try await CastwayProcess(arguments, folder: self.folder.path).result()
    }

    @Test func everyOperationIsReachedByEveryWayIn() async throws {
        #expect(Set(Self.samples.map(\.name)) == Set(BuiltInOperations.all.map(\.name)), "each has a sample")
        let process = try CastwayProcess(["run"], folder: self.folder.path)
        _ = await process.wait(for: "castway-root.pem\n")
        try await HTTPPeer.connect(toSocket: self.folder.file("state/admin.sock")) { peer in
            let socket = WebSocketPeer(peer)
            let answer = await socket.open("/api/v1/socket", ["Host": "localhost"])
            #expect(answer.hasPrefix("HTTP/1.1 101"), "\(answer)")
            try await self.walk(socket)
        }
        process.terminate()
        #expect(await process.result().status == 0)
        withExtendedLifetime(self.folder) {}
    }

    private func walk(_ socket: WebSocketPeer) async throws {
        for sample in Self.samples {
            let declaration = try #require(BuiltInOperations.all.first { $0.name == sample.name })
            let answer = try await self.overHTTP(sample, declaration)
            let said = try await Self.overSocket(sample, declaration, socket)
            #expect(said.problem?.string("code") == sample.problem, "\(sample.name): \(said)")
            if sample.problem == nil {
                #expect(declaration.result.faults(of: try #require(said.result)) == [], "\(sample.name)")
            } else {
                // Word for word.
                #expect(said.problem == answer.json, "\(sample.name)")
            }
            let code = answer.status < 400 ? nil : answer.json.string("code")
            #expect(code == sample.problem, "\(sample.name): \(answer.json)")
            let known = declaration.problems + OperationDeclaration.commonProblems
            if let problem = sample.problem {
                #expect(known.contains { $0.code == problem && $0.status == answer.status }, "\(problem) is declared")
            }
            if sample.problem == nil {
                #expect(answer.status == declaration.result.status)
                #expect(declaration.result.faults(of: answer.json) == [], "\(sample.name)")
            }
            let called = try await self.castway(["call", sample.name.rawValue] + sample.input)
            let statuses: [String?: Int32] = [
                nil: 0, "bad_request": 64, "invalid_input": 64, "device_not_connected": 69, "outcome_unknown": 69,
                "timeout": 75,
            ]
            #expect(called.status == statuses[sample.problem, default: 76], "\(sample.name): \(called)")
            if sample.problem == nil {
                let printed = try #require(try JSONReader.read(called.output).objectValue)
                #expect(declaration.result.faults(of: printed) == [])
            } else {
                let detail = answer.json.array("errors")?.first?.objectValue?.string("detail")
                #expect(
                    called.errors.contains(try #require(detail ?? answer.json.string("detail"))), "\(called.errors)")
            }
        }
    }

    /// Calls by one WebSocket for all of them.
    private static func overSocket(
        _ sample: CallSample, _ declaration: OperationDeclaration, _ socket: WebSocketPeer
    ) async throws -> (result: JSONObject?, problem: JSONObject?) {
        let texts = sample.input.map { text in
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            return (name: parts[0], value: parts[1])
        }
        let call: JSONObject = [
            "id": "a", "call": .string(sample.name.rawValue), "input": .object(try declaration.input(fromTexts: texts)),
        ]
        socket.send(text: JSONValue.object(call).text)
        while let frame = await socket.next() {
            if frame.first == 0x89 { socket.send(0x8A, frame.payload) }
            guard frame.first == 0x81 else { continue }
            let answer = try #require(try JSONReader.read(frame.text).objectValue)
            #expect(answer.string("id") == "a")
            return (answer.object("result"), answer.object("problem"))
        }
        throw OperationProblem.missing("closed", "the socket was closed")
    }

    private func overHTTP(
        _ sample: CallSample, _ declaration: OperationDeclaration
    ) async throws -> (status: Int, json: JSONObject) {
        var path = declaration.route.path
        var texts: [(name: String, value: String)] = []
        for text in sample.input {
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            let isInPath = path.contains("{\(parts[0])}")
            path = path.replacing("{\(parts[0])}", with: parts[1])
            if !isInPath { texts.append((parts[0], parts[1])) }
        }
        let method = declaration.route.method
        if !method.hasBody, !texts.isEmpty {
            path += "?" + texts.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        }
        let body = method.hasBody ? try declaration.input(fromTexts: texts) : nil
        return try await self.admin("\(method.rawValue) \(OperationRoute.prefix)\(path)", body)
    }

    @Test func failuresOfDevicesAreToldInALanguage() async throws {
        let process = try CastwayProcess(["run"], folder: self.folder.path)
        _ = await process.wait(for: "castway-root.pem\n")
        let german = try await self.castway(["call", "media.play", "device=lobby", "--language", "de-AT"])
        #expect(german.status == 76)
        let texts = ["die App läuft nicht", "es ist nichts geladen"]
        #expect(texts.contains { german.errors.contains("castway: \($0) (") }, "\(german.errors)")
        let english = try await self.castway(["--language=en", "call", "media.play", "device=lobby"])
        #expect(english.status == 76 && !english.errors.contains("nicht"), "\(english.errors)")
        let unknown = try await self.castway(["call", "media.play", "device=lobby", "--language", "tlh"])
        #expect(unknown.status == 64 && unknown.errors.contains("--language takes one of en, de, fr, es"))
        process.terminate()
        #expect(await process.result().status == 0)
        withExtendedLifetime(self.folder) {}
    }

    /// As the help says, and as `castway cast` ends with the same failures.
    @Test(arguments: [
        ("timeout", 75), ("handler_timed_out", 75), ("device_not_connected", 69), ("outcome_unknown", 69),
        ("invalid_input", 64), ("unknown_device", 76), ("", 76),
    ])
    func theStatusSaysWhatWentWrong(_ code: String, _ status: Int32) {
        #expect(OperationRefusal(json: ["code": .string(code), "detail": "x"]).failure.status.rawValue == status)
    }

    @Test func whatIsNoCallIsRefused() async throws {
        let cases: [([String], String)] = [
            (["session.strat"], "did you mean 'session.start'?"), (["session.start", "wall"], "is not KEY=VALUE"),
            (["session.start", "device=a", "device=b"], "twice"), (["session.start", "--input", "[]"], "JSON object"),
            (["session.start", "device=a", "--input", "{}"], "not both"), (["plugin.get", "plugin="], "is missing"),
            (["session.end"], "is missing"),
            (
                ["media.play", "device=lobby", "custom_data=word"],
                "'custom_data' must be JSON, not 'word'; a text has quotes"
            ),
            (["queue.remove", "device=lobby", "items=1", "custom_data={"], "'custom_data' must be JSON, not '{'"),
            (["sessions.list", "nothing=1"], "unknown key 'nothing'"),
            (["outbox.list", "limit=many"], "'limit' must be"),
        ]
        let process = try CastwayProcess(["run"], folder: self.folder.path)
        _ = await process.wait(for: "castway-root.pem\n")
        for (arguments, text) in cases {
            let result = try await self.castway(["call"] + arguments)
            #expect(result.status == 64, "\(arguments): \(result)")
            #expect(result.errors.contains(text), "\(result.errors)")
        }
        process.terminate()
        #expect(await process.result().status == 0)
    }

    @Test func operationsAreListedAndDescribed() async throws {
        let list = try await self.castway(["call"]).output
        for operation in BuiltInOperations.all { #expect(list.contains(operation.name.rawValue)) }
        let page = try await self.castway(["call", "session.end", "--describe"]).output
        #expect(page.contains("DELETE /api/v1/sessions/{session}") && page.contains("unknown_session"))
        #expect(try await self.castway(["call", "--reference"]).output.contains(page.dropFirst("# session.end".count)))
    }
}
