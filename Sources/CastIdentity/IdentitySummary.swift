import GRDB
import Glibc

/// What a state directory holds of identities, found out without changing anything, also beside a gateway that runs.
public struct IdentitySummary: Sendable, Equatable {
    /// When a certificate may be used, both ends included, in seconds since 1970.
    public struct Span: Sendable, Equatable {
        /// The first moment.
        public let notBefore: Int64
        /// The last moment.
        public let notAfter: Int64
    }

    /// The root; `nil` when it has not been made yet.
    public let root: Span?

    /// The newest TLS certificate of each virtual device that has one, by the device's name.
    public let leaves: [String: Span]

    /// Looks.
    ///
    /// - Parameters:
    ///   - stateDirectory: A path; nothing is there before the first run.
    ///   - root: Where the root comes from.
    /// - Throws: A root error when the PEM pair can not be used, a database error when the file can not be read.
    public static func read(stateDirectory: String, root: RootSource) throws(IdentityError) -> IdentitySummary {
        var span: Span?
        if case .pem(let certificate, let privateKey) = root {
            span = Span(try RootAuthority(pemCertificate: certificate, pemKey: privateKey).validity)
        }
        guard access(StateDatabase.path(in: stateDirectory), F_OK) == 0 else {
            return IdentitySummary(root: span, leaves: [:])
        }
        let copy = try StateDatabase.copyToMemory(directory: stateDirectory)
        // A database of an older Castway lacks tables; the copy is brought up to date, the file stays.
        try IdentitySchema.migrate(copy)
        if span == nil, let own = try copy.look({ try RootRecord.fetch($0) }) {
            span = Span(try own.authority().validity)
        }
        let leaves = try copy.look { db in
            var leaves: [String: Span] = [:]
            for device in try DeviceRecord.fetchAll(db) {
                guard let leaf = try LeafRecord.fetch(db, deviceUUID: device.uuid) else { continue }
                leaves[device.name] = Span(Validity(notBefore: leaf.notBefore, notAfter: leaf.notAfter))
            }
            return leaves
        }
        return IdentitySummary(root: span, leaves: leaves)
    }
}

extension IdentitySummary.Span {
    fileprivate init(_ validity: Validity) {
        self.init(notBefore: validity.notBefore, notAfter: validity.notAfter)
    }
}
