/// Why a document could not be fetched.
package struct HTTPFetchFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of failure it is, in a word that never changes.
    package enum Kind: String, Sendable, CaseIterable {
        /// The name is not found, no connection could be made, or it ended without an answer.
        case unreachable
        /// The name leads to an address that the gateway does not connect to.
        case refusedAddress = "refused_address"
        /// It took longer than it may.
        case timeout
        /// The answer has another status than is wanted.
        case status = "http_status"
        /// It is larger than it may be.
        case tooLarge = "too_large"
        /// The server sends the gateway to a place that it does not go to.
        case redirect
        /// The gateway ended the request itself.
        case ended
    }

    package var kind: Kind
    /// What happened, in a few words; holds neither path nor query of the URL.
    package var description: String
    /// The status of the answer; nil for every other kind than ``Kind/status``.
    package var status: Int?

    package init(_ kind: Kind, _ description: String, status: Int? = nil) {
        self.kind = kind
        self.description = description
        self.status = status
    }
}
