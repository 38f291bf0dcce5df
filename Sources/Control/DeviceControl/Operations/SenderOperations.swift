package import CastWire
import FeatureContract
import GatewayConfig
package import GatewayOperations
import VirtualDevices

/// `senders.list`
package struct ListSenders: GatewayOperation {
    package static let name: OperationName = "senders.list"
    package static let route = OperationRoute(.get, "/senders")
    package static let scope = OperationScope.read
    package static let reach = OperationReach.permitted
    package static let summary = "Lists who is connected to which virtual device"
    package static let details =
        "What a sender calls itself is its own word, and many say nothing. Plugins and callers of operations are no senders of this list."
    package static let result = SenderListResult.result("The senders")

    /// Knows the devices.
    let feature: OverviewFeature

    package func perform(_ input: NoInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        SenderListResult.json((await self.feature.senders(for: caller), caller))
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
    static let result = DisconnectedSendersResult.result("Those that are disconnected")
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
        return DisconnectedSendersResult.json(
            senders.map { SenderResult.Source(sender: $0, context: self.feature.context) })
    }
}

/// The senders of all virtual devices.
package struct SenderListResult: ResultRecord {
    package typealias Source = (senders: [ListedSenderResult.Source], caller: Caller)

    package let senders = Field("senders", listOf: ListedSenderResult.self, "By device, the oldest first") {
        $0.senders
    }
    let unanswered = Embedded(Unanswered.self) { $0.caller }

    package static let layout = ResultLayout(SenderListResult())
}

/// A sender, and the virtual device that it is connected to.
package struct ListedSenderResult: ResultRecord {
    package typealias Source = (device: String, sender: SenderResult.Source)

    package let device = Field("device", "The virtual device") { $0.device }
    let sender = Embedded(SenderResult.self) { $0.sender }

    package static let layout = ResultLayout(ListedSenderResult())
}

/// The senders that were disconnected.
private struct DisconnectedSendersResult: ResultRecord {
    typealias Source = [SenderResult.Source]

    let senders = Field("senders", listOf: SenderResult.self, "The oldest first") { $0 }

    static let layout = ResultLayout(DisconnectedSendersResult())
}
