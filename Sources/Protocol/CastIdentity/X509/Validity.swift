import CCrypto

/// The span in which a certificate may be used, both ends included, in seconds since 1970.
struct Validity: Equatable, Sendable {
    let notBefore: Int64
    let notAfter: Int64

    /// The time by which certificates are backdated, for peers whose clocks run behind.
    static let backdating: Int64 = 3_600

    /// Starts an hour before `now` and ends `lifetime` seconds after it.
    static func starting(at now: Int64, lasting lifetime: Int64) -> Validity {
        Validity(notBefore: now - Self.backdating, notAfter: now + lifetime)
    }
}

/// Moments in certificates, as seconds since 1970.
enum CertificateTime {
    static let day: Int64 = 86_400

    /// Reads an ASN.1 time, or `nil` when it is malformed.
    static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
        guard let time, let epoch = ASN1_TIME_set(nil, 0) else { return nil }
        defer { ASN1_TIME_free(epoch) }
        var days: Int32 = 0
        var seconds: Int32 = 0
        guard ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else {
            OpenSSLErrors.clear()
            return nil
        }
        return Int64(days) * Self.day + Int64(seconds)
    }

    /// Writes `seconds` into an ASN.1 time of libcrypto's.
    static func write(_ seconds: Int64, to time: UnsafeMutablePointer<ASN1_TIME>?) -> Bool {
        guard let time, let value = time_t(exactly: seconds) else { return false }
        return ASN1_TIME_set(time, value) != nil
    }

    /// The moment in ISO 8601, in UTC, such as `2031-05-01 12:00:00Z`.
    static func text(_ seconds: Int64) -> String {
        guard let value = time_t(exactly: seconds), let time = ASN1_TIME_set(nil, value) else {
            OpenSSLErrors.clear()
            return "second \(seconds) since 1970"
        }
        defer { ASN1_TIME_free(time) }
        let text = MemoryBuffer.text { ASN1_TIME_print_ex($0, time, UInt(ASN1_DTFLGS_ISO8601)) == 1 }
        return text ?? "second \(seconds) since 1970"
    }
}
