import GRDB

/// The one row of `identity_root`: the root that Castway made.
struct RootRecord {
    let certificate: [UInt8]
    let privateKey: [UInt8]

    /// The stored root, if there is one.
    static func fetch(_ db: Database) throws -> RootRecord? {
        guard let row = try Row.fetchOne(db, sql: "SELECT certificate, private_key FROM identity_root") else {
            return nil
        }
        return RootRecord(
            certificate: try row.decode(Blob.self, forColumn: "certificate").bytes,
            privateKey: try row.decode(Blob.self, forColumn: "private_key").bytes)
    }

    /// Stores the root in place of an earlier one.
    func save(_ db: Database) throws {
        try db.execute(
            sql: "INSERT OR REPLACE INTO identity_root (id, certificate, private_key) VALUES (1, ?, ?)",
            arguments: [Blob(self.certificate), Blob(self.privateKey)])
    }

    /// The root in usable form.
    func authority() throws(IdentityError) -> RootAuthority {
        let key: PrivateKey
        do {
            key = try PrivateKey(der: self.privateKey)
        } catch {
            throw .storedIdentityDamaged(subject: "developer root", reason: "its key is not readable")
        }
        return try RootAuthority(stored: self.certificate, key: key)
    }
}
