import CastWire
import CastwayTestSupport
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewayOperations
import Testing

@testable import GatewayApp

/// Operations that a plugin adds, on the ways in of a whole gateway.
@Suite(.serialized, .timeLimit(.minutes(3))) struct PluginOperationTests {
    @Test func callersHaveThePluginDoIt() async throws {
        try await OperationStage.run { stage in
            let answer = try await stage.answer("asker.echo", ["text": "hello"])
            #expect(answer == ["text": "hello", "times": 2, "caller": "admin"])
            let names = try await stage.answer("gateway.get").array("operations")?.compactMap(\.stringValue) ?? []
            #expect(names.contains("asker.echo"))
            #expect(names == names.sorted())
            let plugin = try await OperationBench(stage.running).answer("plugin.get", ["plugin": "asker"])
            let listed = plugin.elements("operations").first { $0.string("name") == "asker.echo" }
            #expect(listed?.string("path") == "/api/v1/plugins/asker/operations/echo")
            #expect(listed?.object("input")?.object("properties")?.object("times")?.int("maximum") == 9)
        }
    }

    @Test func theInputIsCheckedAsThatOfOtherOperations() async throws {
        try await OperationStage.run { stage in
            let inputs: [(JSONObject, String)] = [
                ([:], ""), (["text": "a", "tmies": 1], "/tmies"), (["text": "a", "times": 10], "/times"),
                (["text": .string(String(repeating: "a", count: 21))], "/text"), (["text": 7], "/text"),
            ]
            for (input, pointer) in inputs {
                let problem = try await stage.problem("asker.echo", input)
                #expect(problem.code == "invalid_input")
                #expect(problem.status == 422)
                #expect(problem.faults.map(\.pointer) == [pointer], "\(JSONValue.object(input).text)")
            }
        }
    }

    @Test func callersNeedTheScopeAndTheDevice() async throws {
        try await OperationStage.run { stage in
            let reader = Caller(name: "reader", scopes: [.read])
            let read = try await stage.answer("asker.echo", ["text": "a"], as: reader)
            #expect(read.string("caller") == "reader")
            #expect(try await stage.problem("asker.bad", ["how": "declared"], as: reader).code == "scope_missing")
            let guest = OperationBench.guest(of: "hall")
            #expect(
                try await stage.answer("asker.echo", ["text": "a", "device": "hall"], as: guest).string("text") == "a")
            for input in [["text": "a"], ["text": "a", "device": "other"]] as [JSONObject] {
                #expect(try await stage.problem("asker.echo", input, as: guest).code == "device_not_allowed")
            }
            #expect(try await stage.problem("asker.deep", as: guest).code == "device_not_allowed")
        }
    }

    /// Whatever the caller calls a device, its name in the gateway decides, and is what the plugin is told.
    @Test func aDeviceIsTheOneThatTheGatewayKnows() async throws {
        try await OperationStage.run { stage in
            for caller in [.admin, OperationBench.guest(of: "hall")] {
                let told = try await stage.answer(
                    "asker.where", ["device": "virtual:hall", "devices": ["hall", "virtual:hall"]], as: caller)
                #expect(told == ["device": "hall", "devices": ["hall", "hall"]])
            }
            #expect(try await stage.problem("asker.where", ["device": "attic"]).code == "unknown_device")
            let other = OperationBench.guest(of: "v*")
            for input in [["device": "virtual:hall"], ["devices": ["virtual:hall"]]] as [JSONObject] {
                #expect(try await stage.problem("asker.where", input, as: other).code == "device_not_allowed")
            }
            // A list without devices names none.
            let guest = OperationBench.guest(of: "hall")
            #expect(try await stage.problem("asker.where", ["devices": []], as: guest).code == "device_not_allowed")
        }
    }

    @Test func whatThePluginAnswersBreaksNothing() async throws {
        try await OperationStage.run { stage in
            let declared = try await stage.problem("asker.bad", ["how": "declared"])
            #expect((declared.code, declared.status) == ("no_game", 409))
            #expect(declared.detail == "nothing is played")
            #expect(declared.members.string("hint") == "start one")
            let outcomes = [
                "undeclared": "plugin_failed", "exception": "plugin_failed", "form": "plugin_answer_invalid",
                "more": "plugin_answer_invalid", "big": "plugin_answer_invalid", "list": "plugin_answer_invalid",
            ]
            for (how, code) in outcomes {
                let problem = try await stage.problem("asker.bad", ["how": .string(how)])
                #expect((problem.code, problem.status) == (code, 502), "\(how): \(problem)")
            }
            #expect(try await stage.problem("asker.deep").code == "plugin_answer_invalid")
            #expect(try await stage.answer("asker.bad", ["how": "nothing"]) == ["text": "well"])
        }
    }

    @Test func aPluginThatEndsOrIsStoppedIsUnavailable() async throws {
        try await OperationStage.run { stage in
            let events = stage.running.gateway.events.subscribe { event in
                if case .plugin(_, .ready) = event { true } else { false }
            }
            let crashed = try await stage.problem("asker.bad", ["how": "crash"])
            #expect((crashed.code, crashed.status) == ("plugin_unavailable", 503))
            // It is started again.
            for await _ in events.events { break }
            #expect(try await stage.answer("asker.echo", ["text": "a"]).string("text") == "a")
            _ = try await stage.answer("plugin.disable", ["plugin": "asker"])
            #expect(try await stage.problem("asker.echo", ["text": "a"]).code == "plugin_unavailable")
        }
    }

    @Test func aCommandIsARequestWithProgress() async throws {
        try await OperationStage.run { stage in
            let changes = stage.running.gateway.events.subscribe { if case .request = $0 { true } else { false } }
            let accepted = try await stage.call("asker.slow", wait: .zero).get()
            #expect(accepted.status == 202)
            let id = try #require(accepted.body.string("request"))
            var seen: JSONObject?
            for await case .request(_, _, let facts) in changes.events where facts.object("progress") != nil {
                seen = facts
                break
            }
            #expect(seen?.string("state") == "sent")
            #expect(seen?.object("progress") == ["fraction": 0.5, "text": "half of it"])
            #expect(try await stage.answer("asker.finish").int("count") == 1)
            for await case .request(id, _, let facts) in changes.events where facts.string("state") == "confirmed" {
                break
            }
            let request = try await OperationBench(stage.running).answer("request.get", ["request": .string(id)])
            #expect(request.object("result") == ["done": true])
            #expect(request.object("progress")?.string("text") == "half of it")
        }
    }

    @Test func aCommandThatIsTakenBackIsAborted() async throws {
        try await OperationStage.run { stage in
            let changes = stage.running.gateway.events.subscribe { if case .request = $0 { true } else { false } }
            let accepted = try await stage.call("asker.slow", wait: .zero).get()
            let id = try #require(accepted.body.string("request"))
            for await case .request(_, _, let facts) in changes.events where facts.object("progress") != nil { break }
            let cancelled = try await stage.answer("request.cancel", ["request": .string(id)])
            // The plugin had been asked, so it may have been done.
            #expect(cancelled.string("state") == "unknown")
            let finished = try await stage.answer("asker.finish")
            #expect(finished.array("aborted") == [.string(id)])
        }
    }

    @Test func whatTakesTooLongTimesOut() async throws {
        try await OperationStage.run { stage in
            let problem = try await stage.problem("asker.late")
            #expect((problem.code, problem.status) == ("timeout", 504))
            // The plugin goes on.
            #expect(try await stage.answer("asker.echo", ["text": "b"]).string("text") == "b")
        }
    }

    @Test func aPluginHasOperationsOfTheGatewayDone() async throws {
        try await OperationStage.run { stage in
            func relay(_ operation: String, _ input: JSONObject = [:]) async throws -> JSONObject {
                try #require(
                    try await stage.answer(
                        "asker.relay", ["operation": .string(operation), "input": .object(input)]
                    ).object("answer"))
            }
            #expect(try await relay("gateway.get").string("phase") != nil)
            // Not among the globs.
            #expect(try await relay("devices.list").int("code") == -32001)
            // Among the globs, without the scope.
            let refused = try await relay("config.get")
            #expect(refused.int("code") == -32001)
            #expect(refused.object("problem")?.string("code") == "scope_missing")
            #expect(try await relay("gateway.get", ["what": 1]).object("problem")?.string("code") == "invalid_input")
            #expect(try await relay("asker.echo", ["text": "a"]).int("code") == -32602)
            #expect(try await relay("gateway.fly").object("problem")?.string("code") == "unknown_operation")
        }
    }

    @Test func pluginsThatCallEachOtherComeToAnEnd() async throws {
        try await OperationStage.run([("asker", OperationStage.whole), ("other", OperationStage.whole)]) { stage in
            func nested(_ levels: Int) -> JSONObject {
                guard levels > 0 else { return ["operation": "gateway.get"] }
                let name = levels % 2 == 0 ? "asker" : "other"
                return ["operation": .string("\(name).relay"), "input": .object(nested(levels - 1))]
            }
            let short = try await stage.answer("asker.relay", nested(3))
            #expect(JSONValue.object(short).text.contains("\"phase\""))
            let long = try await stage.answer("asker.relay", nested(11))
            #expect(JSONValue.object(long).text.contains("operation_loop"))
        }
    }

    @Test func programsReachThemOverHTTP() async throws {
        try await OperationStage.run { stage in
            let port = try #require(stage.running.gateway.apiPort)
            let path = "/api/v1/plugins/asker/operations"
            let read = try await HTTPAsker.get("\(path)/echo?text=hello&times=3", port: port)
            #expect(read.head.hasPrefix("HTTP/1.1 200"))
            #expect(try JSONReader.read(read.body).objectValue?.int("times") == 3)
            let done = try await HTTPAsker.ask("POST", "\(path)/bad", port: port, body: #"{"how":"well"}"#)
            #expect(try JSONReader.read(done.body).objectValue == ["text": "well"])
            let refused = try await HTTPAsker.ask("POST", "\(path)/bad", port: port, body: #"{"how":"declared"}"#)
            #expect(refused.head.hasPrefix("HTTP/1.1 409"))
            for (method, status) in [("GET", "405"), ("PUT", "405")] {
                let answer = try await HTTPAsker.ask(method, "\(path)/bad", port: port)
                #expect(answer.head.hasPrefix("HTTP/1.1 \(status)"), "\(method): \(answer.head)")
                #expect(answer.head.lowercased().contains("allow: post"), "\(method): \(answer.head)")
            }
            #expect(try await HTTPAsker.get("\(path)/none", port: port).head.hasPrefix("HTTP/1.1 404"))
            let document = try await HTTPAsker.get("/openapi.json", port: port)
            let paths = try JSONReader.read(document.body).objectValue?.object("paths")
            #expect(paths?.object("\(path)/echo")?.object("get")?.string("operationId") == "asker.echo")
            #expect(paths?.object("\(path)/bad")?.object("post") != nil)
        }
    }

    @Test func theyComeAndGoWithTheFile() async throws {
        try await OperationStage.run { stage in
            let port = try #require(stage.running.gateway.apiPort)
            let path = "/api/v1/plugins/asker/operations/echo?text=a"
            _ = try await stage.reload([("asker", "grant: {offers: [bad]}")]).get()
            #expect(try await stage.problem("asker.echo", ["text": "a"]).code == "unknown_operation")
            #expect(try await HTTPAsker.get(path, port: port).head.hasPrefix("HTTP/1.1 404"))
            #expect(try await HTTPAsker.get("/openapi.json", port: port).body.contains("asker.bad"))
            #expect(try await !HTTPAsker.get("/openapi.json", port: port).body.contains("asker.echo"))
            #expect(try await stage.answer("asker.bad", ["how": "well"]) == ["text": "well"])
            _ = try await stage.reload([("asker", OperationStage.whole)]).get()
            #expect(try await HTTPAsker.get(path, port: port).head.hasPrefix("HTTP/1.1 200"))
        }
    }
}
