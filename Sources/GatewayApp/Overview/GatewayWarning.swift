import CastWire
import GatewayOperations

/// Something that is not as it should be and that an operator may want to look at: a line of `castway status`.
struct GatewayWarning: Sendable, Hashable {
    /// What it is, in a word that never changes.
    enum Code: String, Sendable, CaseIterable {
        case bridgeDown = "bridge_down"
        case catalogueFailed = "catalogue_failed"
        case certificateEnding = "certificate_ending"
        case deviceNotVerified = "device_not_verified"
        case deviceOffline = "device_offline"
        case devicesRefused = "devices_refused"
        case discoveryBlocked = "discovery_blocked"
        case handlerSuspended = "handler_suspended"
        case keysUnusable = "keys_unusable"
        case mirroringUnavailable = "mirroring_unavailable"
        case multicastLimited = "multicast_limited"
        case outboxVolatile = "outbox_volatile"
        case passthroughInOwnNetwork = "passthrough_in_own_network"
        case pluginDegraded = "plugin_degraded"
        case pluginDown = "plugin_down"
        case pluginLooping = "plugin_looping"
        case reloadFailed = "reload_failed"
        case stateUnwritable = "state_unwritable"
        case stateVolatile = "state_volatile"
        case virtualDeviceNotListening = "virtual_device_not_listening"
    }

    let code: Code
    /// The sentence, with names and values, without a full stop.
    let text: String
    /// The device that it is about, virtual or real, by its name in the gateway.
    var device: String?
    /// The plugin that it is about.
    var plugin: String?
    /// Since when, in seconds since 1970.
    var since: JSONValue?

    /// Makes a warning.
    init(_ code: Code, _ text: String, device: String? = nil, plugin: String? = nil, since: JSONValue? = nil) {
        self.code = code
        self.text = text
        self.device = device
        self.plugin = plugin
        self.since = since
    }

    /// What operations say of it.
    static let members: [OperationResult.Member] = [
        .init("code", .word(Code.allCases.map(\.rawValue)), "What it is"),
        .init("text", .text, "The same in a sentence"),
        .optional("device", .text, "The device that it is about"),
        .optional("plugin", .text, "The plugin that it is about"),
        .optional("since", .integer, "Since when, in seconds since 1970"),
    ]

    /// The warning as callers see it.
    var json: JSONObject {
        var json: JSONObject = ["code": .string(self.code.rawValue), "text": .string(self.text)]
        if let device { json["device"] = .string(device) }
        if let plugin { json["plugin"] = .string(plugin) }
        if let since { json["since"] = since }
        return json
    }

    /// Whether a caller may see it: one that is limited to devices sees what is about those.
    func isFor(_ caller: Caller) -> Bool {
        if let device { return caller.mayUse(device: device) }
        return caller.devices == nil
    }
}
