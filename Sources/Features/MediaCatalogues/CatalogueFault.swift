import GatewayConfig
package import HTTPFetching

/// The reason a list could not be read.
package struct CatalogueFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of fault, in a word that never changes: those of ``HTTPFetchFailure/Kind``, `file` for one that cannot be read, and
    /// `malformed` for one that is no list.
    package let code: String
    /// The reason in a sentence without path and query of a URL.
    package let reason: String
    /// The HTTP status; nil where another one was not the reason.
    package let status: Int?

    package init(_ code: String, _ reason: String, status: Int? = nil) {
        self.code = code
        self.reason = reason
        self.status = status
    }

    package init(_ failure: HTTPFetchFailure) {
        self.init(failure.kind.rawValue, failure.description, status: failure.status)
    }

    static func malformed(_ reason: String) -> CatalogueFault { CatalogueFault("malformed", reason) }

    package var description: String { "\(self.code): \(self.reason)" }
}
