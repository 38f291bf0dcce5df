// The record on the wire.
extension DeviceRecord {
    /// More entries than any device has; what comes behind them is not read.
    private static let maximumEntries = 64
    /// What no sender looks into is kept short, so that there is room for what they show.
    private static let maximumOpaqueLength = 64
    /// What a TXT record may have at most to be sent in one packet (protocol notes, 1.7), in bytes.
    public static let maximumLength = 1300

    /// Reads a TXT record. The first of several entries with one key counts.
    /// - Parameters:
    ///   - txt: the entries, in their order.
    ///   - instance: the name of the service instance, which stands in where `id` or `fn` is missing.
    /// - Returns: nil when there is no id, so that nobody could say which device it is.
    public init?(txt: [TXTEntry], instance: String) {
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
    public var txt: [TXTEntry] {
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
