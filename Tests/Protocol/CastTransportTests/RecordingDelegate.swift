import CastTransport
import CastWire

/// Writes down what a connection tells its owner.
final class RecordingDelegate: CastConnectionDelegate {
    enum Call: Equatable {
        case ready
        case received(CastMessage)
        case readComplete
        case closed(TransportError?)
    }

    var calls: [Call] = []
    var onCall: ((Call, CastConnection) -> Void)?

    /// The calls without the ends of reads.
    var essence: [Call] { self.calls.filter { $0 != .readComplete } }

    var received: [CastMessage] {
        self.calls.compactMap { if case .received(let message) = $0 { message } else { nil } }
    }

    func connectionReady(_ connection: CastConnection) { self.record(.ready, connection) }
    func connection(_ connection: CastConnection, received message: CastMessage) {
        self.record(.received(message), connection)
    }
    func connectionReadComplete(_ connection: CastConnection) { self.record(.readComplete, connection) }
    func connectionClosed(_ connection: CastConnection, reason: TransportError?) {
        self.record(.closed(reason), connection)
    }

    private func record(_ call: Call, _ connection: CastConnection) {
        self.calls.append(call)
        self.onCall?(call, connection)
    }
}
