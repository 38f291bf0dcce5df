/// The answer to GET_APP_AVAILABILITY (protocol notes, 5.3).
///
/// Devices name its type under `responseType`, other receivers under `type`; an answer that is made here has both.
public struct AppAvailability: MessagePayload {
    /// The type on the wire, the same as the request's.
    public static let type = "GET_APP_AVAILABILITY"

    /// How many different apps an answer that is made here names at most, so that it fits into a frame.
    public static let maximumApps = 128
    /// How long the id of an app may be, in bytes, to be named in an answer that is made here.
    public static let maximumIDLength = 64

    private static let available = "APP_AVAILABLE"
    private static let unavailable = "APP_UNAVAILABLE"
    /// A word that no device says: senders read it as none of the two others.
    private static let unknown = "APP_AVAILABILITY_UNKNOWN"

    /// The whole message.
    public var json: JSONObject

    /// Wraps a message; nothing is checked.
    public init(json: JSONObject) {
        self.json = json
    }

    /// Makes an answer about some apps, in their order: each once, and no more than ``maximumApps``. Ids above
    /// ``maximumIDLength`` are left out.
    /// - Parameter isAvailable: whether the device can run an app; nil when that is not known.
    public init(of apps: [AppID], requestID: RequestID, isAvailable: (AppID) -> Bool?) {
        var seen: Set<AppID> = []
        var availability: [(String, JSONValue)] = []
        for app in apps where app.rawValue.utf8.count <= Self.maximumIDLength {
            guard availability.count < Self.maximumApps else { break }
            guard seen.insert(app).inserted else { continue }
            let word = isAvailable(app).map { $0 ? Self.available : Self.unavailable } ?? Self.unknown
            availability.append((app.rawValue, .string(word)))
        }
        self.json = [
            "type": .string(Self.type), "responseType": .string(Self.type), "requestId": requestID.json,
            "availability": .object(JSONObject(availability)),
        ]
    }

    /// The message's type, under either of its names; nil when absent.
    public var type: String? { self.json.string("type") ?? self.json.string("responseType") }

    /// Whether the device can run an app; nil when the answer does not say.
    public func isAvailable(_ app: AppID) -> Bool? {
        switch self.json.object("availability")?.string(app.rawValue) {
        case Self.available: true
        case Self.unavailable: false
        default: nil
        }
    }

    /// The apps that the device can run, in the order of the answer.
    public var availableApps: [AppID] { self.apps { $0 == Self.available } }

    /// The apps that it cannot, in the order of the answer.
    public var unavailableApps: [AppID] { self.apps { $0 == Self.unavailable } }

    /// The apps of which the answer does not say that the device can run them, in the order of the answer.
    public var missingApps: [AppID] { self.apps { $0 != Self.available } }

    /// Says of an app that the device cannot run it.
    public mutating func setUnavailable(_ app: AppID) {
        var availability = self.json.object("availability") ?? JSONObject()
        availability[app.rawValue] = .string(Self.unavailable)
        self.json["availability"] = .object(availability)
    }

    private func apps(where isMeant: (_ word: String?) -> Bool) -> [AppID] {
        (self.json.object("availability")?.members ?? [])
            .filter { isMeant($0.value.stringValue) }
            .map { AppID(rawValue: $0.name) }
    }
}
