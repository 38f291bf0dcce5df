import NIOCore

/// Binary payloads as text (RFC 4648, section 4).
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func text(_ bytes: ByteBuffer) -> String {
        let input = bytes.readableBytesView
        var output: [UInt8] = []
        output.reserveCapacity((input.count + 2) / 3 * 4)
        var at = input.startIndex
        while at < input.endIndex {
            let count = min(3, input.endIndex - at)
            var group: UInt32 = 0
            for offset in 0..<3 { group = group << 8 | (offset < count ? UInt32(input[at + offset]) : 0) }
            for place in 0..<4 {
                let digit = Self.alphabet[Int(group >> UInt32(18 - 6 * place)) & 63]
                output.append(place <= count ? digit : UInt8(ascii: "="))
            }
            at += count
        }
        return String(decoding: output, as: UTF8.self)
    }
}
