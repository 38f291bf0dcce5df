extension MetricDeclaration {
    package static let guests = MetricDeclaration(
        "castway_guests", .gauge, "Guests who have redeemed a join code, and have not checked out")
    package static let joinCodes = MetricDeclaration(
        "castway_join_codes", .gauge, "Join codes whose time is not over",
        labels: [
            Label(
                "state",
                "`pending` before it can be redeemed, `open`, `exhausted` when too many wrong digits were tried, `used` when as many guests have redeemed it as may"
            )
        ])
    /// Attempts to redeem a code.
    package static let joinAttempts = MetricDeclaration(
        "castway_join_attempts_total", .counter, "Attempts to redeem a join code",
        labels: [
            Label(
                "outcome",
                "`redeemed`, `code_refused` for a wrong code, `too_many_attempts` while the address has to wait, or the code of another problem"
            )
        ])

    static let joining: [MetricDeclaration] = [Self.guests, Self.joinCodes, Self.joinAttempts]
}
