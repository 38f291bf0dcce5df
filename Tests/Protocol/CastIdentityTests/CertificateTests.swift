import CCrypto
import Testing

@testable import CastIdentity

@Suite struct CertificateTests {
    @Test func serialNumbersArePositiveLongAndRandom() throws {
        let fixture = try Fixture.shared()
        let certificates =
            [fixture.authority.certificate, fixture.identity.deviceCertificate, fixture.leaf.certificate]
            + fixture.identity.intermediates
        var seen: Set<[UInt8]> = []
        for der in certificates {
            let certificate = try Fixture.parse(der)
            let serial = certificate.withHandle { handle in
                [UInt8](encodingDER: { i2d_ASN1_INTEGER(X509_get_serialNumber(handle), $0) }) ?? []
            }
            #expect(serial.prefix(2) == [0x02, 16])
            #expect(serial.dropFirst(2).first.map { (0x40..<0x80).contains($0) } == true)
            seen.insert(serial)
        }
        #expect(seen.count == certificates.count)
    }

    @Test func subjectsKeepTheirCharacters() throws {
        let der = try CertificateBuilder.start(
            commonName: "Küche", key: try Fixture.shared().spareKey,
            validity: .starting(at: Fixture.now, lasting: 60)
        ).selfSigned(profile: .root)
        let parsed = try Fixture.parse(der)
        let (subject, name) = (parsed.subject, parsed.commonName)
        #expect(subject == "CN=Küche,O=Castway")
        #expect(name == "Küche")
    }

    @Test func timesBeyondTheYear2050AreKept() throws {
        let end: Int64 = 4_000_000_000
        let der = try Fixture.shared().leaf(notBefore: 0, notAfter: end)
        #expect(try Fixture.validity(der) == Validity(notBefore: 0, notAfter: end))
        #expect(CertificateTime.text(end) == "2096-10-02 07:06:40Z")
        #expect(CertificateTime.text(.max) == "second 9223372036854775807 since 1970")
    }

    @Test func keySurvivesItsDERForm() throws {
        let key = try Fixture.shared().spareKey
        #expect(try PrivateKey(der: try key.der()) == key)
        #expect(throws: IdentityError.self) { try PrivateKey(der: Array(try key.der().dropLast())) }
        #expect(throws: IdentityError.self) { try PrivateKey(der: try key.der() + [0]) }
        #expect(OpenSSLErrors.drain() == "no reason given")
    }

    @Test func errorTextsComeFromTheQueueAndEmptyIt() {
        var handle: OpaquePointer?
        handle = BIO_new_file("/nonexistent/file", "r")
        #expect(handle == nil)
        let error = IdentityError.cryptography("open a file")
        #expect(error.description.hasPrefix("could not open a file: error:"))
        #expect(error.description.contains("No such file"))
        #expect(IdentityError.cryptography("go on").description == "could not go on: no reason given")
    }
}
