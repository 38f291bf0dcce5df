import CastWire
import CastwayTestSupport
import Foundation
import NIOCore
import SwiftProtobuf
import Testing

/// The vectors say what SwiftProtobuf reads.
@Suite struct CodecVectorOracleTests {
    @Test(arguments: CodecVectors.allCases) func vectorsAreTheOracles(_ vectors: CodecVectors) throws {
        if ProcessInfo.processInfo.environment["CASTWAY_WRITE_VECTORS"] != nil { try Self.write(vectors) }
        for vector in try vectors.read() {
            #expect(try Self.verdict(vectors, on: vector.bytes) == vector.verdict, "\(vector)")
        }
    }

    private static func write(_ vectors: CodecVectors) throws {
        var random = SeededGenerator(seed: 17)
        var lines = ["# Bytes, and what SwiftProtobuf reads in them. Written by 'make oracle WRITE=1'."]
        for number in 0..<480 {
            var bytes = try vectors == .messages ? Self.message(&random) : Self.authentication(&random)
            for _ in 0..<(number.isMultiple(of: 3) ? 0 : random.int(1...3)) { bytes = random.mutate(bytes) }
            guard !bytes.isEmpty else { continue }
            lines.append("\(ByteBuffer(bytes: bytes).hex) \(try Self.verdict(vectors, on: bytes))")
        }
        try FileManager.default.createDirectory(at: CodecVectors.folder, withIntermediateDirectories: true)
        try (lines.joined(separator: "\n") + "\n").write(to: vectors.file, atomically: true, encoding: .utf8)
    }

    private static func message(_ random: inout SeededGenerator) throws -> [UInt8] {
        var oracle = OracleCastMessage(
            CastMessage(
                source: EndpointID(rawValue: "s" + random.text(upTo: 4)),
                destination: EndpointID(rawValue: "d" + random.text(upTo: 8)),
                namespace: Namespace(rawValue: "n" + random.text(upTo: 8)),
                payload: random.once(in: 2)
                    ? .text(random.text(upTo: 16)) : .binary(ByteBuffer(bytes: random.bytes(upTo: 16)))))
        oracle.protocolVersion = OracleCastMessage.ProtocolVersion.allCases[random.int(0...3)]
        if random.once(in: 3) { oracle.continued = random.once(in: 2) }
        if random.once(in: 3) { oracle.remainingLength = UInt32(truncatingIfNeeded: random.next()) }
        return try oracle.serializedBytes()
    }

    private static func authentication(_ random: inout SeededGenerator) throws -> [UInt8] {
        var message = DeviceAuthOracleTests.randomMessage(&random)
        message.response?.signature = random.bytes(upTo: 8)
        message.response?.clientAuthCertificate = random.bytes(upTo: 8)
        message.response?.intermediateCertificates = (0..<random.int(0...2)).map { _ in random.bytes(upTo: 6) }
        message.response?.crl = random.once(in: 2) ? random.bytes(upTo: 6) : nil
        let oracle = try OracleDeviceAuthMessage(serializedBytes: Array(message.serialize().readableBytesView))
        return try oracle.serializedBytes()
    }

    private static func verdict(_ vectors: CodecVectors, on bytes: [UInt8]) throws -> String {
        switch vectors {
        case .messages:
            if let theirs = try? OracleCastMessage(serializedBytes: bytes) {
                if theirs.breaksTheStricterRules { return CodecVectors.Verdict.stricter }
                return CodecVectors.verdict(
                    CastMessage(
                        source: EndpointID(rawValue: theirs.sourceID),
                        destination: EndpointID(rawValue: theirs.destinationID),
                        namespace: Namespace(rawValue: theirs.namespace),
                        payload: theirs.payloadType == .string
                            ? .text(theirs.payloadUtf8) : .binary(ByteBuffer(bytes: theirs.payloadBinary))))
            }
            let partial = try? OracleCastMessage(serializedBytes: bytes, partial: true)
            return partial?.lacksOnlyItsVersion == true
                ? CodecVectors.Verdict.version : CodecVectors.Verdict.refused
        case .deviceAuthentication:
            guard let theirs = try? OracleDeviceAuthMessage(serializedBytes: bytes) else {
                return CodecVectors.Verdict.refused
            }
            return try CodecVectors.verdict(DeviceAuthMessage(theirs))
        }
    }
}
