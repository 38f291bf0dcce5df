import GRDB

/// Access to `identity_leaf`, which holds each device's newest TLS leaf.
enum LeafRecord {
    /// The device's leaf; `nil` when there is none or it is damaged, for a leaf is easily replaced.
    static func fetch(_ db: Database, deviceUUID: String) throws -> TLSLeaf? {
        let sql = "SELECT certificate, private_key FROM identity_leaf WHERE device_uuid = ?"
        guard let row = try Row.fetchOne(db, sql: sql, arguments: [deviceUUID]) else { return nil }
        return TLSLeaf(
            certificate: try row.decode(Blob.self, forColumn: "certificate").bytes,
            privateKey: try row.decode(Blob.self, forColumn: "private_key").bytes)
    }

    /// Stores the leaf in place of an earlier one.
    static func save(_ db: Database, leaf: TLSLeaf, deviceUUID: String) throws {
        try db.execute(
            sql: "INSERT OR REPLACE INTO identity_leaf (device_uuid, certificate, private_key) VALUES (?, ?, ?)",
            arguments: [deviceUUID, Blob(leaf.certificate), Blob(leaf.privateKey)])
    }
}
