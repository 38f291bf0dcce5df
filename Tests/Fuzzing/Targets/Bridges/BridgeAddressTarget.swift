import HTTPFetching
import NIOCore

@testable import MessageBridges

/// Whatever text stands for an address or a time, it is one that means one thing, or none.
///
/// The input: the text.
package enum BridgeAddressTarget: FuzzTarget {
    /// `bridge-address`
    package static let name = "bridge-address"

    /// Reads the text as the address of a webhook, of a broker, and as `Retry-After`.
    package static func run(_ input: [UInt8]) throws {
        let text = String(decoding: input, as: UTF8.self)
        if let url = try? OutboundURL(text) {
            try Violation.unless(url.text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "the URL '\(url.text)'")
            try Violation.unless(!url.host.isEmpty && (1...65535).contains(url.port), "\(url)")
            try Violation.unless(!url.shown.contains("@") && !url.shown.contains("?"), "shown as \(url.shown)")
            try Violation.unless(
                ByteBuffer(string: url.host).readableBytesView.allSatisfy { $0 > 0x20 && $0 != 0x2F }, "\(url.host)")
        }
        if let broker = MQTTAddress(text) {
            try Violation.unless(
                broker.host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"/@?#".utf8.contains($0) },
                "the broker '\(broker.host)'")
            try Violation.unless((1...65535).contains(broker.port), "\(broker)")
        }
        for now in [0, 1_800_000_000, Int64.max / 2] {
            if let pause = RetryAfter.duration(text, now: now) {
                try Violation.unless(pause >= .zero && pause <= RetryAfter.longest, "a pause of \(pause)")
            }
        }
    }
}
