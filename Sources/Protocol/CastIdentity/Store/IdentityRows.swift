import FoundationEssentials
import GRDB
import StateStore

extension StateSchema {
    static let identity = StateSchema(
        part: "identity", tables: "the identity tables are",
        steps: [
            Self.sql(
                """
                CREATE TABLE identity_root (
                    id INTEGER PRIMARY KEY CHECK (id = 1),
                    certificate BLOB NOT NULL,
                    private_key BLOB NOT NULL
                ) STRICT;
                CREATE TABLE identity_device (
                    name TEXT PRIMARY KEY,
                    uuid TEXT NOT NULL UNIQUE,
                    private_key BLOB NOT NULL,
                    certificate BLOB NOT NULL,
                    intermediate BLOB NOT NULL,
                    root_fingerprint TEXT NOT NULL
                ) STRICT;
                CREATE TABLE identity_leaf (
                    device_uuid TEXT PRIMARY KEY REFERENCES identity_device (uuid) ON DELETE CASCADE,
                    certificate BLOB NOT NULL,
                    private_key BLOB NOT NULL
                ) STRICT;
                """)
        ])

    /// Brings the identity tables up to date, with failures as ``IdentityError``.
    static func migrateIdentities(_ database: any DatabaseWriter) throws(IdentityError) {
        do {
            try Self.identity.migrate(database)
        } catch {
            throw IdentityError(database: error, path: database.path)
        }
    }
}

/// The one row of `identity_root`: the root that Castway made.
struct RootRow {
    let certificate: [UInt8]
    let privateKey: [UInt8]

    /// The stored root, if there is one.
    static func fetch(_ db: Database) throws -> RootRow? {
        guard let row = try Row.fetchOne(db, sql: "SELECT certificate, private_key FROM identity_root") else {
            return nil
        }
        return RootRow(
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

struct DeviceRow {
    let name: String
    let uuid: String
    let privateKey: [UInt8]
    let chain: DeviceChain

    private static let columns = "name, uuid, private_key, certificate, intermediate, root_fingerprint"

    init(name: String, uuid: DeviceUUID, privateKey: [UInt8], chain: DeviceChain) {
        self.name = name
        self.uuid = uuid.text
        self.privateKey = privateKey
        self.chain = chain
    }

    private init(_ row: Row) throws {
        self.name = try row.decode(String.self, forColumn: "name")
        self.uuid = try row.decode(String.self, forColumn: "uuid")
        self.privateKey = try row.decode(Blob.self, forColumn: "private_key").bytes
        self.chain = DeviceChain(
            device: try row.decode(Blob.self, forColumn: "certificate").bytes,
            intermediate: try row.decode(Blob.self, forColumn: "intermediate").bytes,
            rootFingerprint: try row.decode(String.self, forColumn: "root_fingerprint"))
    }

    /// The device of that name, if there is one.
    static func fetch(_ db: Database, name: String) throws -> DeviceRow? {
        try Row.fetchOne(db, sql: "SELECT \(Self.columns) FROM identity_device WHERE name = ?", arguments: [name])
            .map(DeviceRow.init)
    }

    static func fetchAll(_ db: Database) throws -> [DeviceRow] {
        try Row.fetchAll(db, sql: "SELECT \(Self.columns) FROM identity_device ORDER BY name").map(DeviceRow.init)
    }

    func insert(_ db: Database) throws {
        try db.execute(
            sql: "INSERT INTO identity_device (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?)",
            arguments: [
                self.name, self.uuid, Blob(self.privateKey), Blob(self.chain.device), Blob(self.chain.intermediate),
                self.chain.rootFingerprint,
            ])
    }

    static func replaceChain(_ db: Database, name: String, chain: DeviceChain) throws {
        try db.execute(
            sql: "UPDATE identity_device SET certificate = ?, intermediate = ?, root_fingerprint = ? WHERE name = ?",
            arguments: [Blob(chain.device), Blob(chain.intermediate), chain.rootFingerprint, name])
    }

    /// The identity in usable form, once key and certificate are known to belong together.
    func identity() throws(IdentityError) -> DeviceIdentity {
        guard let uuid = DeviceUUID(self.uuid) else { throw self.damaged("its UUID is malformed") }
        let key: PrivateKey
        do {
            key = try PrivateKey(der: self.privateKey)
        } catch {
            throw self.damaged("its key is not readable")
        }
        guard let certificate = Certificate(der: self.chain.device), Certificate(der: self.chain.intermediate) != nil
        else { throw self.damaged("its certificates are not readable") }
        guard certificate.belongs(to: key) else { throw self.damaged("certificate and key do not match") }
        return DeviceIdentity(name: self.name, uuid: uuid, key: key, chain: self.chain)
    }

    private func damaged(_ reason: String) -> IdentityError {
        .storedIdentityDamaged(subject: "device \(self.name)", reason: reason)
    }
}

/// Access to `identity_leaf`, which holds each device's newest TLS leaf.
enum LeafRow {
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

/// Bytes on their way into and out of the state database, which speaks `Data`.
struct Blob: DatabaseValueConvertible, Equatable, Sendable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var databaseValue: DatabaseValue {
        Data(self.bytes).databaseValue
    }

    static func fromDatabaseValue(_ value: DatabaseValue) -> Blob? {
        Data.fromDatabaseValue(value).map { Blob([UInt8]($0)) }
    }
}
