import CCrypto
import CastClient
import CastWire
import CastwayTestSupport
import NIOCore

@testable import CastIdentity

/// A device's identity, with two roots: one that vouches for it and one that does not. Keys take their time, so all tests
/// share one.
struct ProvingIdentity: Sendable {
    /// The moment for which fake devices make their certificate.
    static let now: Int64 = 1_800_000_000
    static let day: Int64 = 86_400

    private static let made = Result { try ProvingIdentity() }

    static func shared() throws -> ProvingIdentity { try Self.made.get() }

    let identity: DeviceIdentity
    /// A certificate for the same key with the policy that limits a device to audio.
    let audioOnlyCertificate: [UInt8]
    /// PEM files of the root that vouches for the device, and of another.
    let root: String
    let otherRoot: String
    /// What signs revocation lists, with its PEM file.
    let listAuthority: RootAuthority
    let listRoot: String
    private let folder: TemporaryFolder

    private init() throws {
        self.folder = try TemporaryFolder()
        let authority = try RootAuthority.generate(now: Self.now)
        guard let rootCertificate = Certificate(der: authority.certificate) else {
            throw IdentityError.cryptography("read a certificate")
        }
        let key = try PrivateKey.generate()
        let uuid = try DeviceUUID.random()
        self.identity = DeviceIdentity(
            name: "proving", uuid: uuid, key: key, chain: try authority.issueChain(for: key, uuid: uuid, now: Self.now))
        // A sequence of the one policy 1.3.6.1.4.1.11129.2.5.2.
        let policy = (NID_certificate_policies, "DER:300E300C060A2B06010401D679020502")
        self.audioOnlyCertificate = try CertificateBuilder.start(
            commonName: "speaker", key: key, validity: .starting(at: Self.now, lasting: Self.day)
        ).signed(
            profile: CertificateProfile(extensions: CertificateProfile.device.extensions + [policy]),
            by: rootCertificate, with: authority.key)
        self.root = try self.folder.write(try authority.described().pem, to: "root.pem")
        self.otherRoot = try self.folder.write(try RootAuthority.generate(now: Self.now).described().pem, to: "o.pem")
        self.listAuthority = try RootAuthority.generate(now: Self.now)
        self.listRoot = try self.folder.write(try self.listAuthority.described().pem, to: "list.pem")
    }

    /// The reply to a challenge that holds.
    /// - Parameter recorded: the nonce that is signed and repeated instead of the challenge's.
    func response(to challenge: AuthChallenge, recorded: [UInt8]? = nil, crl: [UInt8]? = nil) -> AuthResponse? {
        let nonce = recorded ?? challenge.senderNonce ?? []
        guard let leaf = try? FakeDevice.leaf(),
            let signature = try? self.identity.sign(
                nonce: nonce, leaf: leaf, hash: challenge.hashAlgorithm == .sha1 ? .sha1 : .sha256)
        else { return nil }
        return AuthResponse(
            signature: signature, clientAuthCertificate: self.identity.deviceCertificate,
            intermediateCertificates: self.identity.intermediates, senderNonce: nonce.isEmpty ? nil : nonce,
            hashAlgorithm: challenge.hashAlgorithm, crl: crl)
    }

    /// A bundle with one list, signed by the root for lists.
    func bundle(_ contents: CRLContents) throws -> [UInt8] {
        let signed = Array(contents.serialize().readableBytesView)
        let list = SignedCRL(
            contents: signed, signerCertificate: self.listAuthority.certificate,
            signature: try self.listAuthority.key.signature(over: signed, hash: .sha256))
        return Array(CRLBundle([list]).serialize().readableBytesView)
    }

    /// The hash by which lists name the device's key.
    func deviceKeyHash() throws -> [UInt8] {
        guard let certificate = Certificate(der: self.identity.deviceCertificate) else {
            throw IdentityError.cryptography("read a certificate")
        }
        return try certificate.keyHash()
    }
}
