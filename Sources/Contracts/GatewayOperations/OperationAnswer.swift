package import CastWire

/// What a call is answered: a status of HTTP, which other ways in carry too, and a JSON object.
package struct OperationAnswer: Sendable {
    /// 200; 201 when something was made; 202 when a command goes on, and the body is its request.
    package let status: Int
    /// What ``OperationResult`` describes, or the request.
    package let body: JSONObject

    package init(status: Int = 200, _ body: JSONObject) {
        self.status = status
        self.body = body
    }
}

/// What a caller may say about a call, beside its input.
package struct CallOptions: Sendable, Hashable {
    /// How long a command may keep its caller waiting, from 0 to 10 seconds; nil as long as that.
    package var wait: Duration?
    /// Tells calls apart that are one to the caller: the second is not carried out, and answered as the first. 1 to 255
    /// characters.
    package var idempotencyKey: String?
    /// The address that the call comes from, for the audit log; nil when it comes from the gateway's own machine or its own parts.
    package var address: String?

    /// Says nothing.
    package init() {}
}
