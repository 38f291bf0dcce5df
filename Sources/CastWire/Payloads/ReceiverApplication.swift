/// An app that runs on a device, as its status lists it (protocol notes, 5.2).
public struct ReceiverApplication: JSONPayload {
    /// The object in `applications`.
    public var json: JSONObject

    /// Looks at an object.
    public init(json: JSONObject) {
        self.json = json
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

    /// The app's id; on Android TV the one of the Android app.
    public var appID: AppID? {
        get { self.json.string("appId").map(AppID.init(rawValue:)) }
        set { self.json["appId"] = newValue.map { .string($0.rawValue) } }
    }

    /// The id of the web app that an Android app stands for.
    public var universalAppID: AppID? {
        get { self.json.string("universalAppId").map(AppID.init(rawValue:)) }
        set { self.json["universalAppId"] = newValue.map { .string($0.rawValue) } }
    }

    /// `WEB` or `ANDROID_TV`.
    public var appType: String? {
        get { self.json.string("appType") }
        set { self.json["appType"] = newValue.map(JSONValue.string) }
    }

    /// The app's name for people.
    public var displayName: String? {
        get { self.json.string("displayName") }
        set { self.json["displayName"] = newValue.map(JSONValue.string) }
    }

    /// A line on what the app does.
    public var statusText: String? {
        get { self.json.string("statusText") }
        set { self.json["statusText"] = newValue.map(JSONValue.string) }
    }

    /// Where the app's picture is; often empty.
    public var iconURL: String? {
        get { self.json.string("iconUrl") }
        set { self.json["iconUrl"] = newValue.map(JSONValue.string) }
    }

    /// The session's id.
    public var sessionID: String? {
        get { self.json.string("sessionId") }
        set { self.json["sessionId"] = newValue.map(JSONValue.string) }
    }

    /// Where messages to the app go; not always the session's id (protocol notes, 3.1).
    public var transportID: EndpointID? {
        get { self.json.string("transportId").map(EndpointID.init(rawValue:)) }
        set { self.json["transportId"] = newValue.map { .string($0.rawValue) } }
    }

    /// Whether any sender has a connection to the app; nil on older devices, which do not tell.
    public var senderConnected: Bool? {
        get { self.json.bool("senderConnected") }
        set { self.json["senderConnected"] = newValue.map(JSONValue.bool) }
    }

    /// True when this is no app that anyone launched: the device shows its idle screen.
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
