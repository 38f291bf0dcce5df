import GRDB

@testable import CastIdentity

/// What the tests share, because keys are slow to make. All of it is made for the moment ``now``.
struct Fixture: Sendable {
    /// The tests' present: 2027-01-15 08:00:00 UTC.
    static let now: Int64 = 1_800_000_000
    static let day: Int64 = 86_400
    static let nonce: [UInt8] = Array(0..<16)

    private static let made = Result { try Fixture() }

    /// The one fixture of the test run.
    static func shared() throws -> Fixture {
        try Self.made.get()
    }

    let authority: RootAuthority
    let otherAuthority: RootAuthority
    let identity: DeviceIdentity
    let leaf: TLSLeaf
    let spareKey: PrivateKey

    private init() throws {
        self.authority = try RootAuthority.generate(now: Self.now)
        self.otherAuthority = try RootAuthority.generate(now: Self.now)
        let store = try Self.store(root: self.authority)
        self.identity = try store.loadOrCreate(device: "Kitchen", now: Self.now)
        self.leaf = try store.currentLeaf(for: self.identity, now: Self.now)
        self.spareKey = try PrivateKey.generate()
    }

    /// A store in memory, with `root` as the generated root when there is one.
    static func store(root: RootAuthority? = nil) throws -> IdentityStore {
        let store = try IdentityStore(database: try DatabaseQueue())
        if let root { try Self.save(root, in: store) }
        return store
    }

    /// Makes `root` the generated root of `store`.
    static func save(_ root: RootAuthority, in store: IdentityStore) throws {
        let record = RootRow(certificate: root.certificate, privateKey: try root.key.der())
        try store.database.write { try record.save($0) }
    }

    /// A certificate that must be readable.
    static func parse(_ der: [UInt8]) throws -> Certificate {
        guard let certificate = Certificate(der: der) else { throw IdentityError.cryptography("read a certificate") }
        return certificate
    }

    /// The validity of a certificate that must be readable.
    static func validity(_ der: [UInt8]) throws -> Validity? {
        try Self.parse(der).validity
    }

    /// `authority` as the operator would configure it.
    static func pem(_ authority: RootAuthority) throws -> RootSource {
        .pem(certificate: Array(try authority.described().pem.utf8), privateKey: try authority.key.pem())
    }

    /// What the shared identity sends for a nonce and a leaf.
    func proof(
        nonce: [UInt8] = Fixture.nonce, leaf: [UInt8]? = nil, hash: HashAlgorithm = .sha256
    ) throws -> DeviceAuthProof {
        DeviceAuthProof(
            signature: try self.identity.sign(nonce: nonce, leaf: leaf ?? self.leaf.certificate, hash: hash),
            deviceCertificate: self.identity.deviceCertificate, intermediates: self.identity.intermediates,
            hash: hash, nonce: nonce)
    }

    /// A leaf that ends at `notAfter`, with a key made earlier.
    func leaf(notBefore: Int64, notAfter: Int64) throws -> [UInt8] {
        try CertificateBuilder.start(
            commonName: "leaf", key: self.spareKey, validity: Validity(notBefore: notBefore, notAfter: notAfter)
        ).selfSigned(profile: .tlsLeaf(.rsa))
    }
}
