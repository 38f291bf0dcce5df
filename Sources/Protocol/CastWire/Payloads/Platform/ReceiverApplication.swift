/// An app that runs on a device, as its status lists it (protocol notes, 5.2).
public struct ReceiverApplication: JSONPayload {
    /// The object in `applications`.
    public var json: JSONObject

    /// Wraps an object; nothing is checked.
    public init(json: JSONObject) {
        self.json = json
    }

    /// The fields of the object.
    public enum Fields {
        /// The app's id; on Android TV the one of the Android app.
        public static let appID = Field<AppID>("appId")
        /// The id of the web app that an Android app stands for.
        public static let universalAppID = Field<AppID>("universalAppId")
        /// `WEB` or `ANDROID_TV`.
        public static let appType = Field<String>("appType")
        /// The app's name for people.
        public static let displayName = Field<String>("displayName")
        /// A line on what the app does.
        public static let statusText = Field<String>("statusText")
        /// Where the app's picture is; often empty.
        public static let iconURL = Field<String>("iconUrl")
        /// The session's id.
        public static let sessionID = Field<String>("sessionId")
        /// Where messages to the app go; not always the session's id (protocol notes, 3.1).
        public static let transportID = Field<EndpointID>("transportId")
        /// Whether any sender has a connection to the app; nil on older devices, which do not tell.
        public static let senderConnected = Field<Bool>(exact: "senderConnected")
    }

    /// Makes a web app with every field that senders demand.
    ///
    /// - Parameters:
    ///   - appID: The app, also written as its universal id.
    ///   - displayName: The app's name for people; Chromium takes no session from an app whose name is empty.
    ///   - sessionID: The session's id, a UUID.
    ///   - transportID: Where messages to the app go; the session's id when not given.
    ///   - namespaces: What the app understands, at least one.
    ///   - statusText: A line on what it does; its name when not given.
    public init(
        appID: AppID, displayName: String, sessionID: String, transportID: EndpointID? = nil,
        namespaces: [Namespace], statusText: String? = nil
    ) {
        self.json = [
            "appId": .string(appID.rawValue), "appType": "WEB", "displayName": .string(displayName), "iconUrl": "",
            "isIdleScreen": false, "launchedFromCloud": false,
        ]
        self.namespaces = namespaces
        self.json["senderConnected"] = true
        self.json["sessionId"] = .string(sessionID)
        self.json["statusText"] = .string(statusText ?? displayName)
        self.json["transportId"] = .string(transportID?.rawValue ?? sessionID)
        self.json["universalAppId"] = .string(appID.rawValue)
    }

    /// True when no sender launched the app: the device shows its idle screen.
    public var isIdleScreen: Bool {
        get { self.json.bool("isIdleScreen") ?? (self.appID == .backdrop) }
        set { self.json["isIdleScreen"] = .bool(newValue) }
    }

    /// What the app understands, in the order of the status.
    public var namespaces: [Namespace] {
        get {
            (self.json.array("namespaces") ?? []).compactMap(Self.name)
        }
        set {
            let old = self.json.array("namespaces") ?? []
            self.json["namespaces"] = .array(
                newValue.map { namespace in
                    old.first { Self.name($0) == namespace } ?? ["name": .string(namespace.rawValue)]
                })
        }
    }

    private static func name(_ element: JSONValue) -> Namespace? {
        (element.objectValue?.string("name") ?? element.stringValue).map(Namespace.init(rawValue:))
    }

    /// True when the app goes by this id, as itself or as the web app that it stands for.
    public func matches(_ id: AppID) -> Bool {
        self.appID == id || self.universalAppID == id
    }
}
