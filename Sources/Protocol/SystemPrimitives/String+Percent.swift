extension StringProtocol {
    /// The text with all bytes but unreserved ones (RFC 3986, 2.3), and those that are kept, as percent signs and digits.
    package func percentEncoded(keeping others: String = "") -> String {
        var text = ""
        for byte in self.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"),
                UInt8(ascii: "."):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            case _ where others.utf8.contains(byte): text.unicodeScalars.append(Unicode.Scalar(byte))
            default: text += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }
        return text
    }

    /// The text that a part of a path stands for (RFC 3986, 2.1); nil when an escape is none, or the bytes are no UTF-8.
    package var percentDecoded: String? {
        var bytes: [UInt8] = []
        var rest = Array(self.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = Self.digit(rest.popFirst()), let low = Self.digit(rest.popFirst()) else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8?) -> UInt8? {
        switch byte {
        case .some(let byte) where (0x30...0x39).contains(byte): byte - 0x30
        case .some(let byte) where (0x41...0x46).contains(byte & 0xDF): (byte & 0xDF) - 0x37
        default: nil
        }
    }
}
