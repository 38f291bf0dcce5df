import CastWire
import GatewayCore
import NIOCore
import NIOEmbedded
import PluginKit
import Synchronization
import Testing

@testable import PluginHosting

/// The gateway's end of a plugin's wire, without a plugin.
struct PluginWireTests {
    /// Keeps what is written; nothing of it is ever read.
    private final class DeafTransport: PluginTransport {
        var lines: [String] = []
        var count = 0

        func write(_ lines: ByteBuffer) {
            self.count += lines.readableBytes
            self.lines.append(String(buffer: lines))
        }

        func endWriting() {}
        func close() {}
    }

    private final class Observer: PluginWireObserver {
        let asked = Mutex(0)
        let faults = Mutex<[String]>([])

        func asked(_ call: PluginCall, id: PluginRequestID, cause: MessageOrigin?) { self.asked.withLock { $0 += 1 } }
        func effect(_ effect: Effect) {}
        func logged(_ record: PluginLogRecord) {}
        func strayed(_ line: ByteBuffer, reason: String) {}
        func refused(_ what: String) {}
        func healthChanged(_ health: PluginHealth) {}
        func misbehaved(_ reason: String) { self.faults.withLock { $0.append(reason) } }
        func closed(_ reason: String) {}
    }

    private struct Stage {
        let loop = EmbeddedEventLoop()
        let transport = DeafTransport()
        let observer = Observer()
        let wire: PluginWire

        init(_ change: (inout PluginGrant) -> Void = { _ in }) {
            var grant = PluginGrant()
            change(&grant)
            self.wire = PluginWire(bounds: PluginBounds(grant), eventLoop: self.loop)
            self.wire.transport = self.transport
            self.wire.observer = self.observer
        }

        func say(_ id: Int, _ method: String, _ parameters: JSONObject) {
            let line: JSONObject = [
                "jsonrpc": "2.0", "id": .number(id), "method": .string(method), "params": .object(parameters),
            ]
            self.wire.received(ByteBuffer(string: JSONValue.object(line).text + "\n"))
        }
    }

    @Test func changesOfDevicesComeAtARate() {
        let stage = Stage { $0.provides = ["devices"] }
        for number in 1...30 {
            if number.isMultiple(of: 2) {
                stage.say(number, "provider.withdraw", ["names": ["hall"]])
            } else {
                stage.say(number, "provider.publish", ["devices": []])
            }
        }
        #expect(stage.observer.asked.withLock { $0 } == PluginWire.provisionLimit)
        stage.loop.run()
        #expect(stage.transport.lines.joined().contains("more than 20 changes of devices in a second"))
        stage.loop.advanceTime(by: .seconds(1))
        stage.say(31, "provider.publish", ["devices": []])
        #expect(stage.observer.asked.withLock { $0 } == PluginWire.provisionLimit + 1)
    }

    /// It has asked for much and says nothing more: the answers do not gather.
    @Test func answersThatAreNotReadEndThePlugin() {
        let stage = Stage()
        let text = JSONValue.string(String(repeating: "a", count: 1_000_000))
        for number in 1...100 { stage.wire.answer(RPCResponse(.number(number), result: ["text": text])) }
        stage.loop.run()
        #expect(stage.observer.faults.withLock { $0 } == ["it asks, and does not read the answers"])
        #expect(stage.transport.count < 3 * PluginWire.outputLimit)
    }

    @Test func aClosedWireIsIdleThoughAnOperationWasUnderWay() {
        let stage = Stage()
        let promise = stage.loop.makePromise(of: JSONObject.self)
        let call = OperationCall(
            id: "c-1", operation: "ask", input: [:], caller: OperationCall.Caller(name: "admin"),
            deadline: .seconds(1))
        let isAsked = stage.wire.operate(PluginOperationItem(promise) { _ in }, call)
        #expect(isAsked)
        var isIdle = false
        stage.wire.whenIdle { isIdle = true }
        stage.wire.closed("gone")
        #expect(isIdle)
    }

    /// - Returns: what a trace shows of an operation that a plugin has done, and of its answer.
    private func traced() -> AsyncStream<String> {
        let stage = Stage { $0.operations = ["*"] }
        let (lines, reader) = AsyncStream.makeStream(of: String.self)
        stage.wire.traces.add(1, reader)
        stage.say(1, "gateway.call", ["operation": "guest.add", "input": ["name": "a", "token": "s3cret"]])
        // What the gateway refuses is shown too.
        stage.say(
            2, "gateway.call", ["operation": "guest.add", "input": ["token": "s3cret"], "waitMs": 1_000_000])
        let result = GatewayCallResult(result: ["name": "b", "token": "s3cret"])
        stage.wire.answer(RPCResponse(.number(1), result), hidesSecrets: true)
        stage.wire.closed("gone")
        return lines
    }

    /// What others give a shape has secrets anywhere; a line that is no call is shown as it came.
    @Test(arguments: [
        (#"{"method":"gateway.call","params":{"input":{"list":[{"apiToken":"s3cret","name":"a"}]}}}"#, true),
        (#"{"method":"gateway.call","params":{"input":{"account":{"client_secret":{"deep":"s3cret"}}}}}"#, true),
        (#"{"method":"gateway.call","params":["s3cret"]}"#, false),
        (#"{"method":"log","params":{"token":"s3cret"}}"#, false),
        (#"{"method":"gateway.call","par"#, false), ("", false),
    ])
    func secretsOfCallsAreHiddenWhereverTheyStand(line: String, hides: Bool) {
        let shown = String(buffer: ByteBuffer(string: line).hidingSecretsOfCalls)
        #expect(hides ? !shown.contains("s3cret") && shown.contains("gateway.call") : shown == line)
    }

    @Test func tracesShowNoSecretsOfCalls() async {
        var all = ""
        for await line in self.traced() { all += line }
        #expect(!all.contains("s3cret"))
        #expect(all.contains("guest.add"))
        // The observer has no wire to answer on: only the refusal and the answer of the test went out.
        #expect(all.split(separator: "\n").count == 4)
    }
}
