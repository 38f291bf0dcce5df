/// The version 4 UUID that names a virtual device for its whole life (RFC 9562, section 5.4).
struct DeviceUUID: Equatable, Sendable {
    /// Lower case with dashes, 36 characters.
    let text: String

    /// The 32 lower-case hexadecimal digits alone.
    var hexText: String {
        self.text.filter { $0 != "-" }
    }

    /// Draws a new one.
    static func random() throws(IdentityError) -> DeviceUUID {
        var bytes = try RandomBytes.make(16)
        bytes[6] = (bytes[6] & 0x0F) | 0x40
        bytes[8] = (bytes[8] & 0x3F) | 0x80
        let hex = bytes.hexText.utf8
        var groups: [String] = []
        var rest = hex[...]
        for length in [8, 4, 4, 4, 12] {
            groups.append(String(decoding: rest.prefix(length), as: UTF8.self))
            rest = rest.dropFirst(length)
        }
        return DeviceUUID(text: groups.joined(separator: "-"))
    }

    private init(text: String) {
        self.text = text
    }

    /// Reads the stored form, or `nil` when `text` is not 36 lower-case characters of a UUID.
    init?(_ text: String) {
        let dashes = [8, 13, 18, 23]
        guard text.utf8.count == 36 else { return nil }
        for (index, byte) in text.utf8.enumerated() {
            if dashes.contains(index) {
                guard byte == UInt8(ascii: "-") else { return nil }
            } else {
                guard Array("0123456789abcdef".utf8).contains(byte) else { return nil }
            }
        }
        self.text = text
    }
}
