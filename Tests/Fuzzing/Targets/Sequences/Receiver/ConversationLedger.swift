import CastWire
import GatewayCore
import NIOCore

/// What one sender's channel has asked, and whether what it hears is meant for it.
///
/// It knows the protocol and nothing of the code that is tested. Ids of requests are unique over all channels, so an
/// answer that goes astray is one without a request.
struct ConversationLedger {
    /// Whether a request may go without an answer.
    enum Duty {
        /// It has to be answered, unless its virtual connection ends before.
        case required
        /// It may be answered.
        case optional
    }

    private struct Request {
        let message: CastMessage
        var duty: Duty
    }

    /// Bounds what waits; a sender that asks more waits for less.
    private static let maximumWaiting = 4096

    let channel: ConnectionID
    private var requests: [RequestID: Request] = [:]
    private var answered: Set<RequestID> = []
    /// Every end that ever spoke on the channel.
    private var ends: Set<EndpointID> = []

    init(channel: ConnectionID) {
        self.channel = channel
    }

    // MARK: What the sender says

    mutating func said(_ message: CastMessage, _ duty: Duty) {
        self.ends.insert(message.source)
        if message.namespace == .connection, ConnectionPayload(message.payload)?.kind == .close {
            self.closed(VirtualConnection(local: message.destination, peer: message.source))
        }
        guard !message.namespace.isTransport, let id = PayloadSummary(peeking: message.payload).requestID,
            id != .spontaneous, self.requests.count < Self.maximumWaiting
        else { return }
        // An id that is used twice may be answered twice.
        if self.requests[id] != nil || self.answered.contains(id) {
            self.requests[id] = Request(message: message, duty: .optional)
            self.answered.remove(id)
        } else {
            self.requests[id] = Request(message: message, duty: duty)
        }
    }

    /// The sender closed a virtual connection, or heard that it is closed: the sender waits on it no longer.
    private mutating func closed(_ pair: VirtualConnection) {
        for (id, request) in self.requests where Self.pair(of: request.message) == pair {
            self.requests[id]?.duty = .optional
        }
    }

    /// Forgives what has not been answered, because something happened that the protocol leaves open.
    mutating func forgive(where isForgiven: (CastMessage) -> Bool = { _ in true }) {
        for (id, request) in self.requests where isForgiven(request.message) { self.requests[id]?.duty = .optional }
    }

    // MARK: What the sender hears

    /// Judges a message.
    /// - Parameter sources: the receiver's ends that the channel has been connected to, before the message or after.
    mutating func heard(_ message: CastMessage, connectedTo sources: Set<EndpointID>) throws {
        let isJSON = message.payload.text.map { (try? JSONReader.read($0)) != nil } ?? true
        try self.demand(isJSON || message.namespace.isCustom, message, "which is no JSON")
        try self.demand(message.source != .broadcast, message, "which comes from `*`")
        // Whatever asks for a sign of life gets one, from any id.
        if message.namespace == .heartbeat, HeartbeatPayload(message.payload) == .pong { return }
        if message.destination == .broadcast {
            try self.demand(sources.contains(message.source), message, "to whose source it is not connected")
            return
        }
        let isPing = message.namespace == .heartbeat && message.destination == .platformSender
        try self.demand(self.ends.contains(message.destination) || isPing, message, "for an end that never spoke")
        if message.namespace == .connection, ConnectionPayload(message.payload)?.kind == .close {
            self.closed(VirtualConnection(local: message.source, peer: message.destination))
        }
        guard !message.namespace.isTransport else { return }
        let summary = PayloadSummary(peeking: message.payload)
        if summary.type == LaunchStatus.type, message.namespace == .receiver, let status = LaunchStatus(message.payload)
        {
            let isKnown = status.launchRequestID.map { $0 == .spontaneous || self.requests[$0] != nil } ?? false
            return try self.demand(isKnown, message, "about a launch that the sender does not wait for")
        }
        guard let id = summary.requestID, id != .spontaneous else { return }
        guard let request = self.requests.removeValue(forKey: id) else {
            return try self.demand(
                false, message, self.answered.contains(id) ? "which was answered before" : "which no request asked for")
        }
        self.answered.insert(id)
        let pair = Self.pair(of: request.message)
        try self.demand(
            message.destination == pair.peer && message.source == pair.local
                && message.namespace == request.message.namespace,
            message, "as the answer to \(Self.text(of: request.message))")
    }

    /// Demands that nothing is left to be answered.
    func settled() throws {
        for (id, request) in self.requests where request.duty == .required {
            throw Violation("\(self.channel): no answer to \(id): \(Self.text(of: request.message))")
        }
    }

    /// The ends between which an answer travels; a broadcast is answered by the platform.
    private static func pair(of request: CastMessage) -> VirtualConnection {
        let local = request.destination == .broadcast ? .platformReceiver : request.destination
        return VirtualConnection(local: local, peer: request.source)
    }

    private func demand(_ condition: Bool, _ message: CastMessage, _ fault: @autoclosure () -> String) throws {
        try Violation.unless(condition, "\(self.channel) heard \(Self.text(of: message)), \(fault())")
    }

    static func text(of message: CastMessage) -> String {
        let payload = message.payload.text ?? "\(message.payload.bytes.readableBytes) bytes"
        return "\(message.source) -> \(message.destination) \(message.namespace): \(payload.prefix(400))"
    }
}
