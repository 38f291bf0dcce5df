import CastWire
import GatewayCore

/// Requests to the device's platform that wait for an answer, so that none hangs when the device is lost.
///
/// Requests to apps need no record: the sender learns by CLOSE that the app is gone.
struct PendingRequests {
    struct Key: Hashable {
        let north: SenderIDs.North
        let namespace: Namespace
        let requestID: RequestID
    }

    /// More than a device is ever asked at once; beyond it requests are refused, so that none is forgotten.
    private static let limit = 512

    private var requests: [Key: (message: CastMessage, type: String, order: Int)] = [:]
    private var order = 0

    /// How many wait.
    var count: Int { self.requests.count }

    /// False when another request could not be noted.
    var hasRoom: Bool { self.requests.count < Self.limit }

    mutating func sent(_ message: CastMessage, _ summary: PayloadSummary, from north: SenderIDs.North) {
        guard let requestID = summary.requestID, requestID != .spontaneous, let type = summary.type else { return }
        self.order += 1
        let key = Key(north: north, namespace: message.namespace, requestID: requestID)
        self.requests[key] = (message, type, self.order)
    }

    /// The device answered.
    mutating func answered(_ message: CastMessage, to north: SenderIDs.North) {
        guard !self.requests.isEmpty, let requestID = PayloadSummary(peeking: message.payload).requestID else { return }
        self.requests[Key(north: north, namespace: message.namespace, requestID: requestID)] = nil
    }

    /// The device answered to all, as some do: whoever waits for this id has heard it.
    mutating func answeredToAll(_ message: CastMessage) {
        guard !self.requests.isEmpty, let requestID = PayloadSummary(peeking: message.payload).requestID else { return }
        self.requests = self.requests.filter {
            $0.key.namespace != message.namespace || $0.key.requestID != requestID
        }
    }

    /// The sender's end has no virtual connection any more.
    mutating func forget(_ north: SenderIDs.North) {
        guard !self.requests.isEmpty else { return }
        self.requests = self.requests.filter { $0.key.north != north }
    }

    /// The sender's channel is gone.
    mutating func forget(_ connection: ConnectionID, of relay: ObjectIdentifier) {
        guard !self.requests.isEmpty else { return }
        self.requests = self.requests.filter {
            $0.key.north.connection != connection || $0.key.north.relay != relay
        }
    }

    /// Takes out what waits for one relay's senders, oldest first.
    mutating func takeAll(of relay: ObjectIdentifier) -> [(north: SenderIDs.North, message: CastMessage)] {
        let taken = self.requests.filter { $0.key.north.relay == relay }
        for key in taken.keys { self.requests[key] = nil }
        return taken.sorted { $0.value.order < $1.value.order }.map { ($0.key.north, $0.value.message) }
    }

    /// Takes out everything that waits, oldest first.
    mutating func takeAll() -> [(north: SenderIDs.North, message: CastMessage)] {
        defer { self.requests = [:] }
        return self.requests.sorted { $0.value.order < $1.value.order }.map { ($0.key.north, $0.value.message) }
    }
}
