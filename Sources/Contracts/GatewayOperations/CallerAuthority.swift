/// Tells who a caller of a network listener is, and when it is that no more.
package protocol CallerAuthority: Sendable {
    /// Who sends a request.
    /// - Parameter credentials: what the request shows.
    /// - Throws: `unauthorized` (401) for a token that is unknown, expired or revoked, and for a caller without one where one is
    ///   needed.
    func caller(showing credentials: CallerCredentials) throws(OperationProblem) -> Caller

    /// Calls back when a caller is not to be served any more: its token was revoked, or is over.
    ///
    /// - Parameters:
    ///   - caller: as ``caller(showing:)`` returned it.
    ///   - callback: called at most once, on any thread, with why; at once when it is over already.
    /// - Returns: what ends the watch.
    func watch(_ caller: Caller, whenOver callback: @escaping @Sendable (String) -> Void) -> CallerWatch
}

/// What a request shows of who sends it.
package struct CallerCredentials: Sendable {
    /// The token, without what stands before it in the header; nil when there is none.
    package var token: String?
    /// The address that the request comes from.
    package var address: String

    package init(token: String?, address: String) {
        self.token = token
        self.address = address
    }
}

/// Waits for the end of a caller.
package struct CallerWatch: Sendable {
    private let end: @Sendable () -> Void

    /// - Parameter end: ends the watch; may be called more than once.
    package init(end: @escaping @Sendable () -> Void) {
        self.end = end
    }

    /// Ends the watch; the callback is not called from now on.
    package func cancel() { self.end() }
}
