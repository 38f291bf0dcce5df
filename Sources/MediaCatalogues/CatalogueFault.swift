import GatewayConfig
package import HTTPFetching

/// Why a list could not be read.
public struct CatalogueFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of fault, in a word that never changes: those of ``HTTPFetchFailure/Kind``, `file` for one that cannot be read, and
    /// `malformed` for one that is no list.
    public let code: String
    /// What happened, in a sentence without path and query of a URL.
    public let reason: String
    /// The HTTP status; nil where another one was not the reason.
    public let status: Int?

    /// Describes a fault.
    public init(_ code: String, _ reason: String, status: Int? = nil) {
        self.code = code
        self.reason = reason
        self.status = status
    }

    /// A list that could not be fetched.
    package init(_ failure: HTTPFetchFailure) {
        self.init(failure.kind.rawValue, failure.description, status: failure.status)
    }

    /// What came is no list.
    static func malformed(_ reason: String) -> CatalogueFault { CatalogueFault("malformed", reason) }

    /// The code and the reason.
    public var description: String { "\(self.code): \(self.reason)" }
}
