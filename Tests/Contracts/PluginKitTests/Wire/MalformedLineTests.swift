import CastWire
import NIOCore
import PluginKit
import Testing

@Suite struct MalformedLineTests {
    /// Every example with every byte dropped, doubled, or changed into one that means something in JSON.
    @Test(.timeLimit(.minutes(2)), arguments: ExampleLines.gateway + ExampleLines.plugin)
    func aByteOutOfPlaceCostsALineAtMost(_ text: String) {
        let bytes = Array(text.utf8)
        for index in bytes.indices {
            var variants = [Array(bytes[..<index])]
            for replacement in [[], [bytes[index], bytes[index]], [0x22], [0x5C], [0x7B], [0xFF], [0x31]] {
                variants.append(bytes[..<index] + replacement + bytes[(index + 1)...])
            }
            for variant in variants {
                let line = ByteBuffer(bytes: variant)
                if let read = try? GatewayLine(reading: line) { #expect(Self.survives(read)) }
                if let read = try? PluginLine(reading: line) { #expect(Self.survives(read)) }
            }
        }
    }

    private static func survives(_ line: GatewayLine) -> Bool {
        var buffer = ByteBuffer()
        line.write(to: &buffer)
        return (try? GatewayLine(reading: buffer)) == line
    }

    private static func survives(_ line: PluginLine) -> Bool {
        var buffer = ByteBuffer()
        line.write(to: &buffer)
        return (try? PluginLine(reading: buffer)) == line
    }

    private func fault(_ text: String) throws -> PluginLineFault {
        try #require(throws: PluginLineFault.self) { try PluginLine(reading: ByteBuffer(string: text)) }
    }

    @Test(arguments: ["hello", "", "{", "17", "[]", #"{"level":"info","msg":"x"}"#, #"{"id":1,"result":{}}"#, "{}x"])
    func textThatWasPrintedIsStray(_ text: String) throws {
        #expect(try self.fault(text).kind == .stray)
    }

    @Test(arguments: [
        #"{"jsonrpc":"1.0","id":1,"result":{}}"#, #"{"jsonrpc":2.0,"id":1,"result":{}}"#, #"{"jsonrpc":"2.0"}"#,
        #"{"jsonrpc":"2.0","id":1}"#, #"{"jsonrpc":"2.0","result":{}}"#, #"{"jsonrpc":"2.0","id":{},"result":{}}"#,
        #"{"jsonrpc":"2.0","id":1.5,"method":"kv.get"}"#, #"{"jsonrpc":"2.0","id":1,"result":{},"method":"x"}"#,
        #"{"jsonrpc":"2.0","id":1,"error":{"message":"no code"}}"#, #"{"jsonrpc":"2.0","id":1,"method":7}"#,
    ])
    func whatIsNeitherRequestNorResponseIsInvalid(_ text: String) throws {
        #expect(try self.fault(text).kind == .invalidRequest)
    }

    @Test(arguments: [
        ("kv.get", "{}", "params.key: a string is missing"),
        ("kv.get", #"{"key":7}"#, "params.key: should be a string"),
        ("kv.put", #"{"key":"a"}"#, "params.value: is missing"),
        ("gateway.query", #"{"what":"weather"}"#, "params.what: 'weather' is none of devices, sessions, media"),
        ("gateway.send", #"{"device":"a","namespace":"b"}"#, "params.payload: is missing"),
        (
            "gateway.send", #"{"device":"a","namespace":"b","payload":"","payloadB64":""}"#,
            "params.payload: stands beside payloadB64; one of them is enough"
        ),
        (
            "gateway.send", #"{"device":"a","namespace":"b","payloadB64":"A"}"#,
            "params.payloadB64: should be base 64"
        ),
        ("gateway.emit", "[]", "params: should be an object"),
    ])
    func whatIsWrongWithParametersIsSaid(_ method: String, _ parameters: String, _ reason: String) throws {
        let fault = try self.fault(#"{"jsonrpc":"2.0","id":"p9","method":"\#(method)","params":\#(parameters)}"#)
        #expect(fault.kind == .invalidParameters)
        #expect(fault.id == "p9")
        #expect(fault.reason == reason)
        #expect(fault.error.code == .invalidParameters)
    }

    /// The parameters of `initialize` with these members beside those that have to be there.
    private static func initialize(_ members: String) -> String {
        #"{"protocol":{"min":1,"max":1},"gateway":{"id":"g"},"instance":"i",\#(members)}"#
    }

    private static let lifeFaults: [(String, String, String)] = [
        ("initialize", "{}", "params.protocol: an object is missing"),
        ("initialize", #"{"protocol":1}"#, "params.protocol: should be an object"),
        ("initialize", #"{"protocol":{"min":"1"}}"#, "params.protocol.min: should be a whole number"),
        ("initialize", #"{"protocol":{"min":1}}"#, "params.protocol.max: a whole number is missing"),
        ("initialize", #"{"protocol":{"min":2,"max":1}}"#, "params.protocol.min: is above max"),
        ("initialize", #"{"protocol":{"min":1,"max":1}}"#, "params.gateway: an object is missing"),
        ("initialize", #"{"protocol":{"min":1,"max":1},"gateway":{}}"#, "params.gateway.id: a string is missing"),
        ("initialize", Self.initialize(#""features":[1]"#), "params.features: should be a list of strings"),
        ("initialize", Self.initialize(#""features":{}"#), "params.features: should be a list of strings"),
        ("initialize", Self.initialize(#""limits":{"maxInFlight":0}"#), "params.limits.maxInFlight: should be above 0"),
        (
            "initialize", Self.initialize(#""limits":{"deadlineMs":{"filter":-1}}"#),
            "params.limits.deadlineMs.filter: should be milliseconds, from 0 to 2592000000"
        ),
        ("initialize", Self.initialize(#""grant":{"namespaces":{}}"#), "params.grant.namespaces: should be a list"),
        (
            "initialize", Self.initialize(#""grant":{"namespaces":[1]}"#),
            "params.grant.namespaces[0]: should be an object"
        ),
        (
            "initialize", Self.initialize(#""grant":{"namespaces":[{"match":"a"}]}"#),
            "params.grant.namespaces[0].phase: a word is missing"
        ),
        (
            "initialize", Self.initialize(#""grant":{"namespaces":[{"match":"a","phase":"own"}]}"#),
            "params.grant.namespaces[0].phase: 'own' is none of filter, handle, observe"
        ),
        (
            "initialize",
            Self.initialize(#""grant":{"namespaces":[{"match":"a","phase":"handle","directions":["up"]}]}"#),
            "params.grant.namespaces[0].directions: 'up' is none of to_receiver, to_sender"
        ),
        ("initialize", Self.initialize(#""config":[]"#), "params.config: should be an object"),
        (
            "initialize", Self.initialize(#""clock":{"now":900000000000000}"#),
            "params.clock.now: is no time of this age"
        ),
        (
            "start", #"{"snapshot":{"sessions":[{"device":"a"}]}}"#,
            "params.snapshot.sessions[0].id: a string is missing"
        ),
        (
            "reload", #"{"config":{},"grant":{"send":"all"}}"#,
            "params.grant.send: 'all' is none of none, same_session, device, any"
        ),
        ("drain", #"{"deadlineMs":"soon"}"#, "params.deadlineMs: should be a whole number"),
        ("clock.advance", "{}", "params.now: a whole number is missing"),
    ]

    @Test(arguments: Self.lifeFaults)
    func whatIsWrongWithAPluginsLifeIsSaid(_ method: String, _ parameters: String, _ reason: String) throws {
        let line = #"{"jsonrpc":"2.0","id":9,"method":"\#(method)","params":\#(parameters)}"#
        let fault = try #require(throws: PluginLineFault.self) { try GatewayLine(reading: ByteBuffer(string: line)) }
        #expect(fault.kind == .invalidParameters)
        #expect(fault.id == 9)
        #expect(fault.reason == reason)
    }

    @Test(arguments: [
        (#"{"protocol":1}"#, "result.plugin: an object is missing"),
        (#"{"protocol":1,"plugin":{}}"#, "result.plugin.id: a string is missing"),
        (#"{"protocol":"1","plugin":{"id":"a"}}"#, "result.protocol: should be a whole number"),
        (#"{"protocol":1,"plugin":{"id":"a"},"claims":[{}]}"#, "result.claims[0].match: a string is missing"),
        (#"{"protocol":1,"plugin":{"id":"a"},"maxInFlight":0}"#, "result.maxInFlight: should be above 0"),
    ])
    func whatIsWrongWithAnIntroductionIsSaid(_ result: String, _ reason: String) throws {
        let line = try PluginLine(reading: ByteBuffer(string: #"{"jsonrpc":"2.0","id":1,"result":\#(result)}"#))
        guard case .response(let response) = line else { return #expect(Bool(false)) }
        let fault = try #require(throws: PluginLineFault.self) { try response.initializeResult() }
        #expect(fault.kind == .invalidResult)
        #expect(fault.reason == reason)
    }

    @Test func aCancellationNamesItsRequest() throws {
        let line = ByteBuffer(string: #"{"jsonrpc":"2.0","method":"cancel","params":{"reason":"drain"}}"#)
        let fault = try #require(throws: PluginLineFault.self) { try GatewayLine(reading: line) }
        #expect(fault.reason == "params.id: should be a whole number or a string")
    }

    @Test func unknownMethodsAndMembersAreNoFault() throws {
        let request = ByteBuffer(string: #"{"jsonrpc":"2.0","id":4,"method":"gateway.dance","params":[1],"x":{}}"#)
        #expect(try PluginLine(reading: request) == .unknownRequest(4, method: "gateway.dance"))
        #expect(try GatewayLine(reading: request) == .unknownRequest(4, method: "gateway.dance"))
        let notification = ByteBuffer(string: #"{"jsonrpc":"2.0","method":"metric"}"#)
        #expect(try PluginLine(reading: notification) == .unknownNotification(method: "metric"))
        let call = ByteBuffer(string: #"{"jsonrpc":"2.0","id":1,"method":"kv.get","params":{"key":"k","more":[{}]}}"#)
        #expect(try PluginLine(reading: call) == .call(1, .get(key: "k")))
    }

    @Test func nestingCostsNoStack() throws {
        let deep = String(repeating: "[", count: 100_000)
        #expect(try self.fault(#"{"jsonrpc":"2.0","id":1,"result":"# + deep).kind == .stray)
    }
}
