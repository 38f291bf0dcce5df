import CastWire
import GatewayConfig
import GatewayOperations

/// `virtual_devices.list`
struct ListVirtualDevices: GatewayOperation {
    static let name: OperationName = "virtual_devices.list"
    static let route = OperationRoute(.get, "/virtual-devices")
    static let scope = OperationScope.read
    static let reach = OperationReach.permitted
    static let summary = "Lists the virtual devices, and where each comes from"
    static let details = "Those that were made for discovered devices and do not run now are among them."
    static let result = OperationResult(
        "The virtual devices",
        [
            .init("virtual_devices", .list(.object(Self.members)), "Those of the file first"),
            .init("refused", .integer, "How many devices are heard that get none, for want of room"),
            .init("settling", .boolean, "Whether the start was so short ago that devices may not have been heard yet"),
        ])
    /// What is said of each.
    static let members: [OperationResult.Member] = [
        .init("name", .text, "Its name"),
        .init("friendly_name", .text, "What senders show"),
        .init("listen", .text, "Where senders connect, `host:port`; `-` while it does not run"),
        .init("origin", .word(["file", "template"]), "Whether the file has it, or discovery found the device"),
        .init(
            "state",
            .word(["listening", "not listening", "announced", "away", "not running", "outside hours", "same network"]),
            "How it is: `outside hours` while `senders.during` lets no one in, `same network` when the device behind it is in a network in "
                + "which it is to be announced"),
        .optional("target", .text, "The device behind it; missing for the built-in receiver"),
        .optional("passthrough", .boolean, "Whether its senders are passed through to that device; missing otherwise"),
        .optional("away", .boolean, "Of the template: whether it has not been heard, once it could have been"),
        .optional("device_id", .text, "Of the template: the id that the device announces"),
        .optional("found_at", .integer, "Of the template: when it was found first, in seconds since 1970"),
        .optional("seen_at", .integer, "Of the template: when it came or went last, in seconds since 1970"),
    ]

    /// Knows the virtual devices.
    let feature: DiscoveredDevicesFeature

    func perform(_ input: NoInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        self.feature.list(for: caller)
    }
}

/// `virtual_device.forget`
struct ForgetVirtualDevice: GatewayOperation {
    struct Input: OperationInput {
        var device = ""

        static let keys: [Key] = [
            .required(
                "device", \.device, .text(maximumBytes: 64),
                "The virtual device's name, or the id of the device behind it", example: "auto-9d2b7c1e")
        ]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "virtual_device.forget"
    static let route = OperationRoute(.delete, "/virtual-devices/{device}")
    static let scope = OperationScope.admin
    static let reach = OperationReach.gateway
    static let summary = "Forgets a discovered device: its virtual device ends, and its place is free"
    static let details =
        "A device that is still there, and that `discovery.virtual_devices.match` still means, is found again as new."
    static let result = OperationResult(
        "What is forgotten",
        [
            .init("name", .text, "The virtual device"), .init("device_id", .text, "The device behind it"),
            .init("state", .word(["forgotten"]), "How it is"),
        ])
    static let problems = [OperationProblemCase("unknown_device", 404, "no discovered device is remembered under that")]

    /// Knows the virtual devices.
    let feature: DiscoveredDevicesFeature

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        try await self.feature.forget(input.device)
    }
}
