import NIOCore

/// A payload as a policy reads it before it decides: what is in it, what is surely not, and what cannot be told.
public enum PayloadReading: Hashable, Sendable {
    /// A JSON object.
    case object(PayloadMembers)
    /// No reader finds a member in it: another JSON value, or a text in which no object begins.
    case noMembers
    /// Not JSON, though other programs may find an object in it; the text says what is wrong.
    case unreadable(String)

    /// Reads a payload.
    public init(_ payload: CastMessage.Payload) {
        switch payload {
        case .binary: self = .unreadable("the payload is binary")
        case .text(let text): self.init(text.readableBytesUInt8Span)
        }
    }

    private init(_ bytes: Span<UInt8>) {
        do throws(JSONError) {
            guard (try? UTF8Span(validating: bytes)) != nil else { throw JSONError(reason: .invalidText, offset: 0) }
            var scanner = JSONScanner()
            scanner.skipBlanks(bytes)
            if try scanner.peek(bytes) == UInt8(ascii: "{") {
                self = .object(try PayloadMembers(bytes))
            } else {
                try scanner.skipValue(bytes, depth: 0)
                try scanner.finish(bytes)
                self = .noMembers
            }
        } catch {
            self = Self.beginsObject(bytes) ? .unreadable("no JSON: \(error.reason.rawValue)") : .noMembers
        }
    }

    private static func beginsObject(_ bytes: Span<UInt8>) -> Bool {
        for index in 0..<bytes.count where bytes[index] == UInt8(ascii: "{") { return true }
        return false
    }
}

/// The top-level members of a JSON object by which it is decided what may pass, each read only when every program reads the same.
///
/// ``PayloadSummary`` finds out what a handler will see. This finds out, besides, where another reader may see something else:
/// in a name that stands twice, or behind a character that ends a text in C.
public struct PayloadMembers: Hashable, Sendable {
    /// What stands under a name.
    public enum Member: Hashable, Sendable {
        /// Nothing.
        case absent
        /// One value.
        case value(JSONValue)
        /// Not the same for every reader; the text says why.
        case ambiguous(String)
    }

    /// `type`: what kind of message it is.
    public private(set) var type = Member.absent
    /// `responseType`: the same in old namespaces.
    public private(set) var responseType = Member.absent
    /// `appId`: the app to launch, or the apps that are asked about.
    public private(set) var appID = Member.absent
    /// `appIds`: the apps that a message to all is for.
    public private(set) var appIDs = Member.absent
    /// `sessionId`: the session that is meant.
    public private(set) var sessionID = Member.absent

    private enum Name: String {
        case type, responseType
        case appID = "appId"
        case appIDs = "appIds"
        case sessionID = "sessionId"
    }

    /// Reads an object that fills the text, as strictly as ``JSONReader``.
    init(_ bytes: Span<UInt8>) throws(JSONError) {
        var scanner = JSONScanner()
        try scanner.enterObject(bytes)
        var isFirst = true
        while let found = try scanner.nextName(bytes, isFirst: &isFirst) {
            guard let (name, isWhole) = Self.name(found, bytes) else {
                try scanner.skipValue(bytes, depth: 1)
                continue
            }
            let value = try JSONReader.value(&scanner, bytes, depth: 1)
            let member = isWhole ? Member.value(value) : .ambiguous("a name ends in NUL behind '\(name.rawValue)'")
            self.note(member, as: name)
        }
        try scanner.finish(bytes)
    }

    private static func name(_ found: JSONScanner.Name, _ bytes: Span<UInt8>) -> (Name, isWhole: Bool)? {
        if let text = found.unescaped {
            let visible = String(String.UnicodeScalarView(text.unicodeScalars.prefix { $0 != "\0" }))
            return Name(rawValue: visible).map { ($0, isWhole: visible == text) }
        }
        if found.matches("type", bytes) { return (.type, true) }
        if found.matches("appId", bytes) { return (.appID, true) }
        if found.matches("sessionId", bytes) { return (.sessionID, true) }
        if found.matches("responseType", bytes) { return (.responseType, true) }
        return found.matches("appIds", bytes) ? (.appIDs, true) : nil
    }

    private mutating func note(_ member: Member, as name: Name) {
        func add(to known: inout Member) {
            known = known == .absent ? member : .ambiguous("'\(name.rawValue)' stands twice")
        }
        switch name {
        case .type: add(to: &self.type)
        case .responseType: add(to: &self.responseType)
        case .appID: add(to: &self.appID)
        case .appIDs: add(to: &self.appIDs)
        case .sessionID: add(to: &self.sessionID)
        }
    }
}
