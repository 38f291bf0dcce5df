import CastWire
import NIOCore
import Synchronization
import Testing

@testable import PluginKit

/// The gateway's end, for a session without a process.
final class SessionBench {
    /// Keeps lines for the test that waits for the next.
    private final class Sink: LineSink {
        let writes = Atomic(0)
        let lines: AsyncStream<String>
        private let input: AsyncStream<String>.Continuation

        init() {
            (self.lines, self.input) = AsyncStream.makeStream(of: String.self)
        }

        func write(_ lines: ByteBuffer) {
            self.writes.add(1, ordering: .relaxed)
            for line in String(buffer: lines).split(separator: "\n") { self.input.yield(String(line)) }
        }
    }

    private let sink = Sink()
    private var heard: AsyncStream<String>.Iterator
    private let endings: AsyncStream<Int32>
    private let session: PluginSession
    private var incoming = IncomingLines()
    private var requests = 0

    init(_ type: any CastPlugin.Type = ScriptedPlugin.self) {
        let (endings, input) = AsyncStream.makeStream(of: Int32.self)
        self.endings = endings
        self.session = PluginSession(
            type, identity: PluginIdentity(id: "com.example.scripted", version: "2"), output: self.sink
        ) { input.yield($0) }
        self.heard = self.sink.lines.makeAsyncIterator()
    }

    /// How often something was written.
    var writes: Int { self.sink.writes.load(ordering: .relaxed) }

    /// The code with which the plugin ended.
    var ending: Int32? {
        get async { await self.endings.first { _ in true } }
    }

    func write(_ text: String) {
        self.incoming.splitter.append(ByteBuffer(string: text))
        self.session.receive(&self.incoming)
    }

    func say(_ lines: GatewayLine...) {
        var buffer = ByteBuffer()
        for line in lines { line.write(to: &buffer) }
        self.write(String(buffer: buffer))
    }

    /// The next line, as JSON.
    func hear() async throws -> JSONObject {
        let line = try #require(await self.heard.next(isolation: nil))
        return try #require(try JSONReader.read(line).objectValue)
    }

    /// The next line, which has to answer this request.
    func answer(to id: Int) async throws -> JSONObject {
        let line = try await self.hear()
        #expect(line.int("id") == id, "\(JSONValue.object(line).text)")
        return line
    }

    static func initialize(_ config: JSONObject = ["greeting": "HELLO"], testTime: Int? = 1_000_000) -> GatewayLine {
        let features = testTime == nil ? [] : [PluginFeature.testClock]
        return .initialize(
            900,
            InitializeRequest(
                gateway: GatewayIdentity(id: "g", name: "Gateway", version: "1"), instance: "scripted",
                features: features, config: config, testTime: testTime))
    }

    /// Shakes hands and starts.
    func begin(testTime: Int? = 1_000_000) async throws {
        self.say(Self.initialize(testTime: testTime), .start(901, PluginSnapshot()))
        #expect(try await self.answer(to: 900).object("result")?.int("protocol") == 1)
        #expect(try await self.hear().string("method") == "log")
        #expect(try await self.answer(to: 901)["result"] == [:])
    }

    static func message(
        _ id: Int, _ json: JSONObject, sender: EndpointID = "sender-1", phase: RoutingPhase = .handle
    ) -> GatewayLine {
        .message(
            .number(id),
            MessageRequest(
                phase: phase, deadline: .seconds(1),
                message: PluginMessage(
                    id: "m-\(id)", device: "lobby", connection: 1, source: sender, destination: "web-1",
                    namespace: "urn:x-cast:com.example.scripted", payload: .json(json))))
    }

    /// Says a message and hears its verdict.
    func ask(_ id: Int, _ json: JSONObject, phase: RoutingPhase = .handle) async throws -> JSONObject {
        self.say(Self.message(id, json, phase: phase))
        return try #require(try await self.answer(to: id).object("result"))
    }

    /// Moves the time, one timer after the other.
    /// - Returns: what was said meanwhile.
    @discardableResult
    func advance(to time: Int, _ id: Int = 999) async throws -> [JSONObject] {
        var heard: [JSONObject] = []
        while true {
            self.say(.advanceClock(.number(id), to: time))
            while true {
                let line = try await self.hear()
                guard line.int("id") == id, line["method"] == nil else {
                    heard.append(line)
                    continue
                }
                let now = try #require(line.object("result")?.int("now"))
                #expect(now <= time)
                if now == time { return heard }
                break
            }
        }
    }
}

extension JSONObject {
    /// The payload of a verdict or of a call, as JSON.
    var payload: JSONObject? {
        self.string("payload").flatMap { try? JSONReader.read($0) }?.objectValue
    }
}
