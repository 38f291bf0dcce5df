package import GatewayOperations

/// Something that is not as it should be and that an operator may want to look at: a line of `castway status`.
package struct GatewayWarning: Sendable, Hashable {
    /// What it is, in a word that never changes.
    package enum Code: String, Sendable, CaseIterable {
        case bridgeDown = "bridge_down"
        case catalogueFailed = "catalogue_failed"
        case certificateEnding = "certificate_ending"
        case deviceNotVerified = "device_not_verified"
        case deviceOffline = "device_offline"
        case devicesRefused = "devices_refused"
        case discoveryBlocked = "discovery_blocked"
        case handlerSuspended = "handler_suspended"
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

    package let code: Code
    /// The sentence, with names and values, without a full stop.
    package let text: String
    /// The device that it is about, virtual or real, by its name in the gateway.
    package var device: String?
    /// The plugin that it is about.
    package var plugin: String?
    /// Since when, in seconds since 1970.
    package var since: Int?

    package init(_ code: Code, _ text: String, device: String? = nil, plugin: String? = nil, since: Int? = nil) {
        self.code = code
        self.text = text
        self.device = device
        self.plugin = plugin
        self.since = since
    }

    /// Whether a caller may see it: one that is limited to devices sees what is about those.
    package func isFor(_ caller: Caller) -> Bool {
        if let device { return caller.mayUse(device: device) }
        return caller.devices == nil
    }
}

/// A warning, as operations answer with it.
package struct WarningResult: ResultRecord {
    package typealias Source = GatewayWarning

    package let code = Field("code", "What it is") { $0.code }
    package let text = Field("text", "The same in a sentence") { $0.text }
    package let device = Field.optional("device", "The device that it is about") { $0.device }
    package let plugin = Field.optional("plugin", "The plugin that it is about") { $0.plugin }
    package let since = Field.optional("since", "Since when, in seconds since 1970") { $0.since }

    package static let layout = ResultLayout(WarningResult())
}
