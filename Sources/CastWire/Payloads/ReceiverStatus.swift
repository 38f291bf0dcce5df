/// What a device tells of itself: its app and its volume (protocol notes, 5.2).
public struct ReceiverStatus: JSONPayload {
    /// The object under `status`.
    public var json: JSONObject

    /// Looks at an object.
    public init(json: JSONObject) {
        self.json = json
    }

    /// Makes a status.
    ///
    /// - Parameters:
    ///   - application: The app that runs. There is one place only: Chromium takes no session from a longer list.
    ///   - volume: The device's volume.
    ///   - isActiveInput: Whether the screen shows this device; nil on devices without a screen.
    ///   - isStandBy: Whether the screen is off; nil on devices without a screen.
    public init(
        application: ReceiverApplication?, volume: ReceiverVolume, isActiveInput: Bool? = true, isStandBy: Bool? = false
    ) {
        self.json = [:]
        if let application { self.applications = [application] }
        self.isActiveInput = isActiveInput
        self.isStandBy = isStandBy
        self.json["userEq"] = [:]
        self.volume = volume
    }

    /// The apps that run; mostly one, or none. Setting an empty list removes the field.
    public var applications: [ReceiverApplication] {
        get { (self.json.array("applications") ?? []).compactMap(\.objectValue).map(ReceiverApplication.init) }
        set {
            self.json["applications"] = newValue.isEmpty ? nil : .array(newValue.map { .object($0.json) })
        }
    }

    /// The device's volume; nil when the device does not tell.
    public var volume: ReceiverVolume? {
        get { self.json.object("volume").map(ReceiverVolume.init) }
        set { self.json["volume"] = newValue.map { .object($0.json) } }
    }

    /// Whether the screen shows this device; nil when the device does not tell.
    public var isActiveInput: Bool? {
        get { self.json.bool("isActiveInput") }
        set { self.json["isActiveInput"] = newValue.map(JSONValue.bool) }
    }

    /// Whether the screen is off; nil when the device does not tell.
    public var isStandBy: Bool? {
        get { self.json.bool("isStandBy") }
        set { self.json["isStandBy"] = newValue.map(JSONValue.bool) }
    }

    /// The app that goes by an id, as itself or as the web app that it stands for.
    public func application(_ id: AppID) -> ReceiverApplication? {
        self.applications.first { $0.matches(id) }
    }

    /// The app of a session.
    public func application(sessionID: String) -> ReceiverApplication? {
        self.applications.first { $0.sessionID == sessionID }
    }

    /// The app at an end of virtual connections.
    public func application(transportID: EndpointID) -> ReceiverApplication? {
        self.applications.first { $0.transportID == transportID }
    }
}
