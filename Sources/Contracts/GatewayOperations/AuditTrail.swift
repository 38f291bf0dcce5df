/// Learns of every refusal and of every administrative act, whichever way a caller came in.
///
/// Those who record name callers, operations and codes, and nothing of what a request holds: that may be a secret.
package protocol AuditTrail: Sendable {
    /// Takes an entry; may be called on any thread, and never blocks.
    func record(_ entry: AuditEntry)
}

/// One entry of the audit log.
package struct AuditEntry: Sendable, Hashable {
    /// What happened. Raw values never change: programs that read logs compare them.
    package enum Event: String, Sendable, Hashable, CaseIterable {
        /// A request was refused before any operation was asked: no or a wrong token, another site, too many.
        case requestRefused = "request_refused"
        /// An operation was refused, since the caller may not have it done, or not with that device.
        case operationRefused = "operation_refused"
        /// An operation that takes the scope `admin` or `credentials`, or whose input has a part that does, was done.
        case operationDone = "operation_done"
        /// Such an operation was not done.
        case operationFailed = "operation_failed"
        /// A token is not taken any more: it was revoked, its time is over, or the configuration has changed it.
        case tokenEnded = "token_ended"
        /// A caller has made a join code; the outcome is its id.
        case joinCodeCreated = "join_code_created"
        /// A caller has revoked a join code; the outcome is its id.
        case joinCodeRevoked = "join_code_revoked"
        /// The digits of a join code are not taken any more, since too many wrong ones were tried; the outcome is its id.
        case joinCodeExhausted = "join_code_exhausted"
        /// A guest has redeemed a join code, which stands for the caller; the outcome is the guest's id.
        case guestJoined = "guest_joined"
        /// What a guest showed was not taken.
        case joinRefused = "join_refused"
        /// A guest has checked out, or its time is over; the outcome is the guest's id.
        case guestLeft = "guest_left"
    }

    /// What happened.
    package var event: Event
    /// `done`, the code of the problem, or what the event names.
    package var outcome: String
    /// Who asked; nil for a caller that is not known.
    package var caller: String?
    /// The address that the caller came from; nil when it came from the gateway's own machine or its own parts.
    package var address: String?
    /// What was asked for; nil when that is not known.
    package var operation: OperationName?

    package init(
        _ event: Event, outcome: String, caller: String? = nil, address: String? = nil, operation: OperationName? = nil
    ) {
        self.event = event
        self.outcome = outcome
        self.caller = caller
        self.address = address
        self.operation = operation
    }
}
