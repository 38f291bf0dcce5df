import CCrypto
import GRDB
import StateStore

/// A certificate for HTTPS under the gateway's root, with its key: clients that trust the root, or know the fingerprint, trust it.
package struct ServerCertificate: Sendable, Equatable {
    /// The certificate as DER.
    package let certificate: [UInt8]
    /// The private key as PKCS #8 DER, not encrypted.
    package let privateKey: [UInt8]
    /// The first moment of its validity, in seconds since 1970.
    package let notBefore: Int64
    /// The last moment of its validity, in seconds since 1970.
    package let notAfter: Int64
    /// SHA-256 of ``certificate`` in lower-case hexadecimal digits.
    package let fingerprint: String

    /// As long as clients take certificates of private roots, in seconds.
    private static let lifetime = 825 * CertificateTime.day
    /// The time before its end at which it is replaced, in seconds.
    static let renewalMargin = 30 * CertificateTime.day

    /// A stored one; nil when it is damaged.
    init?(certificate: [UInt8], privateKey: [UInt8]) {
        guard let parsed = Certificate(der: certificate), let validity = parsed.validity,
            let key = try? PrivateKey(der: privateKey), parsed.belongs(to: key),
            let digest = try? HashAlgorithm.sha256.digest(of: certificate)
        else { return nil }
        self.certificate = certificate
        self.privateKey = privateKey
        self.notBefore = validity.notBefore
        self.notAfter = validity.notAfter
        self.fingerprint = digest.hexText
    }

    static func issue(
        for names: ServerNames, by root: RootAuthority, now: Int64
    ) throws(IdentityError) -> ServerCertificate {
        guard let issuer = Certificate(der: root.certificate) else { throw .cryptography("read a certificate") }
        let key = try PrivateKey.generate(.p256)
        // A clock that shows a time before the root existed has not been set yet.
        let start = max(now, root.validity.notBefore + Validity.backdating)
        let validity = Validity(
            notBefore: start - Validity.backdating, notAfter: min(start + Self.lifetime, root.validity.notAfter))
        let certificate = try CertificateBuilder.start(commonName: "Castway API", key: key, validity: validity)
            .signed(profile: .server(names), by: issuer, with: root.key)
        guard let made = ServerCertificate(certificate: certificate, privateKey: try key.der()) else {
            throw .cryptography("read a certificate")
        }
        return made
    }
}

/// The names and addresses that a certificate for HTTPS is good for.
package struct ServerNames: Sendable, Equatable {
    /// Host names in lower case, sorted.
    package let names: [String]
    /// IP addresses as text, sorted.
    package let addresses: [String]

    /// Takes names and addresses; what is no host name is left out.
    /// - Parameter addresses: canonical texts of IP addresses.
    package init(names: some Sequence<String>, addresses: some Sequence<String>) {
        let allowed = Set("abcdefghijklmnopqrstuvwxyz0123456789.-".utf8)
        self.names = Set(names.map { $0.lowercased() })
            .filter { (1...253).contains($0.utf8.count) && $0.utf8.allSatisfy(allowed.contains) }.sorted()
        self.addresses = Set(addresses).filter { !$0.isEmpty && $0.utf8.allSatisfy { $0 != 0x2C && $0 > 0x20 } }
            .sorted()
    }

    /// As the extension of a certificate has them.
    var text: String {
        (self.names.map { "DNS:\($0)" } + self.addresses.map { "IP:\($0)" }).joined(separator: ",")
    }
}

extension IdentityStore {
    /// The certificate for HTTPS, made on first use, and anew under another root, for other names, thirty days before its end, and when it begins later
    /// than now.
    ///
    /// One that cannot be stored is made all the same, and is another after the next start.
    /// - Parameters:
    ///   - names: what it has to be good for.
    ///   - now: seconds since 1970.
    /// - Throws: ``IdentityError/rootExpired(notAfter:)``, ``IdentityError/cryptographyFailed(action:reason:)`` or a database error.
    package func serverCertificate(for names: ServerNames, now: Int64) throws(IdentityError) -> ServerCertificate {
        let root = try self.authority(now: now)
        do {
            try ServerRow.schema.migrate(self.database)
        } catch {
            throw IdentityError(database: error, path: self.database.path)
        }
        let stored = try self.database.reading { try ServerRow.fetch($0) }
        if let stored, stored.rootFingerprint == root.fingerprint, stored.names == names.text,
            // One from the future stems from a wrong clock, unless the clock is not set yet.
            stored.certificate.notBefore <= max(now, root.validity.notBefore),
            stored.certificate.notAfter - now > min(ServerCertificate.renewalMargin, root.validity.notAfter - now - 1)
        {
            return stored.certificate
        }
        let made = try ServerCertificate.issue(for: names, by: root, now: now)
        guard self.volatility == nil else { return made }
        let row = ServerRow(certificate: made, names: names.text, rootFingerprint: root.fingerprint)
        try self.database.writing { try row.save($0) }
        return made
    }
}

/// The one row of `server_certificate`: the certificate for HTTPS.
struct ServerRow {
    let certificate: ServerCertificate
    let names: String
    let rootFingerprint: String

    /// Apart from the identity tables, so that an older Castway goes on with those.
    static let schema = StateSchema(
        part: "server", tables: "the table of the certificate for HTTPS is",
        steps: [
            StateSchema.sql(
                """
                CREATE TABLE server_certificate (
                    id INTEGER PRIMARY KEY CHECK (id = 1),
                    certificate BLOB NOT NULL,
                    private_key BLOB NOT NULL,
                    names TEXT NOT NULL,
                    root_fingerprint TEXT NOT NULL
                ) STRICT;
                """)
        ])

    /// The stored one; nil when there is none or it is damaged, for it is easily replaced.
    static func fetch(_ db: Database) throws -> ServerRow? {
        let sql = "SELECT certificate, private_key, names, root_fingerprint FROM server_certificate"
        guard let row = try Row.fetchOne(db, sql: sql),
            let certificate = ServerCertificate(
                certificate: try row.decode(Blob.self, forColumn: "certificate").bytes,
                privateKey: try row.decode(Blob.self, forColumn: "private_key").bytes)
        else { return nil }
        return ServerRow(
            certificate: certificate, names: try row.decode(String.self, forColumn: "names"),
            rootFingerprint: try row.decode(String.self, forColumn: "root_fingerprint"))
    }

    /// Stores it in place of an earlier one.
    func save(_ db: Database) throws {
        try db.execute(
            sql: """
                INSERT OR REPLACE INTO server_certificate (id, certificate, private_key, names, root_fingerprint)
                VALUES (1, ?, ?, ?, ?)
                """,
            arguments: [
                Blob(self.certificate.certificate), Blob(self.certificate.privateKey), self.names, self.rootFingerprint,
            ])
    }
}

extension CertificateProfile {
    static func server(_ names: ServerNames) -> CertificateProfile {
        CertificateProfile(extensions: [
            (NID_basic_constraints, "CA:false"), (NID_key_usage, "critical,digitalSignature"),
            (NID_ext_key_usage, "serverAuth"), (NID_subject_alt_name, names.text),
        ])
    }
}
