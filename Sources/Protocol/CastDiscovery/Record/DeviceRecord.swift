import CCrypto

/// The TXT record of a device (protocol notes, 1.2).
///
/// Reading is lenient, since records of many firmwares are about; writing follows the order and the limits that all
/// senders take.
package struct DeviceRecord: Hashable, Sendable {
    /// `id`: what the device is known by.
    package var id: DeviceID
    /// `fn`: its name for people; the instance name where the device does not tell.
    package var friendlyName: String
    /// `md`: its model; empty where it does not tell.
    package var model: String
    /// `ca`.
    package var capabilities: DeviceCapabilities
    /// `ve`: the record's version; devices of today say 5.
    package var version: Int
    /// `st`.
    package var activity: DeviceActivity
    /// `rs`: a line on what the app does; empty when none runs.
    package var statusText: String
    /// `ic`: the path of its picture, served over HTTP on port 8008; empty where there is none.
    package var iconPath: String
    /// `cd`: an opaque text of the device's; on groups the group's id.
    package var certificateDigest: String
    /// `rm`: a number for statistics; mostly empty.
    package var metricsID: String
    /// `bs`: twelve hexadecimal digits that look like a hardware address.
    package var hotspotID: String
    /// `nf`: a flag for notifications.
    package var notificationFlag: String
    /// The entries under other keys, in their order.
    package var other: [TXTEntry]

    /// Makes a record; what is not given is what an idle device says.
    package init(
        id: DeviceID, friendlyName: String, model: String = "", capabilities: DeviceCapabilities = [],
        version: Int = 5, activity: DeviceActivity = .idle, statusText: String = "", iconPath: String = "",
        certificateDigest: String = "", metricsID: String = "", hotspotID: String = "", notificationFlag: String = "1",
        other: [TXTEntry] = []
    ) {
        self.id = id
        self.friendlyName = friendlyName
        self.model = model
        self.capabilities = capabilities
        self.version = version
        self.activity = activity
        self.statusText = statusText
        self.iconPath = iconPath
        self.certificateDigest = certificateDigest
        self.metricsID = metricsID
        self.hotspotID = hotspotID
        self.notificationFlag = notificationFlag
        self.other = other
    }
}

// The record on the wire.
extension DeviceRecord {
    /// More entries than any device has; what comes behind them is not read.
    private static let maximumEntries = 64
    /// Entries that no sender reads are kept short, so that there is room for those that senders show.
    private static let maximumOpaqueLength = 64
    /// The limit of a TXT record that is sent in one packet (protocol notes, 1.7), in bytes.
    package static let maximumLength = 1300

    /// Reads a TXT record. The first of several entries with one key counts.
    /// - Parameters:
    ///   - txt: the entries, in their order.
    ///   - instance: the name of the service instance, which stands in where `id` or `fn` is missing.
    /// - Returns: nil when there is no id, since nothing else says which device it is.
    package init?(txt: [TXTEntry], instance: String) {
        var entries: [String: TXTEntry] = [:]
        var other: [TXTEntry] = []
        for entry in txt.prefix(Self.maximumEntries) {
            let key = entry.key.lowercased()
            guard entries.updateValue(entries[key] ?? entry, forKey: key) == nil else { continue }
            if !Self.keys.contains(key) { other.append(entry) }
        }
        func text(_ key: String) -> String { entries[key]?.text ?? "" }
        guard let id = DeviceID(text("id")) ?? DeviceID(instance: instance) else { return nil }
        let name = text("fn")
        self.init(
            id: id, friendlyName: name.isEmpty ? instance : name, model: text("md"),
            capabilities: DeviceCapabilities(rawValue: Self.number(text("ca")) ?? 0),
            version: Self.number(text("ve")).flatMap(Int.init(exactly:)) ?? 0,
            activity: Self.number(text("st")).map { $0 == 0 ? .idle : .busy } ?? .idle,
            statusText: text("rs"), iconPath: text("ic"), certificateDigest: text("cd"), metricsID: text("rm"),
            hotspotID: text("bs"), notificationFlag: text("nf"), other: other)
    }

    private static let keys: Set<String> = ["id", "cd", "rm", "ve", "md", "ic", "fn", "ca", "st", "bs", "nf", "rs"]

    /// A decimal number, possibly with blanks around it; devices write `05`.
    private static func number(_ text: String) -> UInt64? {
        UInt64(text.filter { !$0.isWhitespace })
    }

    /// The entries in the order in which devices send them, within the limits of a packet: first those that senders
    /// need, then as many of the others as there is room for.
    package var txt: [TXTEntry] {
        let version = self.version < 10 ? "0\(max(self.version, 0))" : "\(self.version)"
        var entries = [
            TXTEntry(key: "id", text: self.id.text),
            TXTEntry(key: "cd", value: self.certificateDigest.utf8Prefix(Self.maximumOpaqueLength)),
            TXTEntry(key: "rm", value: self.metricsID.utf8Prefix(Self.maximumOpaqueLength)),
            TXTEntry(key: "ve", text: version),
            TXTEntry(key: "md", text: self.model), TXTEntry(key: "ic", text: self.iconPath),
            TXTEntry(key: "fn", text: self.friendlyName), TXTEntry(key: "ca", text: "\(self.capabilities.rawValue)"),
            TXTEntry(key: "st", text: self.activity.rawValue),
            TXTEntry(key: "bs", value: self.hotspotID.utf8Prefix(Self.maximumOpaqueLength)),
            TXTEntry(key: "nf", value: self.notificationFlag.utf8Prefix(Self.maximumOpaqueLength)),
        ]
        var room = Self.maximumLength - entries.reduce(0) { $0 + $1.bytes.count + 1 }
        // The status text is what can be spared: a sender shows less of it.
        let status = self.statusText.utf8Prefix(max(0, min(room - 4, TXTEntry.maximumLength - 3)))
        let last = TXTEntry(key: "rs", value: status)
        entries.append(last)
        room -= last.bytes.count + 1
        for entry in self.other {
            let length = entry.bytes.count + 1
            guard length <= room, length <= TXTEntry.maximumLength + 1 else { continue }
            room -= length
            entries.append(entry)
        }
        return entries
    }
}

/// The activity of a device: the TXT key `st` (protocol notes, 1.2).
package enum DeviceActivity: String, Hashable, Sendable {
    /// Nothing runs; a sender would launch an app.
    case idle = "0"
    /// An app runs; a sender would join it.
    case busy = "1"
}

/// SHA-1 as records use it: not to keep anything secret, only to make names of a fixed length.
package enum RecordDigest {
    /// The digest in 40 capital hexadecimal digits.
    package static func digits(of bytes: [UInt8]) -> String {
        var digest = [UInt8](repeating: 0, count: 20)
        _ = EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha1(), nil)
        return digest.reduce(into: "") { text, byte in
            let digits = String(byte, radix: 16, uppercase: true)
            text += digits.count == 1 ? "0\(digits)" : digits
        }
    }
}
