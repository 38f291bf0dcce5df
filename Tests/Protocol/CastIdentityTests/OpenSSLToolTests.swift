import CastwayTestSupport
import Testing

@testable import CastIdentity

/// The same certificates and signatures, judged by another program.
@Suite(.enabled(if: OpenSSLTool.isInstalled)) struct OpenSSLToolTests {
    let fixture: Fixture
    let directory: TemporaryFolder

    init() throws {
        self.directory = try TemporaryFolder()
        self.fixture = try Fixture.shared()
    }

    @Test func chainVerifies() throws {
        let root = try self.certificate("root.pem", self.fixture.authority.certificate)
        let intermediate = try self.certificate("intermediate.pem", self.fixture.identity.intermediates[0])
        let device = try self.certificate("device.pem", self.fixture.identity.deviceCertificate)
        let common = [
            "verify", "-attime", "\(Fixture.now)", "-x509_strict", "-purpose", "sslclient", "-auth_level", "2",
            "-CAfile", root,
        ]
        let whole = try OpenSSLTool.run(common + ["-untrusted", intermediate, device])
        #expect(whole.code == 0, "\(whole.output)")
        let gap = try OpenSSLTool.run(common + [device])
        #expect(gap.code != 0)
    }

    @Test(arguments: HashAlgorithm.allCases, TLSKeyKind.allCases)
    func signatureVerifies(hash: HashAlgorithm, kind: TLSKeyKind) throws {
        let leaf = try TLSLeaf.generate(commonName: "leaf", key: kind, now: Fixture.now).certificate
        for nonce in [Fixture.nonce, []] { try self.expectSignature(hash: hash, nonce: nonce, leaf: leaf) }
    }

    private func expectSignature(hash: HashAlgorithm, nonce: [UInt8], leaf: [UInt8]) throws {
        let device = try self.certificate("device.pem", self.fixture.identity.deviceCertificate)
        let key = self.directory.file("key.pem")
        let extracted = try OpenSSLTool.run(["x509", "-in", device, "-noout", "-pubkey", "-out", key])
        #expect(extracted.code == 0, "\(extracted.output)")

        let signature = try self.directory.write(
            try self.fixture.identity.sign(nonce: nonce, leaf: leaf, hash: hash), to: "signature")
        let digest = ["dgst", hash == .sha1 ? "-sha1" : "-sha256", "-verify", key, "-signature", signature]
        let good = try OpenSSLTool.run(digest + [try self.directory.write(nonce + leaf, to: "signed")])
        #expect(good.code == 0, "\(good.output)")
        let bad = try OpenSSLTool.run(digest + [try self.directory.write(nonce + leaf + [0], to: "other")])
        #expect(bad.code != 0)
    }

    @Test func certificatesSayWhatSendersWant() throws {
        let root = try self.text(self.fixture.authority.certificate)
        #expect(root.contains("Version: 3 (0x2)"))
        #expect(root.contains("Signature Algorithm: sha256WithRSAEncryption"))
        #expect(root.contains("Basic Constraints: critical\n                CA:TRUE\n"))
        #expect(root.contains("Key Usage: critical\n                Certificate Sign, CRL Sign\n"))

        let intermediate = try self.text(self.fixture.identity.intermediates[0])
        #expect(intermediate.contains("Basic Constraints: critical\n                CA:TRUE, pathlen:0\n"))
        #expect(intermediate.contains("Key Usage: critical\n                Certificate Sign, CRL Sign\n"))
        #expect(intermediate.contains("Extended Key Usage: \n                TLS Web Client Authentication\n"))

        let device = try self.text(self.fixture.identity.deviceCertificate)
        #expect(device.contains("Subject: O = Castway, CN = \(self.fixture.identity.idHex.uppercased())\n"))
        #expect(device.contains("Basic Constraints: \n                CA:FALSE\n"))
        #expect(device.contains("Key Usage: critical\n                Digital Signature\n"))
        #expect(device.contains("Extended Key Usage: \n                TLS Web Client Authentication\n"))
        #expect(device.contains("Public-Key: (2048 bit)"))
    }

    @Test(arguments: TLSKeyKind.allCases) func leafKeyIsPlainPKCS8(kind: TLSKeyKind) throws {
        let leaf = try TLSLeaf.generate(commonName: "leaf", key: kind, now: Fixture.now)
        let key = try self.directory.write(leaf.privateKey, to: "leaf.key")
        let result = try OpenSSLTool.run(["pkcs8", "-inform", "DER", "-nocrypt", "-in", key, "-out", "/dev/null"])
        #expect(result.code == 0, "\(result.output)")
    }

    @Test(arguments: TLSKeyKind.allCases) func leafIsACertificateForServers(kind: TLSKeyKind) throws {
        let leaf = try TLSLeaf.generate(commonName: "leaf", key: kind, now: Fixture.now)
        let file = try self.certificate("leaf.pem", leaf.certificate)
        let result = try OpenSSLTool.run([
            "verify", "-attime", "\(Fixture.now)", "-x509_strict", "-purpose", "sslserver", "-CAfile", file, file,
        ])
        #expect(result.code == 0, "\(result.output)")
        let text = try self.text(leaf.certificate)
        switch kind {
        case .p256:
            #expect(text.contains("ASN1 OID: prime256v1"))
            #expect(text.contains("Signature Algorithm: ecdsa-with-SHA256"))
            #expect(text.contains("Key Usage: critical\n                Digital Signature\n"))
        case .rsa:
            #expect(text.contains("Public-Key: (2048 bit)"))
            #expect(text.contains("Key Usage: critical\n                Digital Signature, Key Encipherment\n"))
        }
    }

    private func certificate(_ name: String, _ der: [UInt8]) throws -> String {
        try self.directory.write(try Fixture.parse(der).pem(), to: name)
    }

    private func text(_ der: [UInt8]) throws -> String {
        let file = try self.directory.write(der, to: "any.der")
        return try OpenSSLTool.run(["x509", "-inform", "DER", "-in", file, "-noout", "-text"]).output
    }
}
