/// Who asks for an operation: what it may do.
public struct Caller: Sendable, Hashable {
    /// What it may do.
    public let scopes: Set<OperationScope>

    /// Describes a caller.
    public init(scopes: Set<OperationScope>) {
        self.scopes = scopes
    }

    /// The caller of the admin listener, which may do everything.
    public static let admin = Caller(scopes: Set(OperationScope.allCases))
}
