import GRDB

/// A row of `identity_device`.
struct DeviceRecord {
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
    static func fetch(_ db: Database, name: String) throws -> DeviceRecord? {
        try Row.fetchOne(db, sql: "SELECT \(Self.columns) FROM identity_device WHERE name = ?", arguments: [name])
            .map(DeviceRecord.init)
    }

    /// All devices in the order of their names.
    static func fetchAll(_ db: Database) throws -> [DeviceRecord] {
        try Row.fetchAll(db, sql: "SELECT \(Self.columns) FROM identity_device ORDER BY name").map(DeviceRecord.init)
    }

    /// Adds the device.
    func insert(_ db: Database) throws {
        try db.execute(
            sql: "INSERT INTO identity_device (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?)",
            arguments: [
                self.name, self.uuid, Blob(self.privateKey), Blob(self.chain.device), Blob(self.chain.intermediate),
                self.chain.rootFingerprint,
            ])
    }

    /// Gives the stored device another chain.
    static func replaceChain(_ db: Database, name: String, chain: DeviceChain) throws {
        try db.execute(
            sql: "UPDATE identity_device SET certificate = ?, intermediate = ?, root_fingerprint = ? WHERE name = ?",
            arguments: [Blob(chain.device), Blob(chain.intermediate), chain.rootFingerprint, name])
    }

    /// The identity in usable form, after a look at whether key and certificate belong together.
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
