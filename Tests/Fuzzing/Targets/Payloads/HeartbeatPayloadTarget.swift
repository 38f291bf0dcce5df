import CastWire

/// PING and PONG, by their type or by the word in whatever text.
package enum HeartbeatPayloadTarget: FuzzTarget {
    /// `heartbeat`
    package static let name = "heartbeat"

    /// Recognises a heartbeat.
    package static func run(_ input: [UInt8]) throws {
        guard let payload = CastMessage.Payload(input: input) else { return }
        let heartbeat = HeartbeatPayload(payload)
        let words = ["PING", "PONG"].filter { payload.text?.utf8.contains($0.utf8) == true }
        if words.isEmpty, let type = PayloadSummary(peeking: payload).type {
            try Violation.unless(["PING", "PONG"].contains(type) == (heartbeat != nil), "\(type) was misread")
        } else {
            try Violation.unless(
                words.isEmpty == (heartbeat == nil), "\(words) was read as \(String(describing: heartbeat))")
        }
        if let heartbeat {
            try Violation.unless(
                HeartbeatPayload(heartbeat.payload) == heartbeat, "\(heartbeat) is not written as itself")
        }
    }
}
