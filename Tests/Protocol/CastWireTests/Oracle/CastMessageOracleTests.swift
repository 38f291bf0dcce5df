import CastWire
import CastwayTestSupport
import NIOCore
import SwiftProtobuf
import Testing

/// Compares the codec with SwiftProtobuf's.
@Suite struct CastMessageOracleTests {
    private static func randomMessage(_ random: inout SeededGenerator) -> CastMessage {
        CastMessage(
            source: EndpointID(rawValue: "s" + random.text(upTo: 12)),
            destination: EndpointID(rawValue: "d" + random.text(upTo: 200)),
            namespace: Namespace(rawValue: "n" + random.text(upTo: 40)),
            payload: random.once(in: 2)
                ? .text(random.text(upTo: 300)) : .binary(ByteBuffer(bytes: random.bytes(upTo: 300))))
    }

    @Test(arguments: 1...8) func oracleReadsWhatCastwayWrites(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<250 {
            let message = Self.randomMessage(&random)
            let wire = message.wire
            #expect(wire.count == message.serializedLength)
            #expect(try OracleCastMessage(serializedBytes: wire) == OracleCastMessage(message))
        }
    }

    @Test(arguments: 1...8) func castwayReadsWhatTheOracleWrites(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(100 + seed))
        for _ in 0..<250 {
            let message = Self.randomMessage(&random)
            var oracle = OracleCastMessage(message)
            oracle.protocolVersion = OracleCastMessage.ProtocolVersion.allCases[random.int(0...3)]
            if random.once(in: 3) { oracle.continued = random.once(in: 2) }
            if random.once(in: 3) { oracle.remainingLength = UInt32(truncatingIfNeeded: random.next()) }

            var read = try CastMessage(wire: oracle.serializedBytes())
            // Nothing that the oracle wrote is lost on the way through; the version alone becomes 1.0.
            oracle.protocolVersion = .castv210
            #expect(try OracleCastMessage(serializedBytes: read.wire) == oracle)
            #expect((read.unknownFields != nil) == (oracle.hasContinued || oracle.hasRemainingLength))
            read.unknownFields = nil
            #expect(read == message)
        }
    }

    @Test(arguments: 1...16) func bothAgreeOnDamagedMessages(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(1000 + seed))
        var accepted = 0
        var refused = 0
        for _ in 0..<400 {
            var message = Self.randomMessage(&random)
            if random.once(in: 2) { message.unknownFields = CastMessage.sampleWithUnknownFields.unknownFields }
            var bytes = message.wire
            for _ in 0..<random.int(1...3) { bytes = random.mutate(bytes) }

            let ours = try? CastMessage(wire: bytes)
            let theirs = try? OracleCastMessage(serializedBytes: bytes)
            let hex = ByteBuffer(bytes: bytes).hex
            switch (ours, theirs) {
            case (nil, nil): refused += 1
            case (.some(let ours), .some(let theirs)):
                accepted += 1
                #expect(!theirs.breaksTheStricterRules, "\(hex)")
                #expect(ours.source.rawValue == theirs.sourceID, "\(hex)")
                #expect(ours.destination.rawValue == theirs.destinationID, "\(hex)")
                #expect(ours.namespace.rawValue == theirs.namespace, "\(hex)")
                switch ours.payload {
                case .text(let text): #expect(String(buffer: text) == theirs.payloadUtf8, "\(hex)")
                case .binary(let bytes):
                    #expect(Array(bytes.readableBytesView) == Array(theirs.payloadBinary), "\(hex)")
                }
            case (.some, nil):
                // Castway reads versions that do not exist yet.
                let partial = try? OracleCastMessage(serializedBytes: bytes, partial: true)
                #expect(partial?.lacksOnlyItsVersion == true, "\(hex)")
            case (nil, .some(let theirs)):
                #expect(theirs.breaksTheStricterRules, "\(hex)")
            }
        }
        #expect(accepted > 20 && refused > 20)
    }
}
