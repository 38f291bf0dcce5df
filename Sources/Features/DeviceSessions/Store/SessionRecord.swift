package import CastClient
package import CastDiscovery
package import CastWire
package import GatewayCore

/// The stored record of a session, so that another run of the gateway can take it up (protocol notes, 8.7).
///
/// Its description leaves the credentials out.
package struct SessionRecord: Hashable, Sendable, CustomStringConvertible {
    /// The device's name in the gateway.
    package var device: String
    /// The device's addresses, best first.
    package var addresses: [DeviceAddress]
    /// The category of the device when the session began; nil where that was not known, or not written.
    package var category: DeviceCategory?
    /// The device's id; nil when any at its address was meant, or it was not written.
    package var deviceID: DeviceID?
    /// As which device the one at the other end proved itself, by the common name of its certificate; nil where it was asked for no
    /// proof, or gave none.
    package var provenDevice: String?
    /// The app that was asked for; nil when the session was joined by its id.
    package var app: AppID?
    /// The app as the device described it: its ids, the session's, and where it is reached.
    package var application: ReceiverApplication
    package var options: LaunchOptions
    /// The reason the session is suspended; ``SessionSuspendReason/none`` while it is not.
    package var suspendReason: SessionSuspendReason
    /// The state that the media client wants to have back.
    package var media: JSONObject?

    package init(
        device: String, addresses: [DeviceAddress], app: AppID?, application: ReceiverApplication,
        options: LaunchOptions, suspendReason: SessionSuspendReason = .none, media: JSONObject? = nil
    ) {
        self.device = device
        self.addresses = addresses
        self.app = app
        self.application = application
        self.options = options
        self.suspendReason = suspendReason
        self.media = media
    }

    package var description: String { "session \(self.application.sessionID ?? "unknown") on \(self.device)" }
}

extension SessionRecord {
    /// The record as it is written.
    var json: JSONObject {
        var json: JSONObject = [
            "addresses": .array(
                self.addresses.map { ["host": .string($0.host), "port": .number($0.port)] }),
            "application": .object(self.application.json),
            "options": .object(self.options.json),
            "suspendReason": .number(self.suspendReason.rawValue),
        ]
        if let app { json["app"] = .string(app.rawValue) }
        if let category { json["category"] = .string(category.rawValue) }
        if let deviceID { json["deviceId"] = .string(deviceID.text) }
        if let provenDevice { json["provenDevice"] = .string(provenDevice) }
        if let media { json["media"] = .object(media) }
        return json
    }

    /// Reads what was written; nil when it does not name a session.
    init?(device: String, json: JSONObject) {
        guard let application = json.object("application").map(ReceiverApplication.init),
            application.sessionID != nil, application.transportID != nil
        else { return nil }
        let addresses = (json.array("addresses") ?? []).compactMap(\.objectValue).compactMap { address in
            address.string("host").flatMap { host in
                address.int("port").map { DeviceAddress(host: host, port: $0) }
            }
        }
        self.init(
            device: device, addresses: addresses, app: json.string("app").map(AppID.init(rawValue:)),
            application: application, options: LaunchOptions(json: json.object("options") ?? [:]),
            suspendReason: json.int("suspendReason").flatMap(SessionSuspendReason.init) ?? .unknown,
            media: json.object("media"))
        self.deviceID = json.string("deviceId").flatMap { DeviceID($0) }
        self.provenDevice = json.string("provenDevice")
        self.category = json.string("category").map(DeviceCategory.init(rawValue:)).flatMap { $0.isValid ? $0 : nil }
    }
}

extension LaunchOptions {
    fileprivate var json: JSONObject {
        var json: JSONObject = [
            "relaunchIfRunning": .bool(self.relaunchesIfRunning),
            "supportedAppTypes": .array(self.supportedAppTypes.map(JSONValue.string)),
            "requiredFeatures": .array(self.requiredFeatures.map(JSONValue.string)),
        ]
        json["language"] = self.languageCode.map(JSONValue.string)
        json["senderName"] = self.senderName.map(JSONValue.string)
        if !self.appParameters.members.isEmpty { json["appParams"] = .object(self.appParameters) }
        json["credentials"] = self.credentials?.credentials.map(JSONValue.string)
        json["credentialsType"] = self.credentials?.credentialsType.map(JSONValue.string)
        return json
    }

    fileprivate init(json: JSONObject) {
        let credentials = json.string("credentials")
        let type = json.string("credentialsType")
        self.init(
            languageCode: json.string("language"), relaunchesIfRunning: json.bool("relaunchIfRunning") ?? false,
            supportedAppTypes: json.array("supportedAppTypes")?.compactMap(\.stringValue) ?? ["WEB"],
            credentials: credentials == nil && type == nil
                ? nil : ReceiverRequest.LaunchCredentials(credentials: credentials, credentialsType: type),
            requiredFeatures: json.array("requiredFeatures")?.compactMap(\.stringValue) ?? [],
            senderName: json.string("senderName"))
        self.appParameters = json.object("appParams") ?? [:]
    }
}

/// The store of sessions. No method waits but ``load()`` and ``settle()``: changes are made in order, on another thread.
package protocol SessionRecordStore: Sendable {
    /// Writes a session down soon, in the place of what was written of its device.
    func save(_ record: SessionRecord)

    /// Removes the record of a device.
    func remove(device: String)

    /// Everything that is written down; blocks.
    /// - Throws: when nothing can be read.
    func load() throws -> [SessionRecord]

    /// Waits until everything that was asked for is on disk, or has failed.
    func settle() async
}
