import ControlAPI
import FeatureContract
import SystemPrimitives

/// A link to a session that runs, with which another program or person comes into the same one:
/// `castway:session?device=real:wall&session=5824f863-2c3b`. Apps may carry the same parameters in links of their own.
struct SessionLink: Sendable, Equatable {
    /// The device, as operations name it: its name, its id, or `real:` or `virtual:` and one of these.
    let device: DeviceReference
    /// The device's id of the session.
    let session: String

    init(device: DeviceReference, session: String) {
        self.device = device
        self.session = session
    }

    /// Reads a link: the parameters `device`, or else `name`, and `session` behind `?`, whatever stands before it.
    /// - Returns: nil when one is missing, stands there twice, or is not text.
    init?(_ text: String) {
        guard let mark = text.firstIndex(of: "?") else { return nil }
        var values: [String: String] = [:]
        for part in text[text.index(after: mark)...].prefix(while: { $0 != "#" }).split(separator: "&") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, let name = pair[0].percentDecoded, let value = pair[1].percentDecoded,
                !value.isEmpty, value.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }),
                values.updateValue(value, forKey: name) == nil
            else { return nil }
        }
        guard let device = values["device"] ?? values["name"], let session = values["session"],
            device.utf8.count <= 200, session.utf8.count <= 200
        else { return nil }
        self.init(device: DeviceReference(device), session: session)
    }

    /// The link as Castway gives it.
    var text: String {
        "castway:session?device=\(Self.encoded(self.device.text))&session=\(Self.encoded(self.session))"
    }

    /// A value of a query, RFC 3986, 3.4.
    private static func encoded(_ value: String) -> String {
        value.utf8.reduce(into: "") { text, byte in
            let isPlain =
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || "-._~:".utf8.contains(byte)
            text +=
                isPlain
                ? String(UnicodeScalar(byte)) : "%\(byte < 16 ? "0" : "")\(String(byte, radix: 16, uppercase: true))"
        }
    }
}
