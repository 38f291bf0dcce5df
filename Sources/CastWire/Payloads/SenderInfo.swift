/// What a sender tells of itself when it connects (protocol notes, 3.2).
public struct SenderInfo: JSONPayload {
    /// The object under `senderInfo`.
    public var json: JSONObject

    /// Looks at an object.
    public init(json: JSONObject) {
        self.json = json
    }

    /// The kind of sender library, 2 for a browser; the misspelt key that some senders use counts too.
    public var sdkType: Int? { self.json.int("sdkType") ?? self.json.int("skdType") }
    /// The sender library's version.
    public var version: String? { self.json.string("version") }
    /// The browser's version.
    public var browserVersion: String? { self.json.string("browserVersion") }
    /// The sender's system: 0 other, 1 Android, 2 iOS, 3 Windows, 4 macOS, 5 ChromeOS, 6 Linux, 7 a Cast device.
    public var platform: Int? { self.json.int("platform") }
    /// The system's version, free text.
    public var systemVersion: String? { self.json.string("systemVersion") }
    /// How the sender is connected to the network, 1 for Wi-Fi.
    public var connectionType: Int? { self.json.int("connectionType") }
    /// The sender's model, which phones tell.
    public var model: String? { self.json.string("model") }
}
