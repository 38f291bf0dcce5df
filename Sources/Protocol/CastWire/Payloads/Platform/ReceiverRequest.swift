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

    /// Wraps a message; nothing is checked.
    public init(json: JSONObject) {
        self.json = json
    }

    /// The fields of the object.
    public enum Fields {
        /// The app to launch; nil when absent or not a string.
        public static let appID = Field<AppID>("appId")
        /// The session to stop; nil means the one that runs.
        public static let sessionID = Field<String>("sessionId")
        /// What SET_VOLUME changes; absent parts stay as they are.
        public static let volume = Field<ReceiverVolume>("volume")
        /// The sender's language, such as `en-US`.
        public static let language = Field<String>("language")
        /// Parameters for the app, any JSON.
        public static let appParams = Field<JSONValue>("appParams")
    }

    /// Which request it is, or nil for one that the namespace does not have.
    public var kind: Kind? { self.type.flatMap(Kind.init) }

    /// The apps that GET_APP_AVAILABILITY asks about; a single one may stand there as a plain string.
    public var appIDs: [AppID] {
        switch self.json["appId"] {
        case .array(let elements): elements.compactMap(\.stringValue).map(AppID.init(rawValue:))
        case .string(let text): [AppID(rawValue: text)]
        default: []
        }
    }

    /// The kinds of app that the sender accepts, best first: `WEB`, `ANDROID_TV`; `WEB` alone when it does not say.
    public var supportedAppTypes: [String] {
        self.json.array("supportedAppTypes")?.compactMap(\.stringValue) ?? ["WEB"]
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

extension ReceiverRequest {
    /// What a LAUNCH hands to the app so that it knows the user (protocol notes, 5.4).
    ///
    /// Its description leaves the credentials out.
    public struct LaunchCredentials: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
        /// Text for the app, a token for example.
        public var credentials: String?
        /// Where the credentials come from: `web`, `android`, `ios`, `mobile` or the sender's own word.
        public var credentialsType: String?

        /// Makes credentials.
        public init(credentials: String?, credentialsType: String? = nil) {
            self.credentials = credentials
            self.credentialsType = credentialsType
        }

        /// The type alone.
        public var description: String { "credentials of type \(self.credentialsType ?? "unknown")" }
        /// The type alone.
        public var debugDescription: String { self.description }
    }

    /// The credentials of a LAUNCH: those at the top of the message, else those under
    /// `appParams.launchCheckerParams.credentialsData`; nil without any.
    ///
    /// Setting writes the nested place, where apps look for them, and keeps every other parameter. Parameters that are
    /// no object have no such place, and then the top of the message is written.
    public var credentials: LaunchCredentials? {
        get {
            let nested = self.json.object("appParams")?.object("launchCheckerParams")?.object("credentialsData")
            let credentials = self.json.string("credentials") ?? nested?.string("credentials")
            let type = self.json.string("credentialsType") ?? nested?.string("credentialsType")
            guard credentials != nil || type != nil else { return nil }
            return LaunchCredentials(credentials: credentials, credentialsType: type)
        }
        set {
            switch self.json["appParams"] {
            case nil, .null: if newValue != nil { self.setNested(newValue, in: [:]) }
            case .object(let appParams): self.setNested(newValue, in: appParams)
            default:
                self.setTopLevel(newValue)
                return
            }
            // The top of the message is read first, so nothing old may stay there.
            self.setTopLevel(nil)
        }
    }

    private mutating func setTopLevel(_ value: LaunchCredentials?) {
        self.json["credentials"] = value?.credentials.map(JSONValue.string)
        self.json["credentialsType"] = value?.credentialsType.map(JSONValue.string)
    }

    private mutating func setNested(_ value: LaunchCredentials?, in appParams: JSONObject) {
        var appParams = appParams
        var checker = appParams.object("launchCheckerParams") ?? [:]
        if let value {
            var data = checker.object("credentialsData") ?? [:]
            data["credentials"] = value.credentials.map(JSONValue.string)
            data["credentialsType"] = value.credentialsType.map(JSONValue.string)
            checker["credentialsData"] = .object(data)
        } else if checker["credentialsData"] != nil {
            checker["credentialsData"] = nil
        } else {
            return
        }
        appParams["launchCheckerParams"] = .object(checker)
        self.json["appParams"] = .object(appParams)
    }
}
