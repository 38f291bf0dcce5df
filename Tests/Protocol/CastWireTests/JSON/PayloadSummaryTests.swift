import CastWire
import CastwayTestSupport
import NIOCore
import Testing

@Suite struct PayloadSummaryTests {
    private static func peek(_ text: String) -> PayloadSummary {
        PayloadSummary(peeking: ByteBuffer(string: text))
    }

    /// What the reader finds, as the peek must find it.
    private static func expected(_ object: JSONObject) -> PayloadSummary {
        PayloadSummary(
            type: object.string("type") ?? object.string("responseType"),
            requestID: RequestID(json: object["requestId"]) ?? RequestID(json: object["request_id"]))
    }

    static let samples: [(text: String, type: String?, requestID: RequestID?)] = [
        (#"{"type":"LOAD","requestId":12}"#, "LOAD", 12),
        (#" { "requestId" : 12 , "media" : { "type" : "no" } , "type" : "LOAD" } "#, "LOAD", 12),
        (#"{"media":[{"type":"no"},"}",["\"}"]],"type":"SEEK"}"#, "SEEK", nil),
        (#"{"responseType":"GET_APP_AVAILABILITY","requestId":2,"availability":{}}"#, "GET_APP_AVAILABILITY", 2),
        (#"{"responseType":"A","type":"B"}"#, "B", nil),
        (#"{"type":7,"responseType":"A"}"#, "A", nil),
        (#"{"type":"eureka_info","request_id":4}"#, "eureka_info", 4),
        (#"{"requestId":{"type":"x"},"type":null}"#, nil, nil),
        (#"{"data":{"type":"x","requestId":1}}"#, nil, nil),
        (#"{}"#, nil, nil),
        // A name that stands twice, and names in disguise: what counts for the reader counts here.
        (#"{"type":"GET_STATUS","requestId":1,"type":"LAUNCH","requestId":2}"#, "LAUNCH", 2),
        (#"{"type":"GET_STATUS","requestId":1,"type":null}"#, nil, 1),
        (#"{"\u0074ype":"LAUNCH","request\u0049d":3}"#, "LAUNCH", 3),
        (#"{"type":"L\u0041UNCH"}"#, "LAUNCH", nil),
        // No object, or none that is whole.
        ("", nil, nil), ("null", nil, nil), (#"["type","LOAD"]"#, nil, nil), (#""type""#, nil, nil),
        (#"{"type":"LOAD""#, nil, nil), (#"{"type":"LOAD"}}"#, nil, nil), (#"{"type":"LOAD","x"}"#, nil, nil),
        (#"{"type":"LOAD",}"#, nil, nil), (#"{"type""LOAD"}"#, nil, nil),
        // Malformed behind what is needed.
        (#"{"type":"LOAD","x":nope}"#, nil, nil), (#"{"type":"LOAD","x":[1}"#, nil, nil),
        (#"{"type":"LOAD","x":[1:2]}"#, nil, nil), (#"{"type":"LOAD","x":[1,]}"#, nil, nil),
        (#"{"type":"LOAD","x":{"a":1,}}"#, nil, nil), (#"{"type":"LOAD","x":{"a"}}"#, nil, nil),
        (#"{"type":"LOAD","x":{1:2}}"#, nil, nil), (#"{"type":"LOAD","x":01}"#, nil, nil),
        (#"{"type":"LOAD","x":"\q"}"#, nil, nil), (#"{"type":"LOAD","x":"\u12G4"}"#, nil, nil),
        (#"{"type":"LOAD","x":["\u00e9\/",[{}],{"a":[]},-1.5e3,true,false,null]}"#, "LOAD", nil),
    ]

    @Test(arguments: samples.indices) func findsWhatRoutingNeeds(_ index: Int) throws {
        let sample = Self.samples[index]
        let summary = Self.peek(sample.text)
        #expect(summary == PayloadSummary(type: sample.type, requestID: sample.requestID))
        if let object = try? JSONReader.read(sample.text).objectValue { #expect(Self.expected(object) == summary) }
    }

    @Test func requestIDKeepsItsSpelling() {
        #expect(Self.peek(#"{"requestId":"a-1"}"#).requestID?.json == "a-1")
        #expect(Self.peek(#"{"requestId":1.0}"#).requestID?.description == "1.0")
        #expect(Self.peek(#"{"requestId":-1e3}"#).requestID?.description == "-1e3")
    }

    @Test func nestingEndsWhereTheReaderStops() {
        for depth in [JSONReader.maximumDepth - 1, JSONReader.maximumDepth, 20_000] {
            let nested = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            let text = #"{"type":"LOAD","x":"# + nested + "}"
            let isRead = (try? JSONReader.read(text)) != nil
            #expect(isRead == (depth < JSONReader.maximumDepth))
            #expect(Self.peek(text).type == (isRead ? "LOAD" : nil))
        }
    }

    @Test func textThatIsNotUTF8HasNone() {
        let text = Array(#"{"type":"LOAD","x":""#.utf8) + [0xFF] + Array(#""}"#.utf8)
        #expect(PayloadSummary(peeking: ByteBuffer(bytes: text)) == PayloadSummary())
    }

    @Test func binaryPayloadHasNone() {
        let bytes = ByteBuffer(string: #"{"type":"LOAD"}"#)
        #expect(PayloadSummary(peeking: CastMessage.Payload.binary(bytes)) == PayloadSummary())
        #expect(PayloadSummary(peeking: CastMessage.Payload.text(bytes)).type == "LOAD")
    }

    @Test(arguments: 1...16) func agreesWithTheReader(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var typed = 0
        for _ in 0..<250 {
            let object = random.jsonObject(depth: 4)
            let text = random.disguise(JSONValue.object(object).text)
            #expect(Self.peek(text) == Self.expected(object), "\(text)")
            if object.string("type") != nil { typed += 1 }
        }
        #expect(typed >= 5)
    }

    @Test(arguments: 1...8) func neverTrapsOnDamagedText(_ seed: Int) {
        var random = SeededGenerator(seed: UInt64(100 + seed))
        for _ in 0..<50 {
            let whole = Array(JSONValue.object(random.jsonObject(depth: 3)).text.utf8)
            for length in whole.indices {
                let cut = ByteBuffer(bytes: whole.prefix(length))
                if PayloadSummary(peeking: cut) != PayloadSummary() { Issue.record("a cut text has a summary") }
            }
            for _ in 0..<100 {
                let damaged = ByteBuffer(bytes: random.mutate(random.mutate(whole)))
                let summary = PayloadSummary(peeking: damaged)
                guard case .object(let object)? = try? JSONReader.read(damaged) else { continue }
                if Self.expected(object) != summary { Issue.record("differs on \(String(buffer: damaged))") }
            }
        }
    }
}
