import DeviceControl
import FeatureContract
package import GatewayOperations

extension GatewayFeatures {
    /// What callers can have the gateway do: the operations of all features, and those that are about all features.
    /// - Parameter requests: carries commands out; without it they are done while their callers wait.
    func catalogue(_ requests: CommandRequests?) -> OperationCatalogue {
        let own = self.list.flatMap(\.operations)
        let operations: [any GatewayOperation] =
            own + [
                CheckHealth(features: self.list, context: self.context),
                GetGatewayStatus(features: self.list, parts: OperationCatalogue(own), context: self.context),
            ]
        let get = GetGateway(
            overview: self.overview, devices: self.devices,
            others: OperationCatalogue(operations, added: self.plugins.added))
        return OperationCatalogue(
            operations + [get], requests: requests, added: self.plugins.added, audit: self.context.audit,
            observer: self.context.presence)
    }
}

/// The operations that every gateway has, known without one: for commands and documents.
package enum BuiltInOperations {
    private static let types: [any GatewayOperation.Type] =
        GatewayFeatures.types.flatMap { $0.operationTypes } + [
            CheckHealth.self, GetGateway.self, GetGatewayStatus.self,
        ]

    /// Their declarations, by name.
    package static let all: [OperationDeclaration] = Self.types.map { OperationDeclaration($0) }
        .sorted { $0.name.rawValue < $1.name.rawValue }
}
