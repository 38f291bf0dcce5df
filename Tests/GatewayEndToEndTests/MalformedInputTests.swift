import CastWire
import CastwayTestSupport
import GatewayFixtures
import Logging
import NIOCore
import Testing
import VirtualDevices

/// What is no Cast message costs the connection that it came from, one line in the log, and nothing else.
@Suite struct MalformedInputTests {
    struct Fault: CustomTestStringConvertible, Sendable {
        let label: String
        let bytes: [UInt8]

        var testDescription: String { self.label }
    }

    /// One of every kind of fault, by the label that the log gives it.
    static let faults = [
        Fault(label: "frame_too_large", bytes: [0xFF, 0xFF, 0xFF, 0xFF]),
        Fault(label: "frame_too_large", bytes: [0x00, 0x01, 0x00, 0x01]),
        Fault(label: "missing_field", bytes: [0, 0, 0, 0]),
        Fault(label: "missing_field", bytes: Self.frame([0x08, 0x00, 0x12, 0x01, 0x61])),
        Fault(label: "truncated_message", bytes: Self.frame([0x08, 0x00, 0x12, 0x7F, 0x61])),
        Fault(label: "malformed_field", bytes: Self.frame([0x08, 0x00, 0x00, 0x01])),
        Fault(label: "empty_field", bytes: Self.message(source: [], payloadType: 0)),
        Fault(label: "invalid_text", bytes: Self.message(source: [0xFF], payloadType: 0)),
        Fault(label: "invalid_value", bytes: Self.message(source: [0x61], payloadType: 9)),
    ]

    private static func frame(_ body: [UInt8]) -> [UInt8] {
        [0, 0, 0, UInt8(body.count)] + body
    }

    private static func message(source: [UInt8], payloadType: UInt8) -> [UInt8] {
        let source = [0x12, UInt8(source.count)] + source
        return Self.frame([0x08, 0x00] + source + [0x1A, 1, 0x62, 0x22, 1, 0x6E, 0x28, payloadType, 0x32, 0])
    }

    @Test(.timeLimit(.minutes(1)), arguments: Self.faults)
    func costsThatConnectionAndIsLoggedOnce(_ fault: Fault) async throws {
        let log = LogRecorder()
        try await RunningGateway.with(.bench, makeLogger: { log.logger($0) }) { running in
            let port = try #require(running.ports["bench"])
            try await TestSender.connect(to: port) { bystander in
                _ = try await bystander.connectPlatform()
                try await TestSender.connect(to: port) { offender in
                    _ = try await offender.connectPlatform()
                    try await offender.send(raw: ByteBuffer(bytes: fault.bytes))
                    try await offender.closed()
                }
                try await bystander.send(["type": "GET_STATUS", "requestId": 9], in: .receiver)
                #expect(try await bystander.answer(to: 9)?.string("type") == "RECEIVER_STATUS")
            }
        }
        let complaints = log.entries(atLeast: .notice)
        #expect(complaints.count == 1)
        #expect(complaints.first?.metadata["fault"] == "\(fault.label)")
        #expect(complaints.first?.metadata["connection"] != nil)
    }
}
