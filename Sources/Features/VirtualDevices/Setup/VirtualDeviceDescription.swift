import CastWire
import GatewayCore
import NIOCore

/// The device's own description: the same for the built-in receiver and for a relay.
struct VirtualDeviceDescription: DeviceDescription {
    let configuration: VirtualDeviceSettings
    let identity: ReceiverIdentity

    /// The bit of a screen among the capabilities (protocol notes, 1).
    var hasScreen: Bool { self.configuration.capabilities & 1 != 0 }

    func deviceInformation(requestID: RequestID) -> JSONObject {
        DiscoveryPayload.deviceInfo(
            deviceID: self.identity.deviceID, model: self.configuration.model,
            friendlyName: self.configuration.friendlyName, capabilities: self.configuration.capabilities,
            requestID: requestID
        ).json
    }

    func setupInformation(params: [String]?) -> JSONObject {
        EurekaInfo(configuration: self.configuration, identity: self.identity, now: .now()).body(params: params)
    }
}

/// The ids of a virtual device and its address: what `gateway.yaml` does not say of it.
struct ReceiverIdentity: Hashable, Sendable {
    /// The device's UUID with dashes, in small letters, as `ssdp_udn` shows it.
    let udn: String
    /// The UUID without dashes, as the TXT key `id` and `deviceId` show it.
    let deviceID: String
    /// The address that senders reach, without port; empty when it is not known.
    let address: String
    /// The time when the device came up.
    let startedAt: NIODeadline

    /// Makes an identity.
    ///
    /// - Parameters:
    ///   - uuid: The device's UUID, with or without dashes, in any case.
    ///   - address: The address that senders reach, without port.
    ///   - startedAt: When the device came up; its uptime counts from here.
    init(uuid: String, address: String = "", startedAt: NIODeadline) {
        let digits = Array(uuid.lowercased().filter { $0 != "-" })
        self.deviceID = String(digits)
        self.udn =
            digits.count == 32
            ? [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
            : uuid.lowercased()
        self.address = address
        self.startedAt = startedAt
    }
}

/// The description of a device for set-up, at `/setup/eureka_info` and in the setup namespace (protocol notes, 5.10).
struct EurekaInfo {
    /// The parts that are left out over HTTP unless they are asked for.
    static let onlyOnRequest: Set<String> = [
        "device_info", "multizone", "build_info", "net", "wifi", "setup", "settings", "detail", "user_eq",
    ]

    private static let revision = "1.56.500000"
    private static let systemBuild = "500000"

    private let configuration: VirtualDeviceSettings
    private let identity: ReceiverIdentity
    private let uptime: Double

    /// Describes a device at one instant.
    ///
    /// - Parameters:
    ///   - identity: Its ids; the address is the one that senders reach.
    ///   - now: The instant at which the uptime is taken.
    init(configuration: VirtualDeviceSettings, identity: ReceiverIdentity, now: NIODeadline) {
        self.configuration = configuration
        self.identity = identity
        let (running, overflow) = now.uptimeNanoseconds.subtractingReportingOverflow(
            identity.startedAt.uptimeNanoseconds)
        self.uptime = overflow ? 0 : Double(running / 10_000_000) / 100
    }

    /// The JSON of the answer.
    /// - Parameter params: The blocks that were asked for; unknown ones are skipped. nil gives what devices tell without being asked for it.
    func body(params: [String]?) -> JSONObject {
        let everything = self.everything
        guard let params else {
            return JSONObject(
                everything.members.filter { !Self.onlyOnRequest.contains($0.name) }.map { ($0.name, $0.value) })
        }
        let wanted = Set(params)
        return JSONObject(everything.members.filter { wanted.contains($0.name) }.map { ($0.name, $0.value) })
    }

    private var everything: JSONObject {
        let name = JSONValue.string(self.configuration.friendlyName)
        let address = JSONValue.string(self.identity.address)
        let udn = JSONValue.string(self.identity.udn)
        return [
            "bssid": "", "build_info": self.buildInfo, "build_version": .string(Self.systemBuild),
            "cast_build_revision": .string(Self.revision), "connected": true,
            "detail": ["locale": ["display_string": "English (United States)"], "model_name": self.model],
            "device_info": self.deviceInfo, "ethernet_connected": true, "has_update": false,
            "hotspot_bssid": self.macAddress, "ip_address": address, "locale": "en-US",
            "location": ["country_code": "US", "latitude": 255.0, "longitude": 255.0],
            "mac_address": self.macAddress,
            "multizone": [
                "aux_in_group": "", "dynamic_groups": [], "groups": [], "multichannel_status": 0,
            ],
            "name": name,
            "net": ["ethernet_connected": true, "ip_address": address, "online": true],
            "opt_in": ["crash": false, "opencast": false, "stats": false],
            "public_key": "", "release_track": "stable-channel",
            "settings": ["control_notifications": 1, "locale": "en-US", "time_format": 1, "timezone": "UTC"],
            "setup": ["setup_state": 60, "ssid_suffix": "", "tos_accepted": true],
            "setup_state": 60,
            "setup_stats": [
                "historically_succeeded": true, "num_check_connectivity": 0, "num_connect_wifi": 0,
                "num_connected_wifi_not_saved": 0, "num_initial_eureka_info": 0, "num_obtain_ip": 0,
            ],
            "ssdp_udn": udn, "ssid": "", "time_format": 1, "timezone": "UTC", "tos_accepted": true,
            "uptime": .number(self.uptime), "user_eq": [:], "version": 12,
            "wifi": ["bssid": "", "has_changes": false, "ssid": "", "wpa_configured": false],
            "wpa_configured": false, "wpa_state": 0,
        ]
    }

    private var model: JSONValue { .string(self.configuration.model) }

    private var buildInfo: JSONValue {
        [
            "build_type": 2, "cast_build_revision": .string(Self.revision), "cast_control_version": 1,
            "preview_channel_state": 0, "release_track": "stable-channel",
            "system_build_number": .string(Self.systemBuild),
        ]
    }

    /// By this some senders decide whether this is a screen or a speaker, and whether it leads a group.
    private var deviceInfo: JSONValue {
        let bits = self.configuration.capabilities
        return [
            "4k_blocked": 0,
            "capabilities": [
                "audio_supported": .bool(bits & 4 != 0), "display_supported": .bool(bits & 1 != 0),
                "fdr_supported": false, "multizone_supported": .bool(bits & 32 != 0), "opencast_supported": false,
            ],
            "cloud_device_id": .string(self.identity.deviceID.uppercased()), "factory_country_code": "US",
            "hotspot_bssid": self.macAddress, "mac_address": self.macAddress, "manufacturer": "Google Inc.",
            "model_name": self.model, "product_name": self.model, "public_key": "",
            "ssdp_udn": .string(self.identity.udn), "uptime": .number(self.uptime), "weave_device_id": "",
        ]
    }

    /// A locally administered address that stays the same as long as the device's UUID does.
    private var macAddress: JSONValue {
        let digits = Array(self.identity.deviceID.uppercased().filter(\.isHexDigit))
        let pairs = (0..<5).map { index in
            digits.count >= 10 ? String(digits[(2 * index)..<(2 * index + 2)]) : "00"
        }
        return .string((["02"] + pairs).joined(separator: ":"))
    }
}
