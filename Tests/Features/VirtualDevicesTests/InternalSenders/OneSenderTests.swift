import CastWire
import CastwayTestSupport
import GatewayCore
import Testing

@testable import VirtualDevices

/// Messages of an app to one of its senders, sent by a caller.
@Suite struct OneSenderTests {
    private static let quiz: Namespace = "urn:x-cast:com.example.quiz"

    private let bench: DeviceBench

    init() throws {
        self.bench = try DeviceBench()
        self.bench.target.sessions = [
            SessionFacts(
                appID: "ABCD1234", sessionID: "s-1", transportID: "web-1", displayName: "Quiz", namespaces: [Self.quiz])
        ]
    }

    private func send(_ text: String, to sender: String, in namespace: Namespace = Self.quiz) throws -> Int? {
        try self.bench.device.send(
            InternalSender.Outgoing(
                payload: .text(text), namespace: namespace, address: AppAddress(device: "test"),
                origin: MessageOrigin("quiz")), toSender: sender)
    }

    @Test func oneSenderGetsItAtEachOfItsEnds() throws {
        let first = try self.bench.connect(.connect("a", to: "web-1"), .connect("b", to: "web-1"), .connect("c"))
        let second = try self.bench.connect(.connect("a", to: "web-1"))
        #expect(try self.send("hello", to: "\(first.connection.id)") == 2)
        let heard = try first.heard()
        #expect(heard.map(\.destination) == ["a", "b"] && heard.allSatisfy { $0.source == "web-1" })
        #expect(heard.map(\.payload.text) == ["hello", "hello"])
        #expect(try second.heard() == [])
    }

    @Test func aSenderMustBeThereAndInTheApp() throws {
        let sender = try self.bench.connect(.connect("a"))
        #expect(try self.send("hello", to: "\(sender.connection.id)") == 0)
        #expect(try self.send("hello", to: "c99") == nil)
        #expect(try self.send("hello", to: "") == nil)
        #expect(try sender.heard() == [])
        let error = #expect(throws: GatewayError.self) {
            try self.send("hello", to: "\(sender.connection.id)", in: "urn:x-cast:com.example.other")
        }
        #expect(error?.code == .unsupportedNamespace)
        self.bench.target.sessions = []
        let gone = #expect(throws: GatewayError.self) { try self.send("hello", to: "\(sender.connection.id)") }
        #expect(gone?.code == .unknownSession)
    }

    @Test func aSenderWithManyEndsGetsItAtSome() throws {
        let sender = try self.bench.connect()
        for number in 0..<20 { try sender.say(.connect(EndpointID(rawValue: "e\(number)"), to: "web-1")) }
        #expect(try self.send("hello", to: "\(sender.connection.id)") == 16)
        #expect(try sender.heard().count == 16)
    }
}
