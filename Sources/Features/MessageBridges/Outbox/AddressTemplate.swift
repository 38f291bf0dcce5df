/// A text of the configuration with placeholders that each message fills in: `/cast/{device}/{channel}`.
///
/// What is filled in is encoded by whom the text is for, so that it is one part of a path, of a query or of a topic and nothing else. A
/// value that a message does not have is `-`.
struct AddressTemplate: Sendable, Hashable {
    enum Name: String, Sendable, Hashable, CaseIterable {
        case device
        case namespace
        /// The namespace without `urn:x-cast:`.
        case channel
        case app
        /// The type of the event: `channel.message` for messages.
        case type
    }

    struct Malformed: Error, Hashable, CustomStringConvertible {
        let description: String
    }

    struct Values: Sendable {
        var device: String?
        var namespace: String?
        var app: String?
        var type: String?

        /// Collects the values; one that is left out is missing.
        init(device: String? = nil, namespace: String? = nil, app: String? = nil, type: String? = nil) {
            self.device = device
            self.namespace = namespace
            self.app = app
            self.type = type
        }

        fileprivate func value(_ name: Name) -> String {
            let value: String? =
                switch name {
                case .device: self.device
                case .namespace: self.namespace
                case .channel:
                    self.namespace.map { $0.hasPrefix(Self.prefix) ? String($0.dropFirst(Self.prefix.count)) : $0 }
                case .app: self.app
                case .type: self.type
                }
            return value.flatMap { $0.isEmpty ? nil : $0 } ?? AddressTemplate.missing
        }

        private static let prefix = "urn:x-cast:"
    }

    /// The text for a value that a message does not have.
    static let missing = "-"

    private enum Part: Sendable, Hashable {
        case text(String)
        case name(Name)
    }

    private var parts: [Part] = []

    /// True if every message has the same.
    var isFixed: Bool {
        self.parts.allSatisfy { part in
            if case .text = part { true } else { false }
        }
    }

    /// Takes a text apart.
    /// - Throws: ``Malformed`` for a placeholder that is none, or that does not end.
    init(_ text: some StringProtocol) throws(Malformed) {
        var rest = Substring(text)
        while let brace = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            if brace != rest.startIndex { self.parts.append(.text(String(rest[..<brace]))) }
            let inner = rest[brace...].dropFirst()
            guard rest[brace] == "{", let end = inner.firstIndex(of: "}") else {
                throw Malformed(description: "has a brace without its other half")
            }
            guard let name = Name(rawValue: String(inner[..<end])) else {
                let known = Name.allCases.map { "{\($0.rawValue)}" }.joined(separator: ", ")
                throw Malformed(
                    description: "has the placeholder '{\(inner[..<end].prefix(32))}', and only \(known) are known")
            }
            self.parts.append(.name(name))
            rest = inner[end...].dropFirst()
        }
        if !rest.isEmpty { self.parts.append(.text(String(rest))) }
    }

    /// The text for one message.
    /// - Parameter encode: makes a value a part of the text.
    func text(_ values: Values, encode: (String) -> String) -> String {
        self.parts.reduce(into: "") { text, part in
            switch part {
            case .text(let own): text += own
            case .name(let name): text += encode(values.value(name))
            }
        }
    }
}
