/// How Cast devices announce themselves (protocol notes, 1.1).
public enum CastService {
    /// The service type.
    public static let type = "_googlecast._tcp"
    /// What an instance name may have at most: one DNS label, in bytes.
    public static let maximumInstanceLength = 63

    /// The name under which a device is announced: its model with dashes for blanks, a dash, its id.
    public static func instance(model: String, id: DeviceID) -> String {
        let model = String(model.map { $0.isWhitespace || $0 == "." ? "-" : $0 })
        let room = max(0, Self.maximumInstanceLength - id.text.utf8.count - 1)
        let prefix = String(decoding: model.utf8Prefix(room), as: UTF8.self)
        return prefix.isEmpty ? id.text : "\(prefix)-\(id.text)"
    }

    /// The name to try when another has taken one: the first time the name itself, then with `-2`, `-3` and so on.
    public static func instance(_ name: String, attempt: Int) -> String {
        guard attempt > 1 else { return name }
        let suffix = "-\(attempt)"
        let room = Self.maximumInstanceLength - suffix.utf8.count
        return String(decoding: name.utf8Prefix(room), as: UTF8.self) + suffix
    }

    /// A name by which instances are compared: ASCII letters are small, as in DNS capitals are the same.
    public static func folded(instance: String) -> String {
        String(decoding: instance.utf8.map(\.lowercasedASCII), as: UTF8.self)
    }
}

extension UInt8 {
    /// The small letter of an ASCII capital; everything else stays.
    var lowercasedASCII: UInt8 { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self + 32 : self }
}
