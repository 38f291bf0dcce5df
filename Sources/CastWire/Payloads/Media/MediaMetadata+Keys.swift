/// Reading and writing by key, and what the SDKs check before they send (protocol notes, 6.6).
extension MediaMetadata {
    /// A predefined key whose value is of another kind.
    public struct WrongValue: Error, Hashable, Sendable, CustomStringConvertible {
        /// The key.
        public let key: MetadataKey

        /// One sentence without a full stop.
        public var description: String {
            let kind =
                switch self.key.valueKind {
                case .text: "text"
                case .whole: "a whole number"
                case .number: "a number"
                case .date: "a date as in ISO 8601"
                }
            return "the metadata \(self.key.rawValue) is not \(kind)"
        }
    }

    /// Starts with a kind and nothing else.
    public init(_ type: MediaMetadataType) {
        self.init()
        self.metadataType = type
    }

    /// The names of everything that is there, the app's own too; neither the kind nor the pictures.
    public var keys: [String] {
        self.json.members.map(\.name).filter { $0 != "metadataType" && $0 != "type" && $0 != "images" }
    }

    /// True when there is a value.
    public func contains(_ key: MetadataKey) -> Bool { (self.json[key.rawValue] ?? .null) != .null }

    /// The value of a predefined key.
    public subscript(key: MetadataKey) -> JSONValue? {
        get { self.json[key.rawValue] }
        set { self.json[key.rawValue] = newValue }
    }

    /// The text, or the date as text, under a key; nil when absent or of another kind.
    public func text(_ key: MetadataKey) -> String? { self.json.string(key.rawValue) }

    /// The whole number under a key, or the default.
    public func whole(_ key: MetadataKey, default value: Int = 0) -> Int { self[whole: key.rawValue] ?? value }

    /// The number under a key, or the default.
    public func number(_ key: MetadataKey, default value: Double = 0) -> Double {
        self[number: key.rawValue] ?? value
    }

    /// Adds a picture behind the others; the first one is the one that most senders show.
    public mutating func add(_ image: MediaImage) {
        self.images.append(image)
    }

    /// The metadata as the SDKs would send it: with a kind, and without the predefined keys that do not belong to it.
    ///
    /// Keys of the app's own are kept. Deprecated spellings count as the app's own.
    /// - Throws: ``WrongValue`` for a predefined key of the kind whose value is of another kind.
    public func checked() throws(WrongValue) -> MediaMetadata {
        let type = self.metadataType ?? .generic
        var checked = self
        if self.json["metadataType"]?.intValue == nil { checked.metadataType = type }
        for key in MetadataKey.allCases {
            guard let value = self[key] else { continue }
            if value == .null || !key.isValid(in: type) {
                checked[key] = nil
            } else if !key.accepts(value) {
                throw WrongValue(key: key)
            }
        }
        return checked
    }
}
