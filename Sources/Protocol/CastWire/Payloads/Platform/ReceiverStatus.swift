/// What a device tells of itself: its app and its volume (protocol notes, 5.2).
public struct ReceiverStatus: JSONPayload {
    /// The object under `status`.
    public var json: JSONObject

    /// Wraps an object; nothing is checked.
    public init(json: JSONObject) {
        self.json = json
    }

    /// The fields of the object.
    public enum Fields {
        /// The device's volume; nil when the device does not tell.
        public static let volume = Field<ReceiverVolume>("volume")
        /// Whether the screen shows this device; nil when the device does not tell.
        public static let isActiveInput = Field<Bool>(exact: "isActiveInput")
        /// Whether the screen is off; nil when the device does not tell.
        public static let isStandBy = Field<Bool>(exact: "isStandBy")
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

/// A RECEIVER_STATUS: the device's status, as an answer or, with request id 0, unasked (protocol notes, 5.2).
public struct ReceiverStatusPayload: MessagePayload {
    /// The type on the wire.
    public static let type = "RECEIVER_STATUS"

    /// The whole message.
    public var json: JSONObject

    /// Wraps a message; nothing is checked.
    public init(json: JSONObject) {
        self.json = json
    }

    /// Makes a message.
    public init(_ status: ReceiverStatus, requestID: RequestID = .spontaneous) {
        self.json = ["type": .string(Self.type), "requestId": requestID.json, "status": .object(status.json)]
    }

    /// The status; nil when the message has none or has another type.
    public var status: ReceiverStatus? {
        get { self.type == Self.type ? self.json.object("status").map(ReceiverStatus.init) : nil }
        set { self.json["status"] = newValue.map { .object($0.json) } }
    }
}

/// The volume of a device, or the parts of it that shall change (protocol notes, 5.2 and 5.6).
public struct ReceiverVolume: JSONPayload {
    /// The object under `volume`.
    public var json: JSONObject

    /// Wraps an object; nothing is checked.
    public init(json: JSONObject) {
        self.json = json
    }

    /// The fields of the object.
    public enum Fields {
        /// Whether the sound is off.
        public static let muted = Field<Bool>(exact: "muted")
        /// How the volume can be changed; nil when absent or unknown.
        public static let controlType = Field<VolumeControlType>("controlType")
    }

    /// Makes a volume of the parts that are given; a request has one or two of them, a status all four.
    public init(
        level: Double? = nil, muted: Bool? = nil, controlType: VolumeControlType? = nil, stepInterval: Double? = nil
    ) {
        self.json = [:]
        if let controlType { self.controlType = controlType }
        if let level { self.level = level }
        if let muted { self.muted = muted }
        if let stepInterval { self.stepInterval = stepInterval }
    }

    /// The loudness from 0 to 1, brought into that range however it was sent; nil when absent.
    public var level: Double? {
        get { self.json.double("level").flatMap { $0.isNaN ? nil : min(max($0.shortest, 0), 1) } }
        set { self.json["level"] = newValue.map { .number($0.shortest) } }
    }

    /// By how much senders shall change the level at once, from 0 to 1; nil when absent.
    public var stepInterval: Double? {
        get { self.json.double("stepInterval")?.shortest }
        set { self.json["stepInterval"] = newValue.map { .number($0.shortest) } }
    }
}

/// How a device's volume can be changed (protocol notes, 5.2).
public enum VolumeControlType: String, Hashable, Sendable, CaseIterable, FieldValue {
    /// In steps of its own, the usual kind.
    case attenuation
    /// Together with the system's volume, as televisions do.
    case master
    /// Not at all.
    case fixed
}
