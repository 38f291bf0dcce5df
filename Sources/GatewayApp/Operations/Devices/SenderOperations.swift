import CastWire
import GatewayConfig
import GatewayOperations
import VirtualDevices

/// `senders.list`
struct ListSenders: GatewayOperation {
    static let name: OperationName = "senders.list"
    static let route = OperationRoute(.get, "/senders")
    static let scope = OperationScope.read
    static let reach = OperationReach.permitted
    static let summary = "Lists who is connected to which virtual device"
    static let details =
        "What a sender calls itself is its own word, and many say nothing. Plugins and callers of operations are no senders of this list."
    static let members: [OperationResult.Member] = [
        .init(
            "senders", .list(.object([.init("device", .text, "The virtual device")] + DeviceResult.sender)),
            "By device, the oldest first")
    ]
    static let result = OperationResult("The senders", Self.members + [Unanswered.member])

    /// Knows the devices.
    let feature: OverviewFeature

    func perform(_ input: NoInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        var json: JSONObject = ["senders": .array(await self.feature.senders(for: caller).map { .object($0) })]
        Unanswered.add(to: &json, for: caller)
        return json
    }
}

/// `virtual_device.disconnect`
struct DisconnectSenders: GatewayOperation {
    struct Input: RuledInput {
        var device = DeviceReference("")
        var sender: String?
        var address: String?

        static let keys: [Key] = [
            .virtualDevice(\.device),
            .optional(
                "sender", \.sender, .text(maximumBytes: 32), "One sender, by its `id` in `senders.list`", example: "c7"),
            .optional(
                "address", \.address, .text(maximumBytes: 64), "All senders of an address", example: "192.0.2.7"),
        ]

        static let rules: [InputRule] = [.one(of: ["sender", "address"])]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "virtual_device.disconnect"
    static let route = OperationRoute(.post, "/virtual-devices/{device}/disconnect")
    static let scope = OperationScope.control
    static let reach = OperationReach.device
    static let summary = "Disconnects one sender, or all senders of an address, from a virtual device"
    static let details =
        "Their channels are closed behind what was sent to them. They may connect again at once: `virtual_devices[].senders.allow` of "
        + "the file says which addresses may."
    static let result = OperationResult(
        "Those that are disconnected", [.init("senders", .list(.object(DeviceResult.sender)), "The oldest first")])
    static let problems =
        DeviceProblem.virtual + [
            OperationProblemCase("unknown_sender", 404, "no such sender is connected to the device")
        ]

    /// Knows the devices.
    let feature: OverviewFeature

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let device = try self.feature.resolver.virtualDevice(input.device, for: caller).name
        let (id, address) = (input.sender, input.address)
        let senders = await self.feature.connected.disconnect(from: device, reason: "disconnected by \(caller.name)") {
            sender in
            if let id { "\(sender.connection)" == id } else { sender.address == address }
        }
        guard let senders, !senders.isEmpty else {
            let which = id.map { "sender '\($0)'" } ?? "sender of \(address ?? "that address")"
            throw .missing("unknown_sender", "no \(which) is connected to '\(device)'")
        }
        return ["senders": .array(senders.map { .object(self.feature.sender($0)) })]
    }
}
