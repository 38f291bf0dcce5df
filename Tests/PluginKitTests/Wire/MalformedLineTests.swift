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
