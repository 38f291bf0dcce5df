import CastWire
import CastwayTestSupport
import NIOCore
import Testing

@Suite struct CRLBundleTests {
    static let hash = [UInt8](0..<32)
    static let contents = CRLContents(
        notBefore: 1_700_000_000, notAfter: 1_900_000_000, revokedKeyHashes: [Self.hash, Self.hash.reversed()],
        revokedSerialNumbers: [SerialNumberRange(issuerKeyHash: Self.hash, first: 7, last: .max)])

    /// The fields by number, byte by byte (protocol notes, 2.8).
    @Test func contentsHaveTheirFields() throws {
        let small = CRLContents(
            version: 1, notBefore: 2, notAfter: 3, revokedKeyHashes: [Self.hash],
            revokedSerialNumbers: [SerialNumberRange(issuerKeyHash: Self.hash, first: 4, last: 5)])
        let hash = ByteBuffer(bytes: Self.hash).hex
        let wire = "0801" + "1002" + "1803" + "2220" + hash + "2a26" + "0a20" + hash + "1004" + "1805"
        #expect(small.serialize().hex == wire)
        #expect(try CRLContents(parsing: ByteBuffer(hex: wire)) == small)
    }

    @Test func bundleKeepsWhatIsSignedByteForByte() throws {
        // An unknown field is part of what was signed.
        let signed = Array(Self.contents.serialize().readableBytesView) + [0x48, 0x01]
        let bundle = CRLBundle([SignedCRL(contents: signed, signerCertificate: [1], signature: [2, 3])])
        let read = try CRLBundle(parsing: bundle.serialize())
        #expect(read == bundle)
        #expect(read.lists.first?.contents == signed)
        #expect(try CRLContents(parsing: ByteBuffer(bytes: signed)) == Self.contents)
    }

    @Test func emptyBundleHasNoLists() throws {
        #expect(try CRLBundle(parsing: ByteBuffer()).lists == [])
        #expect(try CRLContents(parsing: ByteBuffer()) == CRLContents(notBefore: 0, notAfter: 0))
    }

    @Test(arguments: [
        ("0a06 120101 1a0101", WireError.missingField(number: 1)),
        ("0a06 0a0101 1a0101", WireError.missingField(number: 2)),
        ("0a06 0a0101 120101", WireError.missingField(number: 3)),
        ("0a07 0a0101 120101", WireError.truncatedMessage),
    ])
    func listsMustBeWhole(_ wire: String, _ error: WireError) {
        #expect(throws: error) { try CRLBundle(parsing: ByteBuffer(hex: wire)) }
    }

    @Test func listsAreLimited() throws {
        let list = SignedCRL(contents: [], signerCertificate: [], signature: [])
        let most = CRLBundle(Array(repeating: list, count: CRLBundle.maximumLists))
        #expect(try CRLBundle(parsing: most.serialize()) == most)
        let tooMany = CRLBundle(most.lists + [list])
        #expect(throws: WireError.malformedField(number: 1)) { try CRLBundle(parsing: tooMany.serialize()) }
    }

    @Test(arguments: [0, 31, 33]) func hashesMustHaveTheirLength(_ length: Int) {
        let hash = [UInt8](repeating: 9, count: length)
        let keys = CRLContents(notBefore: 0, notAfter: 0, revokedKeyHashes: [hash])
        #expect(throws: WireError.malformedField(number: 4)) { try CRLContents(parsing: keys.serialize()) }
        let serials = CRLContents(
            notBefore: 0, notAfter: 0,
            revokedSerialNumbers: [SerialNumberRange(issuerKeyHash: hash, first: 0, last: 0)])
        #expect(throws: WireError.malformedField(number: 1)) { try CRLContents(parsing: serials.serialize()) }
        #expect(throws: WireError.missingField(number: 1)) { try CRLContents(parsing: ByteBuffer(hex: "2a02 1001")) }
    }

    @Test func everyTruncationIsAnErrorOrSomethingSmaller() throws {
        let list = SignedCRL(
            contents: Array(Self.contents.serialize().readableBytesView), signerCertificate: [1], signature: [2])
        let whole = Array(CRLBundle([list]).serialize().readableBytesView)
        for length in 1..<whole.count {
            #expect(throws: WireError.truncatedMessage) {
                try CRLBundle(parsing: ByteBuffer(bytes: whole.prefix(length)))
            }
        }
    }
}
