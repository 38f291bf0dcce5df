package import CastWire
package import GatewayCore
package import GatewayOperations

/// Every event that the gateway tells, as events declare themselves. Documents, AsyncAPI, webhook schemas and topics are made from it.
package enum EventCatalogue {
    /// The declarations, by family.
    package static let all = GatewayEvent.examples.map(\.declaration)

    package static let named: [String: EventDeclaration] = Dictionary(
        Self.all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

    /// The declaration of events that plugins and handlers name themselves.
    package static let custom = GatewayEvent.custom(name: "", data: [:]).declaration
}

extension EventDeclaration {
    /// What it takes to read it.
    package var scope: OperationScope {
        switch self.readers {
        case .all: .read
        case .messages: .messages
        case .admins: .admin
        }
    }

    /// What of an event's `data` is not as it is declared: JSON pointers with what is wrong there.
    package func faults(of data: JSONObject) -> [String] {
        OperationResult(self.summary, self.members).faults(of: data)
    }
}

extension EventDeclaration.Subject {
    /// The subject as documents have it.
    package var words: String {
        switch self {
        case .virtualDevice: "virtual device"
        case .realDevice: "real device"
        case .any: "device, or none"
        case .gateway: "none"
        }
    }
}
