extension OutboundURL {
    /// Reads the address of a medium or a picture, in which people and programs leave blanks and letters beyond ASCII as they are:
    /// what does not belong in a URL is percent-encoded, as browsers and receivers do.
    package init(encoding address: String) throws(Malformed) {
        try self.init(Self.encoded(address))
    }

    /// An address, or a reference without a host, whose path and query have nothing that has to be encoded.
    static func encoded(_ address: String) -> String {
        let bytes = Array(address.utf8)
        var encoded = Array(bytes[..<Self.pathStart(bytes)])
        for index in encoded.count..<bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "#") || Self.isPathOrQuery(byte, before: bytes[(index + 1)...]) {
                encoded.append(byte)
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                encoded += Array("%\(byte < 16 ? "0" : "")\(digits)".utf8)
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// Where the path begins: behind the scheme and the host, if there are any.
    private static func pathStart(_ bytes: [UInt8]) -> Int {
        let slashes = Array("//".utf8)
        let start: Int
        if bytes.starts(with: slashes) {
            start = 2
        } else if let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[(colon + 1)...].starts(with: slashes) {
            start = colon + 3
        } else {
            return 0
        }
        return bytes[start...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.count
    }
}
