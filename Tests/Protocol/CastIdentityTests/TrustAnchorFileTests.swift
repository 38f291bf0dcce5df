import CastwayTestSupport
import Testing

@testable import CastIdentity

@Suite struct TrustAnchorFileTests {
    let folder: TemporaryFolder
    let fixture: Fixture

    init() throws {
        self.folder = try TemporaryFolder()
        self.fixture = try Fixture.shared()
    }

    @Test func allCertificatesAreRead() throws {
        let first = try self.fixture.authority.described()
        let second = try self.fixture.otherAuthority.described()
        let key = String(decoding: try self.fixture.spareKey.pem(), as: UTF8.self)
        let text = "A comment.\n" + first.pem + key + "\n" + second.pem + "\nThe end.\n"
        let path = try self.folder.write(text, to: "anchors.pem")
        #expect(try TrustAnchorFile(path: path).certificates == [first.der, second.der])
        #expect(OpenSSLErrors.drain() == "no reason given")
    }

    @Test func damagedCertificatesAreReported() throws {
        let good = try self.fixture.authority.described().pem
        let path = try self.folder.write(good + good.replacing("MII", with: "XYZ"), to: "anchors.pem")
        let error = #expect(throws: IdentityError.self) { try TrustAnchorFile(path: path) }
        #expect(error?.description.hasPrefix("trust anchors \(path): can not be used: error:") == true)
    }

    @Test func fileWithoutCertificatesIsReported() throws {
        let path = try self.folder.write(try self.fixture.spareKey.pem(), to: "key.pem")
        #expect(throws: IdentityError.trustAnchorUnreadable(path: path, reason: "it holds no certificate")) {
            try TrustAnchorFile(path: path)
        }
    }
}
