package import GatewayOperations

/// Exchanges what a guest shows on the page of `api.join` for what the code gives.
package protocol GuestReception: Sendable {
    /// Redeems a code.
    /// - Parameters:
    ///   - code: what the guest typed, or what a link ends in.
    ///   - address: where the guest asks from.
    /// - Throws: why not; `code_refused` (403), `too_many_attempts` (429) and others, each with a sentence for people.
    func redeem(_ code: String, from address: String) async throws(OperationProblem) -> GuestWelcome
}

/// What a guest is told who has redeemed a code.
package struct GuestWelcome: Sendable, Hashable {
    /// The devices that the guest's address may connect to, as senders show them; empty for a guest with a token alone.
    package var devices: [String]
    /// The guest's token for the API; nil for none.
    package var token: String?
    /// Until when, in UTC.
    package var end: UTCTime
    /// The time zone in which the guest is told that.
    package var zone: Zone
    /// Whether the code was redeemed at the address before, so that nothing has changed.
    package var isAgain: Bool

    /// A time zone at one moment.
    package struct Zone: Sendable, Hashable {
        /// Its name: `Europe/Berlin`.
        package var name: String
        /// By how many seconds its clocks are ahead of UTC then.
        package var offset: Int

        package init(name: String, offset: Int) {
            self.name = name
            self.offset = offset
        }
    }

    package init(devices: [String], token: String?, end: UTCTime, zone: Zone, isAgain: Bool) {
        self.devices = devices
        self.token = token
        self.end = end
        self.zone = zone
        self.isAgain = isAgain
    }
}
