public import CastWire

/// How an app is launched or joined (protocol notes, 5.4).
public struct LaunchOptions: Hashable, Sendable {
    /// The sender's language, such as `en-US`; nil leaves it out.
    public var languageCode: String?
    /// Whether an app that runs already is launched anew; otherwise it is joined. Default false.
    public var relaunchesIfRunning: Bool
    /// The kinds of app that may be started, best first: `WEB`, `ANDROID_TV`. Default `WEB` alone.
    public var supportedAppTypes: [String]
    /// What the app learns of the user.
    public var credentials: ReceiverRequest.LaunchCredentials?
    /// What the app must be able to do, such as `STREAM_TRANSFER`.
    public var requiredFeatures: [String]
    /// What the device may call the sender.
    public var senderName: String?
    /// What the app is given beside that: members of `appParams`.
    public var appParameters: JSONObject = [:]

    /// Makes options; those of a plain launch, if not told.
    public init(
        languageCode: String? = nil, relaunchesIfRunning: Bool = false, supportedAppTypes: [String] = ["WEB"],
        credentials: ReceiverRequest.LaunchCredentials? = nil, requiredFeatures: [String] = [],
        senderName: String? = nil
    ) {
        self.languageCode = languageCode
        self.relaunchesIfRunning = relaunchesIfRunning
        self.supportedAppTypes = supportedAppTypes
        self.credentials = credentials
        self.requiredFeatures = requiredFeatures
        self.senderName = senderName
    }

    /// Whether the Android TV app of an app that has one may be started (Cast Connect).
    public var isAndroidReceiverCompatible: Bool {
        get { self.supportedAppTypes.contains("ANDROID_TV") }
        set {
            guard newValue != self.isAndroidReceiverCompatible else { return }
            if newValue {
                self.supportedAppTypes.insert("ANDROID_TV", at: 0)
            } else {
                self.supportedAppTypes.removeAll { $0 == "ANDROID_TV" }
            }
        }
    }

    /// The LAUNCH of an app; what asks for nothing is left out, as small senders do.
    public func request(for app: AppID, requestID: RequestID) -> ReceiverRequest {
        var request = ReceiverRequest.launch(
            app, language: self.languageCode,
            supportedAppTypes: self.supportedAppTypes == ["WEB"] ? [] : self.supportedAppTypes, requestID: requestID)
        if let senderName { request.json["senderDeviceName"] = .string(senderName) }
        var parameters = self.appParameters
        if !self.requiredFeatures.isEmpty {
            parameters["requiredFeatures"] = .array(self.requiredFeatures.map(JSONValue.string))
        }
        if !parameters.members.isEmpty { request.appParams = .object(parameters) }
        if let credentials { request.credentials = credentials }
        return request
    }
}
