import ArgumentParser
import CastWire
import DeviceHosting
import FeatureContract
import GatewayOperations

struct VirtualDeviceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "virtual-device", "Shows the virtual devices of the running gateway, and forgets discovered ones.",
        """
        Virtual devices are those of virtual_devices, and one for each device that discovery finds where \
        discovery.virtual_devices says so. What is in the network is shown by castway devices.
        """,
        examples: ["castway virtual-device list", "castway virtual-device forget auto-9d2b7c1e"],
        subcommands: [VirtualDeviceList.asCommand, VirtualDeviceForget.asCommand])
}

struct VirtualDeviceList: OperationCall {
    static let configuration = CommandConfiguration(
        "list", "Lists the virtual devices of the running gateway, and where each comes from.",
        examples: [
            "castway virtual-device list",
            #"castway virtual-device list --json | jq -r '.virtual_devices[] | select(.state == "away") | .name'"#,
        ])
    static let operation: OperationName = "virtual_devices.list"

    func lines(_ answer: JSONObject) -> [String] {
        let fields = ListedVirtualDeviceResult.fields
        let table = TextTable.lines(
            answer[at: VirtualDeviceListResult.fields.devices], else: "No virtual devices.",
            AnswerColumn("NAME", fields.name), AnswerColumn("SHOWN AS", fields.friendlyName),
            AnswerColumn("LISTENS ON", fields.listen),
            AnswerColumn("BEHIND IT", fields.target, else: "the built-in receiver"),
            AnswerColumn("STATE", fields.state), AnswerColumn("FROM", fields.origin))
        guard let refused = answer[at: VirtualDeviceListResult.fields.refused], refused > 0 else { return table }
        return table + [
            "\(refused) more found, and no room for them: raise at_most (or at_most_per_host) of discovery.virtual_devices, or forget one that is away"
        ]
    }
}

struct VirtualDeviceForget: OperationCall {
    static let configuration = CommandConfiguration(
        "forget", "Forgets discovered devices: their virtual devices end, and their places are free.",
        """
        A device that is still there, and that discovery.virtual_devices.match still means, is found again within \
        seconds, as new. Its certificate and its own id stay with its name.
        """,
        examples: [
            "castway virtual-device forget auto-9d2b7c1e",
            "castway virtual-device forget 9d2b7c1e4f6a48b0a3c5d7e9f1023456", "castway virtual-device forget --away",
        ])
    static let operation: OperationName = "virtual_device.forget"

    @Argument(help: "Names of virtual devices, or ids of the devices behind them.") var names: [String] = []
    @Flag(help: "Forgets all that are away.") var away = false

    func validate() throws {
        guard self.names.isEmpty == self.away else { throw ValidationError("Give names or ids, or --away.") }
        let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-".utf8)
        guard self.names.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(allowed.contains) }) else {
            throw ValidationError("A name or an id has letters, digits and dashes.")
        }
    }

    func run(_ request: OperationRequest, isJSON: Bool) async throws {
        let names = self.away ? try await self.namesOfAbsent(request) : self.names
        if names.isEmpty, !isJSON { return StandardOutput.write("None is away.\n") }
        var forgotten: [JSONValue] = []
        for name in names {
            switch try await request.outcome(of: Self.operation, ["device": .string(name)]) {
            case .success(let answer):
                forgotten.append(.object(answer))
                if !isJSON { self.show(answer, isJSON: false) }
            // Another operator was faster.
            case .failure(let refusal) where self.away && refusal.code == "unknown_device": continue
            case .failure(let refusal): throw refusal.failure
            }
        }
        if isJSON { StandardOutput.write(["forgotten": .array(forgotten)]) }
    }

    func lines(_ answer: JSONObject) -> [String] {
        ["\(answer.text(ForgottenDeviceResult.fields.name)) is forgotten".printable]
    }

    /// The devices that are not heard, whether their virtual devices run or not.
    /// - Throws: ``CommandFailure`` when the gateway cannot know that yet.
    private func namesOfAbsent(_ request: OperationRequest) async throws -> [String] {
        let answer = try await request.call(VirtualDeviceList.operation)
        guard answer[at: VirtualDeviceListResult.fields.isSettling] != true else {
            throw CommandFailure(
                .refused,
                "the gateway has just started, and devices may not have been heard yet; try again in 30 seconds")
        }
        let fields = ListedVirtualDeviceResult.fields
        return (answer[at: VirtualDeviceListResult.fields.devices] ?? []).filter { $0[at: fields.isAway] == true }
            .compactMap { $0[at: fields.name] }
    }
}
