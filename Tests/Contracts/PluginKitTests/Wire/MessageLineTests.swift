import CastWire
import NIOCore
import PluginKit
import Testing

@Suite struct MessageLineTests {
    private func message(_ payload: CastMessage.Payload) -> PluginMessage {
        PluginMessage(
            id: "m-1", device: "lobby \"1\"", direction: .toReceiver, connection: 9, sender: "2001:db8::1",
            session: "s",
            app: "CC1AD845", source: "sender-\u{1}", destination: "web-3", namespace: "urn:x-cast:ä", payload: payload)
    }

    private func throughTheWire(_ message: PluginMessage) throws -> PluginMessage? {
        var line = ByteBuffer()
        MessageRequest(phase: .handle, deadline: .seconds(1), message: message).write(id: "x", to: &line)
        guard case .message("x", let request) = try GatewayLine(reading: line) else { return nil }
        return request.message
    }

    @Test(arguments: [
        #"{"type":"A","requestId":17}"#, #"{"type":"A","requestId":"seventeen"}"#, "", "no JSON\r\n\t\u{7F}\u{2028}",
        "\u{0}\u{1F}\"\\/", "😀 ä \u{FFFD}", String(repeating: "\"", count: 65_536),
    ])
    func aPayloadIsExactlyTheSame(_ text: String) throws {
        let message = self.message(.text(text))
        #expect(try self.throughTheWire(message) == message)
    }

    /// Every length around the words of eight bytes in which text is copied, with what is escaped at every place of it.
    @Test func textIsTheSameWhereverItsEscapesStand() throws {
        for length in 0...26 {
            for place in 0..<max(1, length) {
                for odd in ["\"", "\\", "\u{1}", "\n", "ä", "😀"] {
                    var scalars = Array(repeating: "x", count: length)
                    if length > 0 { scalars[place] = odd }
                    let text = scalars.joined()
                    #expect(try self.throughTheWire(self.message(.text(text)))?.payload == .text(text))
                }
            }
        }
    }

    @Test func bytesTravelAsBase64() throws {
        for count in 0...70 {
            let bytes = ByteBuffer(bytes: (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ count) })
            #expect(try self.throughTheWire(self.message(.binary(bytes)))?.payload == .binary(bytes))
        }
    }

    @Test func textThatIsNotUTF8TravelsAsBytes() throws {
        let bytes = ByteBuffer(bytes: [0x22, 0xC3, 0x28])
        #expect(try self.throughTheWire(self.message(.text(bytes)))?.payload == .binary(bytes))
    }

    @Test func escapesOfOtherWritersAreUnderstood() throws {
        let line = #"""
            {"jsonrpc":"2.0","\u0069d":1,"method":"message","params":{"deadlineMs":1e3,"phase":"handle","message":{"id":"m",
            "device":"d","direction":"to_sender","source":"a","destination":"b","namespace":"\u006E",
            "payload":"\ud83d\ude00\/\u0041\b\f\n\r\t\\\"\ud83d!"}}}
            """#.replacing("\n", with: "")
        guard case .message(1, let request) = try GatewayLine(reading: ByteBuffer(string: line)) else {
            Issue.record("no message")
            return
        }
        #expect(request.deadline == .seconds(1))
        #expect(request.message.namespace == "n")
        #expect(request.message.payload == .text("😀/A\u{8}\u{C}\n\r\t\\\"\u{FFFD}!"))
    }

    @Test(arguments: ["id", "device", "direction", "source", "destination", "namespace", "payload"])
    func whatIsMissingIsNamed(_ name: String) throws {
        var message: JSONObject = [
            "id": "m", "device": "d", "direction": "to_sender", "source": "a", "destination": "b", "namespace": "n",
            "payload": "x",
        ]
        message[name] = nil
        var line = ByteBuffer()
        RPCWriter.request(
            7, .message, ["phase": "filter", "deadlineMs": 5, "message": .object(message)], to: &line)
        let fault = try #require(throws: PluginLineFault.self) { try GatewayLine(reading: line) }
        #expect(fault.id == 7)
        #expect(fault.reason == "params.message.\(name): is missing")
    }

    @Test func anEventKeepsItsOwnValues() throws {
        let event = PluginEvent(
            type: "device.offline", data: ["target": "lobby", "message": "gone", "codes": [1, 2]], dropped: 4)
        var line = ByteBuffer()
        event.write(to: &line)
        #expect(try GatewayLine(reading: line) == .event(event))
    }

    @Test func timesAreRoundedUp() throws {
        for (time, wire) in [
            (Duration.microseconds(1), 1), (.milliseconds(250), 250), (.zero, 0), (.seconds(-1), 0),
            (.seconds(Int64.max / 2), 2_592_000_000),
        ] {
            var line = ByteBuffer()
            MessageRequest(phase: .filter, deadline: time, message: self.message(.text("x"))).write(id: 1, to: &line)
            guard case .message(_, let request) = try GatewayLine(reading: line) else { continue }
            #expect(request.deadline == .milliseconds(wire))
        }
    }

    /// A message of the gateway's own session says so; one of a sender says nothing of it.
    @Test func theLegTravels() throws {
        let message = PluginMessage(
            id: "m-1", device: "wall", leg: .own, direction: .toSender, session: "s", app: "ABCD1234", source: "web-3",
            destination: "sender-0", namespace: "urn:x-cast:a", payload: .text("{}"))
        let read = try #require(try self.throughTheWire(message))
        #expect(read == message && read.leg == .own)
        var line = ByteBuffer()
        MessageRequest(phase: .handle, deadline: .seconds(1), message: self.message(.text("{}"))).write(
            id: 1, to: &line)
        #expect(!String(buffer: line).contains("leg"))
        #expect(try self.throughTheWire(self.message(.text("{}")))?.leg == .sender)
        // The next message is compared with the last one's route: another leg is another route.
        var recall = [PluginMessage]()
        for leg in [MessageLeg.own, .sender, .own] {
            let next = PluginMessage(
                id: "m-1", device: "wall", leg: leg, direction: .toSender, source: "web-3", destination: "sender-0",
                namespace: "urn:x-cast:a", payload: .text("{}"))
            recall.append(try #require(try self.throughTheWire(next)))
        }
        #expect(recall.map(\.leg) == [.own, .sender, .own])
        let wrong = ByteBuffer(
            string:
                #"{"jsonrpc":"2.0","id":1,"method":"message","params":{"phase":"handle","deadlineMs":1,"message":{"id":"m","device":"d","leg":"south","direction":"to_sender","source":"a","destination":"b","namespace":"n","payload":""}}}"#
        )
        #expect(throws: PluginLineFault.self) { try GatewayLine(reading: wrong) }
    }
}
