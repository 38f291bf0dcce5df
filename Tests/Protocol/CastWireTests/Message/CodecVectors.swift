import CastWire
import Foundation
import NIOCore

/// Bytes, whole and damaged, with what SwiftProtobuf reads in them. `make oracle` compares them with it, and its
/// `CASTWAY_WRITE_VECTORS=1` writes them anew.
enum CodecVectors: String, CaseIterable {
    case messages
    case deviceAuthentication = "device-authentication"

    /// What was read: the same text for the same content.
    enum Verdict {
        /// Not a message.
        static let refused = "refused"
        /// Castway refuses it: a name is empty, or the payload is not where its type says.
        static let stricter = "stricter"
        /// Castway may read it: only the version is one that does not exist yet.
        static let version = "version"
    }

    struct Vector {
        let bytes: [UInt8]
        let verdict: String
    }

    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Vectors")

    var file: URL { Self.folder.appending(path: "\(self.rawValue).txt") }

    func read() throws -> [Vector] {
        try String(contentsOf: self.file, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }.map {
            let words = $0.split(separator: " ")
            return Vector(
                bytes: Array(ByteBuffer(hex: String(words[0])).readableBytesView), verdict: String(words[1]))
        }
    }

    /// What Castway reads.
    func verdict(on bytes: [UInt8]) -> String {
        switch self {
        case .messages: (try? CastMessage(wire: bytes)).map(Self.verdict) ?? Verdict.refused
        case .deviceAuthentication:
            (try? DeviceAuthMessage(parsing: ByteBuffer(bytes: bytes))).map(Self.verdict) ?? Verdict.refused
        }
    }

    static func verdict(_ message: CastMessage) -> String {
        let payload =
            switch message.payload {
            case .text(let text): "text:\(text.hex)"
            case .binary(let bytes): "binary:\(bytes.hex)"
            }
        let names = [message.source.rawValue, message.destination.rawValue, message.namespace.rawValue]
        return (names.map { ByteBuffer(string: $0).hex } + [payload]).joined(separator: "/")
    }

    static func verdict(_ message: DeviceAuthMessage) -> String { "message:\(message.serialize().hex)" }
}
