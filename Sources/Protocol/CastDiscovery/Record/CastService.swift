package import CastWire

/// The service of Cast devices in DNS-SD (protocol notes, 1.1).
package enum CastService {
    package static let type = "_googlecast._tcp"
    /// The limit of an instance name: one DNS label, in bytes.
    package static let maximumInstanceLength = 63

    /// The name under which a device is announced: its model with dashes for blanks, a dash, its id.
    package static func instance(model: String, id: DeviceID) -> String {
        let model = String(model.map { $0.isWhitespace || $0 == "." ? "-" : $0 })
        let room = max(0, Self.maximumInstanceLength - id.text.utf8.count - 1)
        let prefix = String(decoding: model.utf8Prefix(room), as: UTF8.self)
        return prefix.isEmpty ? id.text : "\(prefix)-\(id.text)"
    }

    /// The name to try when another has taken one: the first time the name itself, then with `-2`, `-3` and so on.
    package static func instance(_ name: String, attempt: Int) -> String {
        guard attempt > 1 else { return name }
        let suffix = "-\(attempt)"
        let room = Self.maximumInstanceLength - suffix.utf8.count
        return String(decoding: name.utf8Prefix(room), as: UTF8.self) + suffix
    }

    /// The whole name of an instance, or of the service type, as records carry it: each label behind its length, and nothing escaped
    /// (RFC 1035, section 3.1).
    /// - Parameters:
    ///   - instance: at most ``maximumInstanceLength`` bytes, what is beyond is left out; nil for the type.
    ///   - domain: where it is announced, mostly `local`.
    static func wireName(instance: String? = nil, domain: String) -> [UInt8] {
        let labels = [instance.map { $0[...] }].compactMap(\.self) + "\(Self.type).\(domain)".split(separator: ".")
        return labels.flatMap { label in
            let bytes = label.utf8.prefix(Self.maximumInstanceLength)
            return [UInt8(clamping: bytes.count)] + bytes
        } + [0]
    }

    /// A name by which instances are compared: ASCII letters are small, as in DNS capitals are the same.
    package static func folded(instance: String) -> String {
        String(decoding: instance.utf8.map(\.lowercasedASCII), as: UTF8.self)
    }
}

extension UInt8 {
    /// The small letter of an ASCII capital; everything else stays.
    var lowercasedASCII: UInt8 { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self + 32 : self }
}

/// A subtype by which a device can be asked for: an app, or a namespace that its app understands (protocol notes, 1.4).
package struct ServiceSubtype: Hashable, Sendable, CustomStringConvertible {
    /// The label before `._sub._googlecast._tcp`, with its underscore.
    package let label: String

    /// Reads the label of a subtype.
    /// - Returns: nil when it is no DNS label that begins with an underscore.
    package init?(label: String) {
        guard label.hasPrefix("_"), (2...63).contains(label.utf8.count), !label.contains(".") else { return nil }
        self.label = label
    }

    /// The subtype of an app: `_CC1AD845`.
    /// - Returns: nil for ids that fit in no DNS label.
    package init?(app: AppID) {
        self.init(label: "_\(app.rawValue)")
    }

    /// The subtype of a namespace: `_%` and SHA-1 of its name, in capital hexadecimal digits.
    package init(namespace: Namespace) {
        self.label = "_%" + RecordDigest.digits(of: Array(namespace.rawValue.utf8))
    }

    /// The subtype that senders ask for in the first place: devices that play media.
    package static let media = ServiceSubtype(namespace: .media)

    /// The whole type to browse or to publish.
    package var type: String { "\(self.label)._sub.\(CastService.type)" }

    package var description: String { self.label }
}
