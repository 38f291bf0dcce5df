package import GatewayOperations

/// Issues tokens for the API, and revokes them; its methods may block for the state database.
package protocol TokenIssuer: Sendable {
    /// Issues a token, which is kept.
    /// - Parameter lifetime: in seconds; nil for a token that does not end.
    /// - Throws: `too_many_tokens` (409), `not_kept` (409).
    func issue(
        name: String, scopes: Set<OperationScope>, devices: [DevicePattern]?, lifetime: Int?
    ) throws(OperationProblem) -> (id: String, text: String)

    /// Revokes the token of an id, and ends the connections of its holder.
    /// - Throws: `unknown_token` (404), `not_kept` (409).
    func withdraw(_ id: String) throws(OperationProblem)

    /// The holder of a token, and when the token ends; nil for a token that is over, or was replaced since a generation.
    func holder(ofToken id: String, generation: UInt64) -> (caller: Caller, expires: UTCTime?)?
}
