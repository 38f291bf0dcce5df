public import CastWire
public import Logging

/// A sender's command that an operator wants to find in the log: an app is launched or stopped, media are loaded, the volume
/// is changed.
public struct CastCommand: Sendable {
    /// What was asked for.
    public enum Kind: String, Hashable, Sendable {
        /// An app.
        case launch = "Launch"
        /// Media, at once or in the queue.
        case load = "Load"
        /// The end of an app, or of what it plays.
        case stop = "Stop"
        /// Another volume, of the device or of what plays.
        case volume = "Volume"
    }

    /// The types of ``Namespace/receiver`` that are commands.
    public static let platformTypes: Set<String> = ["LAUNCH", "STOP", "SET_VOLUME"]
    /// The types of ``Namespace/media`` that are commands.
    public static let mediaTypes: Set<String> = [
        "LOAD", "LOAD_BY_ENTITY", "QUEUE_LOAD", "QUEUE_INSERT", "PRELOAD", "STOP", "SET_VOLUME",
    ]
    /// Longer names of senders are cut, in characters.
    private static let maximumLength = 200

    /// What was asked for.
    public let kind: Kind
    /// Sender, device and request, by the keys that Docs/operations.md lists.
    public let metadata: Logger.Metadata

    /// Reads a message; nil when it is no command of a sender.
    /// - Parameter running: what runs behind the device; asked for the app of a session only.
    public init?(_ routed: RoutedMessage, running: () -> RunningApps) {
        guard routed.direction == .toReceiver, let type = routed.summary.type,
            let kind = Self.kind(type, in: routed.message.namespace)
        else { return nil }
        self.kind = kind
        var metadata = Self.actor(of: routed)
        metadata["type"] = "\(type)"
        Self.describe(routed.session, in: &metadata)
        if let json = routed.message.payload.jsonObject {
            let isPlatform = routed.message.family == .receiver
            switch kind {
            case .launch: json.string("appId").map { metadata["app"] = Self.short($0) }
            case .load: Self.describe(loading: json, in: &metadata)
            case .stop where isPlatform: Self.describe(stopping: json, running(), in: &metadata)
            case .volume: Self.describe(volume: json, in: &metadata)
            case .stop: break
            }
        }
        self.metadata = metadata
    }

    /// The sender of a message, and the virtual device that it was sent to.
    public static func actor(of routed: RoutedMessage) -> Logger.Metadata {
        var metadata: Logger.Metadata = ["device": "\(routed.device.name)", "sender": "\(routed.message.source)"]
        if let address = routed.senderAddress { metadata["address"] = "\(address)" }
        if let origin = routed.origin { metadata["by"] = "\(origin.name)" }
        if let connection = routed.connection { metadata["connection"] = "\(connection)" }
        return metadata
    }

    /// Names an app: `app` and `app_name`.
    public static func describe(_ session: SessionFacts?, in metadata: inout Logger.Metadata) {
        guard let session else { return }
        metadata["app"] = Self.short(session.appID.rawValue)
        if !session.displayName.isEmpty { metadata["app_name"] = Self.short(session.displayName) }
    }

    private static func kind(_ type: String, in namespace: Namespace) -> Kind? {
        let types = namespace == .receiver ? Self.platformTypes : namespace == .media ? Self.mediaTypes : []
        guard types.contains(type) else { return nil }
        switch type {
        case "LAUNCH": return .launch
        case "STOP": return .stop
        case "SET_VOLUME": return .volume
        default: return .load
        }
    }

    /// Names media: `title`, `content` and `items` of what a load, or the status of media, has.
    public static func describe(loading json: JSONObject, in metadata: inout Logger.Metadata) {
        let queue = json.array("items") ?? json.object("queueData")?.array("items") ?? []
        if !queue.isEmpty { metadata["items"] = .stringConvertible(queue.count) }
        let start = json.int("startIndex") ?? json.object("queueData")?.int("startIndex") ?? 0
        let item = queue.indices.contains(start) ? queue[start].objectValue : nil
        let media = (json.object("media") ?? item?.object("media")).map(MediaInformation.init(json:))
        if let title = media?.metadata?.title { metadata["title"] = Self.short(title) }
        let content = media?.playableURL ?? media?.entity ?? json.string("entity")
        // Whole, so that the log can tell what in it is secret.
        if let content { metadata["content"] = "\(content)" }
    }

    private static func describe(stopping json: JSONObject, _ running: RunningApps, in metadata: inout Logger.Metadata)
    {
        let wanted = json.string("sessionId")
        if let wanted { metadata["session"] = Self.short(wanted) }
        Self.describe(wanted.map(running.session) ?? running.sessions.first, in: &metadata)
    }

    private static func describe(volume json: JSONObject, in metadata: inout Logger.Metadata) {
        guard let volume = json.object("volume") else { return }
        // A field `level` would be taken for the level of the line.
        if let level = volume.double("level") { metadata["volume"] = .stringConvertible(level.shortest) }
        if let isMuted = volume.bool("muted") { metadata["muted"] = .stringConvertible(isMuted) }
    }

    private static func short(_ text: String) -> Logger.MetadataValue {
        "\(text.count > Self.maximumLength ? text.prefix(Self.maximumLength) + "…" : text[...])"
    }
}
