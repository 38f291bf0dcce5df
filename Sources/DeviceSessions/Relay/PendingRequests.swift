import CastWire
import GatewayCore

/// Requests to the device's platform that wait for an answer, so that none hangs when the device is lost.
///
/// Requests to apps need no record: the sender learns by CLOSE that the app is gone.
struct PendingRequests {
    struct Key: Hashable {
        let connection: ConnectionID
        let sender: EndpointID
        let namespace: Namespace
        let requestID: RequestID
    }

    /// Beyond this the oldest record is given up.
    private static let limit = 512

    private var requests: [Key: (message: CastMessage, type: String, order: Int)] = [:]
    private var order = 0

    mutating func sent(_ message: CastMessage, _ summary: PayloadSummary, from connection: ConnectionID) {
        guard let requestID = summary.requestID, requestID != .spontaneous, let type = summary.type else { return }
        if self.requests.count >= Self.limit, let oldest = self.requests.min(by: { $0.value.order < $1.value.order }) {
            self.requests[oldest.key] = nil
        }
        self.order += 1
        let key = Key(
            connection: connection, sender: message.source, namespace: message.namespace, requestID: requestID)
        self.requests[key] = (message, type, self.order)
    }

    /// The device answered.
    mutating func answered(_ message: CastMessage, to connection: ConnectionID) {
        guard !self.requests.isEmpty, let requestID = PayloadSummary(peeking: message.payload).requestID else { return }
        self.requests[
            Key(
                connection: connection, sender: message.destination, namespace: message.namespace,
                requestID: requestID)] = nil
    }

    mutating func connectionLost(_ connection: ConnectionID) {
        self.requests = self.requests.filter { $0.key.connection != connection }
    }

    /// Takes out everything that waits, oldest first.
    mutating func takeAll() -> [(connection: ConnectionID, message: CastMessage)] {
        defer { self.requests = [:] }
        return self.requests.sorted { $0.value.order < $1.value.order }.map { ($0.key.connection, $0.value.message) }
    }
}
