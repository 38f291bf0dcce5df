import CastWire
import GatewayCore

/// Who is who on both sides of a relay, learned from the messages that pass it.
///
/// Requests carry ids that no other request has, and what the device says carries a mark, so it can be told where each
/// message came from, whatever ends are named in it.
struct RelayLedger {
    /// One end of one sender.
    struct End: Hashable {
        let channel: Int
        let end: EndpointID
    }

    private struct Request {
        let message: CastMessage
        let end: End
    }

    private struct Mark {
        /// Nil for a broadcast.
        let end: End?
        var heard: Set<Int> = []
    }

    /// What senders asked of the platform and has not been answered.
    private var waiting: [RequestID: Request] = [:]
    /// Where each request came from, answered or not.
    private var origins: [RequestID: End] = [:]
    /// The senders' ends by their ids towards the device.
    private var ends: [EndpointID: End] = [:]
    private var marks: [Int: Mark] = [:]

    /// The ids of senders' ends that the device has seen.
    var souths: [EndpointID] { self.ends.keys.sorted { $0.rawValue < $1.rawValue } }

    // MARK: Senders

    mutating func said(_ message: CastMessage, on channel: Int, mustBeAnswered: Bool) {
        let end = End(channel: channel, end: message.source)
        if message.namespace == .connection, ConnectionPayload(message.payload)?.kind == .close {
            self.forgive(end, message.destination)
        }
        guard let id = PayloadSummary(peeking: message.payload).requestID, id != .spontaneous else { return }
        // An id that is used twice says nothing of where a message came from.
        guard self.origins[id] == nil else { return }
        self.origins[id] = end
        if mustBeAnswered { self.waiting[id] = Request(message: message, end: end) }
    }

    mutating func gone(_ channel: Int) {
        self.waiting = self.waiting.filter { $0.value.end.channel != channel }
    }

    /// - Parameter channel: the number of the sender's channel.
    mutating func heard(_ message: CastMessage, on channel: Int) throws {
        let json = message.payload.jsonObject
        if message.namespace == .connection, ConnectionPayload(message.payload)?.kind == .close {
            self.forgive(End(channel: channel, end: message.destination), message.source)
        }
        if let id = RequestID(json: json?["requestId"]) ?? RequestID(json: json?["request_id"]),
            self.waiting[id]?.end == End(channel: channel, end: message.destination)
        {
            self.waiting[id] = nil
        }
        guard let number = json?.int("mark"), var mark = self.marks[number] else { return }
        let text = ConversationLedger.text(of: message)
        if let end = mark.end {
            try Violation.unless(
                end == End(channel: channel, end: message.destination),
                "sender \(channel) heard \(text), which is for \(end.end) of sender \(end.channel)")
        } else {
            try Violation.unless(
                message.destination == .broadcast, "sender \(channel) alone got a broadcast: \(text)")
        }
        try Violation.unless(mark.heard.insert(channel).inserted, "sender \(channel) heard twice: \(text)")
        self.marks[number] = mark
    }

    private mutating func forgive(_ end: End, _ local: EndpointID) {
        self.waiting = self.waiting.filter { $0.value.end != end || $0.value.message.destination != local }
    }

    // MARK: The device

    /// The device is about to send something to an end, or a broadcast.
    mutating func deviceSays(_ mark: Int, to south: EndpointID) {
        if south == .broadcast {
            self.marks[mark] = Mark(end: nil)
        } else if let end = self.ends[south] {
            self.marks[mark] = Mark(end: end)
        }
    }

    /// The device hears something of a sender.
    mutating func deviceHeard(_ message: CastMessage) throws {
        try Violation.unless(
            !message.source.rawValue.isEmpty && message.source != .broadcast,
            "the device heard \(ConversationLedger.text(of: message))")
        guard message.source != .platformSender, let id = PayloadSummary(peeking: message.payload).requestID,
            let end = self.origins[id]
        else { return }
        if let known = self.ends[message.source] {
            try Violation.unless(known == end, "\(message.source) was \(known) to the device and is \(end) now")
        }
        self.ends[message.source] = end
    }

    /// Demands that nothing is left to be answered.
    func settled() throws {
        for (id, request) in self.waiting {
            throw Violation(
                "sender \(request.end.channel): no answer to \(id): \(ConversationLedger.text(of: request.message))")
        }
    }
}
