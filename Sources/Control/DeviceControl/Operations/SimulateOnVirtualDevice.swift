import CastWire
import FeatureContract
import GatewayConfig
import GatewayCore
import GatewayOperations
import VirtualDevices

/// `virtual_device.simulate`
struct SimulateOnVirtualDevice: GatewayOperation {
    /// How what plays fails.
    struct Failure: ConfigSettings {
        var reason: String?
        var detailedError = 104

        static let keys: [Key] = [
            .optional(
                "reason", \.reason, .text(allowed: "A-Z0-9_", length: 1...64), "The reason that senders are told",
                example: "APP_ERROR"),
            Key("detailed_error", \.detailedError, .integer(100...999), "The number that senders are told"),
        ]

        init() {}
    }

    /// How many pixels a screen shows.
    struct Resolution: ConfigObject {
        var width = 0
        var height = 0

        static let keys: [Key] = [
            .required("width", \.width, .integer(1...65_536), "Pixels of a line", example: "1920"),
            .required("height", \.height, .integer(1...65_536), "Lines", example: "1080"),
        ]

        init(blank: ConfigBlank) {}
    }

    struct Input: RuledInput {
        var device = DeviceReference("")
        var key: RemoteKey?
        var isStandby: Bool?
        var isActiveInput: Bool?
        var resolution: Resolution?
        var givesFeedback: Bool?
        var statusText: String?
        var isFatal: Bool?
        var endsItem: Bool?
        var failure: Failure?
        var buffering: Duration?

        static let keys: [Key] = [
            .virtualDevice(\.device),
            .optional("key", \.key, .word, "A key of its remote control is pressed; `home` leaves the app"),
            .optional(
                "standby", \.isStandby, .boolean,
                "Its screen goes to standby, which ends the app, or comes back; a launch switches it on"),
            .optional("active_input", \.isActiveInput, .boolean, "Its screen shows this device, or another input"),
            .optional(
                "max_resolution", \.resolution, .object, "Its screen shows so many pixels at most from now on",
                example: "{width: 1920, height: 1080}"),
            .optional("feedback", \.givesFeedback, .boolean, "A viewer begins to write feedback"),
            .optional(
                "status_text", \.statusText, .text(maximumBytes: 256),
                "The app says this of itself until it changes its text; empty for its own"),
            .optional(
                "fatal_error", \.isFatal, .boolean, "The app fails in a way that it cannot go on after, and ends"),
            .optional("end_of_item", \.endsItem, .boolean, "What plays has come to its end"),
            .optional("error", \.failure, .object, "What plays or loads fails", example: "{detailed_error: 104}"),
            .optional(
                "buffering", \.buffering, .duration(.milliseconds(10) ... .seconds(3600)),
                "What plays stops for want of data, for so long", example: "5s"),
        ]

        static let rules: [InputRule] = [
            .one(of: [
                "key", "standby", "active_input", "max_resolution", "feedback", "status_text", "fatal_error",
                "end_of_item", "error", "buffering",
            ])
        ]

        init(blank: ConfigBlank) {}

        /// What happens; nil for `fatal_error: false`, `end_of_item: false` and `feedback: false`.
        var event: SimulatedEvent? {
            if let key { return .key(key) }
            if let isStandby { return .standby(isStandby) }
            if let isActiveInput { return .activeInput(isActiveInput) }
            if let resolution { return .maximumResolution(width: resolution.width, height: resolution.height) }
            if self.givesFeedback == true { return .feedback }
            if let statusText { return .statusText(statusText) }
            if let failure { return .failure(reason: failure.reason, detailedErrorCode: failure.detailedError) }
            if let buffering { return .buffering(buffering) }
            if self.isFatal == true { return .fatalError }
            return self.endsItem == true ? .endOfItem : nil
        }
    }

    static let name: OperationName = "virtual_device.simulate"
    static let route = OperationRoute(.post, "/virtual-devices/{device}/simulate")
    static let scope = OperationScope.control
    static let reach = OperationReach.device
    static let summary =
        "Lets something happen at a virtual device itself, as a viewer, the screen or the network would"
    static let details =
        "For tests of senders and handlers, on devices with the built-in receiver. Senders hear of it by a status that they have not asked for, which passes the handlers as every message "
        + "of the device does; of a resolution and of feedback no status tells, but an event does. `virtual_device.disconnect` cuts their connections."
    static let result = ConnectedVirtualDeviceResult.result("The virtual device afterwards")
    static let problems =
        DeviceProblem.virtual + [
            OperationProblemCase("unsupported_feature", 409, "a real device stands behind it, or it has no screen"),
            OperationProblemCase("application_not_running", 409, "no app runs on the device"),
            OperationProblemCase("no_media_session", 409, "nothing is loaded, or what is loaded cannot do this now"),
        ]

    /// Knows the devices.
    let feature: OverviewFeature

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let device = try self.feature.resolver.virtualDevice(input.device, for: caller)
        if let event = input.event {
            guard let outcome = await self.feature.running.simulate(event, at: device.name) else {
                throw OperationProblem(GatewayError(.unavailable, "the virtual device does not run"))
            }
            try outcome.check(device.name)
        }
        return ConnectedVirtualDeviceResult.json(try await self.feature.virtualDevice(device))
    }
}

extension SimulationOutcome {
    /// - Throws: why it did not happen.
    fileprivate func check(_ device: String) throws(OperationProblem) {
        switch self {
        case .done: return
        case .notBuiltIn:
            throw OperationProblem(deviceFailure: .unsupportedFeature, "a real device stands behind '\(device)'")
        case .noScreen: throw OperationProblem(deviceFailure: .unsupportedFeature, "'\(device)' has no screen")
        case .noApp: throw OperationProblem(deviceFailure: .applicationNotRunning, "no app runs on '\(device)'")
        case .noMedia:
            throw OperationProblem(
                deviceFailure: .noMediaSession, "nothing is loaded on '\(device)', or it cannot do this now")
        }
    }
}
