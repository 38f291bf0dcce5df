import CastWire
import GatewayJournal
import GatewayOperations

/// The devices as the frames of the journal describe them: what is published of each, and which have changed. Knows no broker.
///
/// A virtual device and a real one may have the same name. They are one to subscribers then, and where both say something the real
/// device counts.
struct MQTTDeviceTable: Sendable {
    /// The current media.
    private struct Media: Sendable {
        var status: JSONObject
        var position: Double?
        var at: String?
        var rate: Double?

        /// Reads `data` of an event; nil when nothing is loaded.
        init?(_ data: JSONObject) {
            guard let status = data.object("status") else { return nil }
            self.status = status
            self.position = data.double("position")
            self.at = data.string("at")
            self.rate = data.double("rate")
        }
    }

    private struct Virtual: Sendable {
        var status: JSONObject?
        var target: String?
        var media: Media?
        /// The senders' view: `friendly_name` and `model`.
        var description: JSONObject = [:]
    }

    private struct Real: Sendable {
        /// The device's last status, by whichever sender it was changed.
        var listed: (id: String, facts: JSONObject)?
        var isOnline: Bool?
        /// The device's last status, by whichever sender it was changed.
        var status: JSONObject?
        var sessions: [Int: Session] = [:]
        var latest: Session? { self.sessions.max { $0.key < $1.key }?.value }
        var isEmpty: Bool { self.listed == nil && self.isOnline == nil && self.status == nil && self.sessions.isEmpty }
    }

    private struct Session: Sendable {
        var facts: JSONObject = [:]
        var level: Double?
        var muted: Bool?
        var media: Media?
    }

    private struct Device: Sendable {
        var virtual: Virtual?
        var real: Real?
    }

    /// The number of sessions of a device that are remembered.
    private static let maximumSessions = 16

    private var devices: [String: Device] = [:]
    private var changed: Set<String> = []
    /// The devices that are to be there when a snapshot is complete; nil while none is read.
    private var former: Set<String>?

    init() {}

    var count: Int { self.devices.count }

    func has(_ device: String) -> Bool { self.devices[device] != nil }

    /// The reference by which operations find a device, also when two go by its name.
    func reference(to device: String) -> String {
        guard let known = self.devices[device], known.virtual != nil, known.real != nil else { return device }
        return "real:\(device)"
    }

    /// Takes the devices that have changed since the last call, sorted; those that are gone have no documents.
    mutating func takeChanged() -> [String] {
        // While a snapshot is read, what is missing is not gone yet.
        guard self.former == nil else { return [] }
        defer { self.changed = [] }
        return self.changed.sorted()
    }

    mutating func beginSnapshot() {
        self.former = (self.former ?? []).union(self.devices.keys)
        self.devices = [:]
    }

    mutating func receive(_ frame: JSONObject) {
        switch frame.string("frame") {
        case "resync": self.beginSnapshot()
        case "synced":
            self.changed.formUnion(self.former ?? [])
            self.former = nil
        case nil, "snapshot":
            guard let type = frame.string("type"), let device = frame.string("device") else { return }
            self.take(type, of: device, frame.object("data") ?? [:])
        default: break
        }
    }

    private mutating func take(_ type: String, of name: String, _ data: JSONObject) {
        let before = self.devices[name]
        var device = before ?? Device()
        switch type {
        case "virtual_device.added": device.virtual = device.virtual ?? Virtual()
        case "virtual_device.removed": device.virtual = nil
        case "virtual_device.described":
            var virtual = device.virtual ?? Virtual()
            virtual.description = data
            device.virtual = virtual
        case "receiver.status":
            var virtual = device.virtual ?? Virtual()
            virtual.status = data.object("status")
            virtual.target = data.string("target")
            device.virtual = virtual
        case "media.status":
            var virtual = device.virtual ?? Virtual()
            virtual.media = Media(data)
            device.virtual = virtual
        case "device.inserted", "device.updated", "device.removed", "device.online", "device.offline",
            "device.status", "device.released":
            var real = device.real ?? Real()
            Self.take(type, data, into: &real)
            device.real = real.isEmpty ? nil : real
        case _ where type.hasPrefix("session.") || type == "media.session_status":
            guard let number = data.int("session") else { return }
            var real = device.real ?? Real()
            Self.take(type, number, data, into: &real)
            device.real = real.isEmpty ? nil : real
        default: return
        }
        self.devices[name] = device.virtual == nil && device.real == nil ? nil : device
        self.changed.insert(name)
    }

    private static func take(_ type: String, _ data: JSONObject, into real: inout Real) {
        let facts = data.object("device") ?? [:]
        let id = facts.string("uniqueId") ?? ""
        switch type {
        case "device.removed": if real.listed?.id == id { real.listed = nil }
        case "device.online": real.isOnline = true
        case "device.offline": real.isOnline = false
        case "device.status": real.status = data.object("status")
        case "device.released": (real.isOnline, real.status) = (nil, nil)
        default: real.listed = (id, facts)
        }
    }

    private static func take(_ type: String, _ number: Int, _ data: JSONObject, into real: inout Real) {
        var session = real.sessions[number]
        switch type {
        case "session.did_end", "session.did_fail_to_start", "session.did_fail_to_resume": session = nil
        case "session.volume":
            // The last of a session says nothing, also after its end.
            guard data["level"] != nil || data["muted"] != nil || session != nil else { return }
            session = session ?? Session()
            session?.level = data.double("level")
            session?.muted = data.bool("muted")
        case "media.session_status":
            guard data["status"] != nil || session != nil else { return }
            session = session ?? Session()
            session?.media = Media(data)
        case "session.members", "session.launch_status", "session.active_input", "session.standby": return
        default:
            session = session ?? Session()
            session?.facts = data
        }
        real.sessions[number] = session
        if real.sessions.count > Self.maximumSessions, let oldest = real.sessions.keys.min() {
            real.sessions[oldest] = nil
        }
    }

    // MARK: What is published

    /// The documents of a device.
    struct Documents: Sendable, Hashable {
        /// `online`, or `offline` for a real device that does not answer.
        var availability: String
        var info: JSONObject
        var state: JSONObject
        var media: JSONObject
        /// The name that Home Assistant shows.
        var friendlyName: String
        /// The model; nil when the device does not tell.
        var model: String?
    }

    /// The documents of a device; nil when there is none of this name.
    func documents(of name: String) -> Documents? {
        guard let device = self.devices[name] else { return nil }
        let isOnline = device.virtual != nil || device.real?.isOnline != false
        let info = Self.info(name, device)
        return Documents(
            availability: isOnline ? "online" : "offline", info: info, state: Self.state(device),
            media: Self.media(device.real?.latest?.media ?? device.virtual?.media),
            friendlyName: info.string("friendly_name") ?? name, model: info.string("model"))
    }

    private static func info(_ name: String, _ device: Device) -> JSONObject {
        var kinds: [JSONValue] = []
        if device.virtual != nil { kinds.append("virtual") }
        if device.real != nil { kinds.append("real") }
        var info: JSONObject = ["name": .string(name), "kinds": .array(kinds)]
        if let target = device.virtual?.target { info["target"] = .string(target) }
        // A real device that is not listed goes by its name, as `device.get` has it.
        info["friendly_name"] = device.virtual?.description["friendly_name"] ?? .string(name)
        if let model = device.virtual?.description["model"] { info["model"] = model }
        guard let facts = device.real?.listed?.facts else { return info }
        for (member, source) in [
            ("friendly_name", "friendlyName"), ("model", "modelName"), ("id", "deviceId"), ("type", "type"),
            ("address", "networkAddress"),
        ] {
            if let value = facts[source], value != "" { info[member] = value }
        }
        return info
    }

    private static func state(_ device: Device) -> JSONObject {
        let status = device.real?.status ?? device.virtual?.status
        let session = device.real?.latest
        let (real, virtual) = (device.real?.status?.object("volume"), device.virtual?.status?.object("volume"))
        var state: JSONObject = [:]
        if let level = real?.double("level") ?? session?.level ?? virtual?.double("level") {
            state["volume"] = .number(level)
        }
        if let muted = real?.bool("muted") ?? session?.muted ?? virtual?.bool("muted") { state["muted"] = .bool(muted) }
        let apps = (status?.array("applications") ?? []).compactMap(\.objectValue)
        let own = session?.facts
        // On a device that runs several, the app of the gateway's own session counts.
        let app =
            own?.string("session_id").flatMap { id in apps.first { $0.string("sessionId") == id } }
            ?? apps.first { $0.bool("isIdleScreen") != true }
        if device.real?.isOnline == false {
            (state["app"], state["session"]) = (.null, .null)
        } else if let own, app == nil || device.real?.status == nil {
            state["app"] = Self.app(id: own.string("app"), name: own.string("display_name"))
            state["session"] = own["session_id"] ?? .null
        } else {
            state["app"] = Self.app(id: app?.string("appId"), name: app?.string("displayName"))
            state["session"] = app?["sessionId"] ?? .null
        }
        if let isStandby = status?.bool("isStandBy") { state["standby"] = .bool(isStandby) }
        return state
    }

    private static func app(id: String?, name: String?) -> JSONValue {
        guard let id else { return .null }
        return ["id": .string(id), "name": name.map { .string($0) } ?? .null]
    }

    private static func media(_ media: Media?) -> JSONObject {
        guard let media else { return ["state": "idle"] }
        let status = media.status
        let described = status.object("media") ?? [:]
        let metadata = described.object("metadata") ?? [:]
        var object: JSONObject = [
            "state": .string(Self.playerState(status.string("playerState")))
        ]
        let told: [(name: String, value: JSONValue?)] = [
            ("content_id", described["contentId"]), ("content_type", described["contentType"]),
            ("title", metadata["title"]),
            ("artist", metadata["artist"] ?? metadata["albumArtist"]), ("subtitle", metadata["subtitle"]),
            ("duration", described["duration"]), ("media_session_id", status["mediaSessionId"]),
            ("item_id", status["currentItemId"]), ("repeat_mode", Self.repeatMode(status["repeatMode"])),
        ]
        for case (let member, let value?) in told where value != .null { object[member] = value }
        if let position = media.position {
            object["position"] = .number(position)
            object["position_at"] = media.at.map { .string($0) }
            object["rate"] = media.rate.map { .number($0) }
        }
        return object
    }

    /// Translates a repeat mode to the words of the operations; nil when it is not told.
    private static func repeatMode(_ value: JSONValue?) -> JSONValue? {
        value?.stringValue.map { .string(RepeatMode(rawValue: $0).word) }
    }

    /// Translates a player state to the words of the operations.
    private static func playerState(_ text: String?) -> String {
        let known = ["IDLE", "LOADING", "BUFFERING", "PLAYING", "PAUSED"]
        return text.flatMap { known.contains($0) ? $0.lowercased() : nil } ?? "idle"
    }
}
