import CastWire
import CastwayTestSupport
import NIOCore
import SwiftProtobuf
import Testing

/// Compares device authentication's codec with SwiftProtobuf's.
@Suite struct DeviceAuthOracleTests {
    static func randomMessage(_ random: inout SeededGenerator) -> DeviceAuthMessage {
        var message = DeviceAuthMessage()
        if random.once(in: 2) {
            message.challenge = AuthChallenge(
                senderNonce: random.once(in: 2) ? random.bytes(upTo: 20) : nil,
                hashAlgorithm: AuthHashAlgorithm.allCases[random.int(0...1)],
                signatureAlgorithm: AuthSignatureAlgorithm.allCases[random.int(0...2)])
        }
        if random.once(in: 2) {
            message.response = AuthResponse(
                signature: random.bytes(upTo: 260), clientAuthCertificate: random.bytes(upTo: 400),
                intermediateCertificates: (0..<random.int(0...3)).map { _ in random.bytes(upTo: 200) },
                senderNonce: random.once(in: 2) ? random.bytes(upTo: 20) : nil,
                hashAlgorithm: AuthHashAlgorithm.allCases[random.int(0...1)],
                signatureAlgorithm: AuthSignatureAlgorithm.allCases[random.int(0...2)],
                crl: random.once(in: 2) ? random.bytes(upTo: 50) : nil)
        }
        if random.once(in: 3) { message.error = AuthError(AuthError.Kind.allCases[random.int(0...2)]) }
        return message
    }

    @Test(arguments: 1...8) func eachReadsWhatTheOtherWrites(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<250 {
            let message = Self.randomMessage(&random)
            let wire = Array(message.serialize().readableBytesView)
            let oracle = try OracleDeviceAuthMessage(serializedBytes: wire)
            #expect(try DeviceAuthMessage(oracle) == message)
            let theirs: [UInt8] = try oracle.serializedBytes()
            #expect(try DeviceAuthMessage(parsing: ByteBuffer(bytes: theirs)) == message)
        }
    }

    @Test(arguments: 1...16) func bothAgreeOnDamagedMessages(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(1000 + seed))
        var accepted = 0
        var refused = 0
        for _ in 0..<400 {
            var bytes = Array(Self.randomMessage(&random).serialize().readableBytesView)
            for _ in 0..<random.int(1...3) { bytes = random.mutate(bytes) }
            let ours = try? DeviceAuthMessage(parsing: ByteBuffer(bytes: bytes))
            let theirs = try? OracleDeviceAuthMessage(serializedBytes: bytes)
            let hex = ByteBuffer(bytes: bytes).hex
            #expect((ours == nil) == (theirs == nil), "\(hex)")
            if let ours, let theirs {
                accepted += 1
                #expect(try DeviceAuthMessage(theirs) == ours, "\(hex)")
            } else {
                refused += 1
            }
        }
        #expect(accepted > 20 && refused > 20)
    }
}
