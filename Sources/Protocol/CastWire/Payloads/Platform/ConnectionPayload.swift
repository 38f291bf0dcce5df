/// A message of ``Namespace/connection``: opens and closes virtual connections (protocol notes, 3.2 to 3.4).
public struct ConnectionPayload: MessagePayload {
    /// The messages of the namespace.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A sender opens a virtual connection.
        case connect = "CONNECT"
        /// A device tells the version that it chose; sent only when the sender asked for it.
        case connected = "CONNECTED"
        /// Either end closes the connection.
        case close = "CLOSE"
    }

    /// How much a connection counts.
    public enum ConnectionType: Int, Hashable, Sendable, CaseIterable {
        /// The usual one.
        case strong = 0
        /// An app may stop when only weak ones remain.
        case weak = 1
        /// The app learns nothing of it, and it receives broadcasts only.
        case invisible = 2
    }

    /// Why a connection was closed.
    public enum CloseReason: Int, Hashable, Sendable, CaseIterable {
        /// No reason is known.
        case unknown = 0
        /// The channel was closed in order.
        case transportClosed = 1
        /// The channel broke.
        case transportAborted = 2
        /// A message was malformed or too long.
        case invalidMessage = 3
        /// Nothing was heard for too long.
        case inactive = 4
        /// The end that sends this closed it.
        case closedBySelf = 5
        /// The other end closed it; also what a missing reason means.
        case closedByPeer = 6

        /// The reason in a word that never changes.
        public var word: String {
            switch self {
            case .unknown: "unknown"
            case .transportClosed: "transport_closed"
            case .transportAborted: "transport_aborted"
            case .invalidMessage: "invalid_message"
            case .inactive: "inactive"
            case .closedBySelf: "closed_by_self"
            case .closedByPeer: "closed_by_peer"
            }
        }
    }

    /// The versions that may be negotiated.
    public static let knownVersions = 0...3

    /// The whole message.
    public var json: JSONObject

    /// Wraps a message; nothing is checked.
    public init(json: JSONObject) {
        self.json = json
    }

    /// The fields of the object.
    public enum Fields {
        /// Where the sender says that it comes from; usually an empty object.
        public static let origin = Field<JSONValue>("origin")
        /// The name of the sender's software.
        public static let userAgent = Field<String>("userAgent")
        /// What the sender tells of itself.
        public static let senderInfo = Field<SenderInfo>("senderInfo")
    }

    /// Which message it is, or nil for a type that the namespace does not have.
    public var kind: Kind? { self.type.flatMap(Kind.init) }

    /// How much the connection counts, ``ConnectionType/strong`` when the sender does not say; nil for a value that
    /// does not exist, which a device answers with CLOSE.
    public var connectionType: ConnectionType? {
        switch self.json["connType"] {
        case nil, .null: .strong
        case .some(let value): value.intValue.flatMap(ConnectionType.init)
        }
    }

    /// The versions that a CONNECT offers; nil when it offers none, and then no answer may be sent.
    public var offeredVersions: [Int]? {
        let single = self.json["protocolVersion"]
        let list = self.json["protocolVersionList"]
        guard single != nil || list != nil else { return nil }
        return ((list?.arrayValue ?? []) + [single].compactMap(\.self)).compactMap(\.intValue)
    }

    /// The version to answer a CONNECT with: the highest that both ends know; nil when the sender did not ask or
    /// knows none of ours.
    public var negotiatedVersion: Int? {
        self.offeredVersions?.filter(Self.knownVersions.contains).max()
    }

    /// Why the connection was closed; ``CloseReason/closedByPeer`` when the message does not say or says nonsense.
    public var reason: CloseReason {
        self.statedReason ?? .closedByPeer
    }

    /// Why the connection was closed, when the message says so.
    public var statedReason: CloseReason? { self.json.int("reasonCode").flatMap(CloseReason.init) }

    /// A CONNECT. It asks for no version, since a device that does not know the question leaves it unanswered.
    public static func connect(
        userAgent: String? = nil, type: ConnectionType = .strong, senderInfo: SenderInfo? = nil
    ) -> Self {
        var json: JSONObject = ["type": "CONNECT", "connType": .number(type.rawValue), "origin": [:]]
        if let userAgent { json["userAgent"] = .string(userAgent) }
        if let senderInfo { json["senderInfo"] = .object(senderInfo.json) }
        return Self(json: json)
    }

    /// The answer to a CONNECT that offered versions.
    public static func connected(version: Int) -> Self {
        Self(json: ["type": "CONNECTED", "protocolVersion": .number(version)])
    }

    /// A CLOSE; without a reason it is the shortest form, which every peer knows.
    public static func close(reason: CloseReason? = nil) -> Self {
        var json: JSONObject = ["type": "CLOSE"]
        if let reason { json["reasonCode"] = .number(reason.rawValue) }
        return Self(json: json)
    }
}

/// What a sender tells of itself when it connects (protocol notes, 3.2).
public struct SenderInfo: JSONPayload {
    /// The object under `senderInfo`.
    public var json: JSONObject

    /// Wraps an object; nothing is checked.
    public init(json: JSONObject) {
        self.json = json
    }

    /// The fields of the object.
    public enum Fields {
        /// The sender library's version.
        public static let version = Field<String>("version")
        /// The browser's version.
        public static let browserVersion = Field<String>("browserVersion")
        /// The sender's system: 0 other, 1 Android, 2 iOS, 3 Windows, 4 macOS, 5 ChromeOS, 6 Linux, 7 a Cast device.
        public static let platform = Field<Int>(exact: "platform")
        /// The system's version, free text.
        public static let systemVersion = Field<String>("systemVersion")
        /// How the sender is connected to the network, 1 for Wi-Fi.
        public static let connectionType = Field<Int>(exact: "connectionType")
        /// The sender's model, which phones tell.
        public static let model = Field<String>("model")
        /// Where the sender app is opened, as an address; few say so.
        public static let launchURL = Field<String>("launchUrl")
    }

    /// The kind of sender library, 2 for a browser; the misspelt key that some senders use counts too.
    public var sdkType: Int? { self.json.int("sdkType") ?? self.json.int("skdType") }
}
