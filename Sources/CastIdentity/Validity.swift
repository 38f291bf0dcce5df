/// The span in which a certificate may be used, both ends included, in seconds since 1970.
struct Validity: Equatable, Sendable {
    let notBefore: Int64
    let notAfter: Int64

    /// How far certificates are backdated, for peers whose clocks run behind.
    static let backdating: Int64 = 3_600

    /// Starts an hour before `now` and ends `lifetime` seconds after it.
    static func starting(at now: Int64, lasting lifetime: Int64) -> Validity {
        Validity(notBefore: now - Self.backdating, notAfter: now + lifetime)
    }
}
