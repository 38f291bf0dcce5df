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
