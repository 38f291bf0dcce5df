import CastWire
import NIOCore
import Testing

@Suite struct DeviceAuthMessageTests {
    @Test func emptyChallengeHasTheDefaults() throws {
        let message = try DeviceAuthMessage(parsing: ByteBuffer(hex: "0a00"))
        let challenge = try #require(message.challenge)
        #expect(challenge.signatureAlgorithm == .rsassaPKCS1v15)
        #expect(challenge.hashAlgorithm == .sha1)
        #expect(challenge.senderNonce == nil)
        #expect(message.response == nil)
        #expect(message.error == nil)
        #expect(DeviceAuthMessage(challenge: AuthChallenge()).serialize().hex == "0a00")
    }

    /// The challenge of a Chromium 156, as it was recorded.
    @Test func chromiumsChallengeIsRead() throws {
        let wire = ByteBuffer(hex: "0a14 1210 85da2a625a4de9feb0034004b3e9ee44 1801")
        let challenge = try #require(try DeviceAuthMessage(parsing: wire).challenge)
        #expect(challenge.senderNonce?.count == 16)
        #expect(challenge.senderNonce?.first == 0x85)
        #expect(challenge.hashAlgorithm == .sha256)
        #expect(DeviceAuthMessage(challenge: challenge).serialize() == wire)
    }

    @Test func emptyPayloadIsAMessageWithoutParts() throws {
        #expect(try DeviceAuthMessage(parsing: ByteBuffer()) == DeviceAuthMessage())
        #expect(DeviceAuthMessage().serialize().readableBytes == 0)
    }

    @Test func emptyNonceAndRevocationListDifferFromNone() throws {
        let response = AuthResponse(signature: [1], clientAuthCertificate: [2], senderNonce: [], crl: [])
        let wire = DeviceAuthMessage(response: response).serialize()
        #expect(wire.hex == "120a" + "0a0101" + "120102" + "2a00" + "3a00")
        #expect(try DeviceAuthMessage(parsing: wire).response == response)
    }

    @Test func intermediatesKeepTheirOrder() throws {
        let response = AuthResponse(
            signature: [9], clientAuthCertificate: [8], intermediateCertificates: [[3], [], [1, 2]])
        let read = try DeviceAuthMessage(parsing: DeviceAuthMessage(response: response).serialize())
        #expect(read.response?.intermediateCertificates == [[3], [], [1, 2]])
    }

    @Test(arguments: AuthError.Kind.allCases) func errorIsWrittenEvenWhenItIsZero(_ kind: AuthError.Kind) throws {
        let wire = DeviceAuthMessage(error: AuthError(kind)).serialize()
        #expect(wire.hex == "1a02080\(kind.rawValue)")
        #expect(try DeviceAuthMessage(parsing: wire).error?.kind == kind)
    }

    @Test func unknownAlgorithmsCountAsAbsent() throws {
        let message = try DeviceAuthMessage(parsing: ByteBuffer(hex: "0a06 0809 1807 1005"))
        #expect(message.challenge == AuthChallenge())
    }

    @Test func unknownFieldsAreSkipped() throws {
        let message = try DeviceAuthMessage(parsing: ByteBuffer(hex: "2001 0a05 7a03616263 2201ff"))
        #expect(message == DeviceAuthMessage(challenge: AuthChallenge()))
    }

    @Test func partThatStandsTwiceIsOnePart() throws {
        let message = try DeviceAuthMessage(parsing: ByteBuffer(hex: "0a04 12020102 0a02 1801"))
        #expect(message.challenge == AuthChallenge(senderNonce: [1, 2], hashAlgorithm: .sha256))
        // The required fields of a response may come in two pieces, but no field may.
        #expect(throws: Never.self) { try DeviceAuthMessage(parsing: ByteBuffer(hex: "1203 0a0101 1203 120102")) }
        #expect(throws: WireError.truncatedMessage) {
            try DeviceAuthMessage(parsing: ByteBuffer(hex: "0a02 1202 0a02 0102"))
        }
    }

    static let malformed: [(hex: String, error: WireError)] = [
        ("0a", .truncatedMessage),
        ("0a01", .truncatedMessage),
        ("0a02 1201", .truncatedMessage),
        ("0a0a 12ffffffffffffffff7f", .truncatedMessage),
        ("0aff ffffffffffffffff01", .truncatedMessage),
        ("0a01 06", .malformedField(number: 0)),
        ("0a02 0e00", .malformedField(number: 1)),
        ("1200", .missingField(number: 1)),
        ("1203 0a0101", .missingField(number: 2)),
        ("1203 120101", .missingField(number: 1)),
        ("1a00", .missingField(number: 1)),
        ("1a02 0803", .invalidValue(number: 1, value: 3)),
    ]

    @Test(arguments: malformed.indices) func malformedBytesThrow(_ index: Int) {
        let sample = Self.malformed[index]
        #expect(throws: sample.error) { try DeviceAuthMessage(parsing: ByteBuffer(hex: sample.hex)) }
    }

    @Test func everyTruncationOfOnePartThrowsAndNoChangeTraps() throws {
        let message = DeviceAuthMessage(
            response: AuthResponse(
                signature: Array(0..<200), clientAuthCertificate: [1, 2, 3], intermediateCertificates: [[4], [5, 6]],
                senderNonce: [7, 8], hashAlgorithm: .sha256, signatureAlgorithm: .rsassaPSS, crl: [9]))
        let whole = Array(message.serialize().readableBytesView)
        #expect(try DeviceAuthMessage(parsing: ByteBuffer(bytes: whole)) == message)
        for length in 1..<whole.count {
            #expect(throws: WireError.self) {
                try DeviceAuthMessage(parsing: ByteBuffer(bytes: whole.prefix(length)))
            }
        }
        for position in whole.indices {
            for value in UInt8.min...UInt8.max {
                var changed = whole
                changed[position] = value
                guard let read = try? DeviceAuthMessage(parsing: ByteBuffer(bytes: changed)) else { continue }
                guard try DeviceAuthMessage(parsing: read.serialize()) == read else {
                    Issue.record("byte \(position) as \(value) does not survive")
                    continue
                }
            }
        }
    }
}
