/// Who asks for an operation, over which way in, and what they may do.
public struct Caller: Sendable, Hashable {
    /// The ways in. Raw values stand in logs.
    public enum WayIn: String, Sendable, Hashable, CaseIterable {
        /// The admin listener: the user that runs the gateway.
        case admin
    }

    /// How the caller came in.
    public let wayIn: WayIn
    /// Who it is, for logs.
    public let name: String
    /// What it may do.
    public let scopes: Set<OperationScope>

    /// Describes a caller.
    public init(_ wayIn: WayIn, name: String, scopes: Set<OperationScope>) {
        self.wayIn = wayIn
        self.name = name
        self.scopes = scopes
    }

    /// The caller of the admin listener, which may do everything.
    public static let admin = Caller(.admin, name: "admin", scopes: Set(OperationScope.allCases))
}
