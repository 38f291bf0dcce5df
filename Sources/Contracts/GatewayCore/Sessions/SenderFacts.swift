public import CastWire

/// What a sender has said of itself when it connected (protocol notes, 3.2): its own words, shortened to what may be kept of each.
public struct SenderFacts: Hashable, Sendable {
    /// Longer texts are cut, in characters.
    private static let maximumText = 128
    /// Longer addresses are left out, in bytes.
    private static let maximumAddress = 1024

    /// What the machine calls itself, as phones tell their model; nil when it has not said.
    public var model: String?
    /// What its software calls itself; nil when it has not said.
    public var userAgent: String?
    /// The system that it runs on; nil when it has not said.
    public var platform: SenderPlatform?
    /// The version of that system; nil when it has not said.
    public var systemVersion: String?
    /// The number of its kind of sender library, 2 for a browser; nil when it has not said.
    public var sdk: Int?
    /// The version of that library; nil when it has not said.
    public var sdkVersion: String?
    /// The number of how it is connected to the network, 1 for Wi-Fi; nil when it has not said.
    public var connectionType: Int?
    /// Where the sender app is opened; nil when it has not said, as most do not.
    public var launchURL: String?

    /// Nothing is known.
    public init() {}

    /// Reads the CONNECT messages of a sender; of two that say something of the same, the first counts.
    public init(_ connects: some Sequence<ConnectionPayload>) {
        for connect in connects {
            let info = connect.senderInfo
            self.model = self.model ?? Self.text(info?.model)
            self.userAgent = self.userAgent ?? Self.text(connect.userAgent)
            self.platform = self.platform ?? info?.platform.flatMap { SenderPlatform(rawValue: $0) }
            self.systemVersion = self.systemVersion ?? Self.text(info?.systemVersion)
            self.sdk = self.sdk ?? info?.sdkType
            self.sdkVersion = self.sdkVersion ?? Self.text(info?.version)
            self.connectionType = self.connectionType ?? info?.connectionType
            self.launchURL = self.launchURL ?? Self.address(info?.launchURL)
        }
    }

    /// Whether it has said nothing.
    public var isEmpty: Bool { self == SenderFacts() }

    /// What is known, by the names that events and operations have for it.
    public var json: JSONObject { self.fields.json }

    /// What events and operations tell.
    package var fields: [EventField] {
        [
            .optional("name", self.model, "What it calls itself, as phones tell their model"),
            .optional("user_agent", self.userAgent, "What its software calls itself").forPlugins(as: "userAgent"),
            .optional(
                "platform", self.platform?.word, "The system that it says it runs on",
                as: .word(SenderPlatform.allCases.map(\.word))),
            .optional("system_version", self.systemVersion, "The version of that system, as it says")
                .forPlugins(as: "systemVersion"),
            .optional(
                "sdk", self.sdk, "The number of its kind of sender library, as it says; browsers say 2"),
            .optional("sdk_version", self.sdkVersion, "The version of that library, as it says")
                .forPlugins(as: "sdkVersion"),
            .optional(
                "connection_type", self.connectionType,
                "The number of how it says it is connected to the network; 1 is Wi-Fi"
            ).forPlugins(as: "connectionType"),
            .optional("launch_url", self.launchURL, "Where the sender app is opened, as it says; few do")
                .forPlugins(as: "launchUrl"),
        ]
    }

    private static func text(_ text: String?) -> String? {
        guard let text, !text.isEmpty else { return nil }
        return String(text.prefix(Self.maximumText))
    }

    private static func address(_ text: String?) -> String? {
        guard let text, !text.isEmpty, text.utf8.count <= Self.maximumAddress else { return nil }
        return text
    }
}
