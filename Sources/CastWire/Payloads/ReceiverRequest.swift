/// A sender's request in ``Namespace/receiver`` (protocol notes, 5).
public struct ReceiverRequest: MessagePayload {
    /// The requests of the namespace.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Asks for the device's status.
        case getStatus = "GET_STATUS"
        /// Asks which of some apps the device can run.
        case getAppAvailability = "GET_APP_AVAILABILITY"
        /// Starts an app.
        case launch = "LAUNCH"
        /// Stops an app.
        case stop = "STOP"
        /// Changes the device's volume.
        case setVolume = "SET_VOLUME"
    }

    /// The whole message.
    public var json: JSONObject

    /// Looks at a message.
    public init(json: JSONObject) {
        self.json = json
    }

    /// Which request it is, or nil for one that the namespace does not have.
    public var kind: Kind? { self.type.flatMap(Kind.init) }

    /// The app to launch; nil when absent or not a string.
    public var appID: AppID? {
        get { self.json.string("appId").map(AppID.init(rawValue:)) }
        set { self.json["appId"] = newValue.map { .string($0.rawValue) } }
    }

    /// The apps that GET_APP_AVAILABILITY asks about; a single one may stand there as a plain string.
    public var appIDs: [AppID] {
        switch self.json["appId"] {
        case .array(let elements): elements.compactMap(\.stringValue).map(AppID.init(rawValue:))
        case .string(let text): [AppID(rawValue: text)]
        default: []
        }
    }

    /// The session to stop; nil means the one that runs.
    public var sessionID: String? {
        get { self.json.string("sessionId") }
        set { self.json["sessionId"] = newValue.map(JSONValue.string) }
    }

    /// What SET_VOLUME changes; absent parts stay as they are.
    public var volume: ReceiverVolume? {
        get { self.json.object("volume").map(ReceiverVolume.init) }
        set { self.json["volume"] = newValue.map { .object($0.json) } }
    }

    /// The sender's language, such as `en-US`.
    public var language: String? { self.json.string("language") }

    /// The kinds of app that the sender accepts, best first: `WEB`, `ANDROID_TV`; `WEB` alone when it does not say.
    public var supportedAppTypes: [String] {
        self.json.array("supportedAppTypes")?.compactMap(\.stringValue) ?? ["WEB"]
    }

    /// Parameters for the app, any JSON.
    public var appParams: JSONValue? {
        get { self.json["appParams"] }
        set { self.json["appParams"] = newValue }
    }
}

extension ReceiverRequest {
    /// A GET_STATUS.
    public static func getStatus(requestID: RequestID) -> Self {
        Self(json: ["type": "GET_STATUS", "requestId": requestID.json])
    }

    /// A GET_APP_AVAILABILITY about some apps.
    public static func getAppAvailability(of apps: [AppID], requestID: RequestID) -> Self {
        let apps = apps.map { JSONValue.string($0.rawValue) }
        return Self(json: ["type": "GET_APP_AVAILABILITY", "requestId": requestID.json, "appId": .array(apps)])
    }

    /// A LAUNCH.
    ///
    /// - Parameters:
    ///   - appID: The app to launch.
    ///   - language: A language tag, or nil to leave it out, as small senders do.
    ///   - supportedAppTypes: The kinds of app to accept, best first; left out when empty.
    ///   - requestID: What the answer carries.
    public static func launch(
        _ appID: AppID, language: String? = nil, supportedAppTypes: [String] = [], requestID: RequestID
    ) -> Self {
        var json: JSONObject = ["type": "LAUNCH", "requestId": requestID.json, "appId": .string(appID.rawValue)]
        if let language { json["language"] = .string(language) }
        if !supportedAppTypes.isEmpty { json["supportedAppTypes"] = .array(supportedAppTypes.map(JSONValue.string)) }
        return Self(json: json)
    }

    /// A STOP; without a session it stops whatever runs.
    public static func stop(sessionID: String?, requestID: RequestID) -> Self {
        var json: JSONObject = ["type": "STOP", "requestId": requestID.json]
        if let sessionID { json["sessionId"] = .string(sessionID) }
        return Self(json: json)
    }

    /// A SET_VOLUME; make the volume with the parts alone that shall change.
    public static func setVolume(_ volume: ReceiverVolume, requestID: RequestID) -> Self {
        Self(json: ["type": "SET_VOLUME", "requestId": requestID.json, "volume": .object(volume.json)])
    }
}
