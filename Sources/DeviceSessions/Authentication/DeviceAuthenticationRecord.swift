/// What is known of a device's authenticity, from the last time that it was asked.
public struct DeviceAuthenticationRecord: Sendable, Equatable {
    /// What came of it.
    public let outcome: DeviceAuthenticationOutcome
    /// When it was asked, in seconds since 1970.
    public let time: Int64

    /// Makes a record.
    public init(outcome: DeviceAuthenticationOutcome, time: Int64) {
        self.outcome = outcome
        self.time = time
    }
}
