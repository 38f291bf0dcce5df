import ArgumentParser
import CastWire
import GatewayOperations

/// `castway virtual-device`
struct VirtualDeviceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "virtual-device",
        abstract: "Shows the virtual devices of the running gateway, and forgets discovered ones.",
        discussion: """
            Virtual devices are those of virtual_devices, and one for each device that discovery finds where \
            discovery.virtual_devices says so. What is in the network is shown by castway devices.

            Examples:
              castway virtual-device list
              castway virtual-device forget auto-9d2b7c1e
            """,
        subcommands: [VirtualDeviceListCommand.self, VirtualDeviceForgetCommand.self])
}

/// `castway virtual-device list`
struct VirtualDeviceListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the virtual devices of the running gateway, and where each comes from.",
        discussion: """
            Examples:
              castway virtual-device list
              castway virtual-device list --json | jq -r '.virtual_devices[] | select(.state == "away") | .name'
            """)

    @OptionGroup var control: ControlOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    func run() async throws {
        let answer = try await OperationRequest(self.control).call("virtual_devices.list")
        if self.output.isJSON { return StandardOutput.write(answer) }
        let devices = answer.array("virtual_devices")?.compactMap(\.objectValue) ?? []
        let heading = ["NAME", "SHOWN AS", "LISTENS ON", "BEHIND IT", "STATE", "FROM"]
        let rows = devices.map { device in
            [
                device.string("name") ?? "", device.string("friendly_name") ?? "", device.string("listen") ?? "",
                device.string("target") ?? "the built-in receiver", device.string("state") ?? "",
                device.string("origin") ?? "",
            ].map(\.printable)
        }
        StandardOutput.write(lines: devices.isEmpty ? ["No virtual devices."] : TextTable(rows: [heading] + rows).lines)
        guard let refused = answer.int("refused"), refused > 0 else { return }
        StandardOutput.write(lines: [
            "\(refused) more found, and no room for them: raise at_most (or at_most_per_host) of discovery.virtual_devices, or forget one that is away"
        ])
    }
}

/// `castway virtual-device forget`
struct VirtualDeviceForgetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Forgets discovered devices: their virtual devices end, and their places are free.",
        discussion: """
            A device that is still there, and that discovery.virtual_devices.match still means, is found again within \
            seconds, as new. Its certificate and its own id stay with its name.

            Examples:
              castway virtual-device forget auto-9d2b7c1e
              castway virtual-device forget 9d2b7c1e4f6a48b0a3c5d7e9f1023456
              castway virtual-device forget --away
            """)

    @Argument(help: "Names of virtual devices, or ids of the devices behind them.")
    var names: [String] = []

    @Flag(help: "Forgets all that are away.")
    var away = false

    @OptionGroup var control: ControlOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    func validate() throws {
        guard self.names.isEmpty == self.away else {
            throw ValidationError("Give names or ids, or --away.")
        }
        let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-".utf8)
        guard self.names.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(allowed.contains) }) else {
            throw ValidationError("A name or an id has letters, digits and dashes.")
        }
    }

    func run() async throws {
        let request = try OperationRequest(self.control)
        let names = self.away ? try await self.namesOfAbsent(request) : self.names
        if names.isEmpty, !self.output.isJSON { return StandardOutput.write("None is away.\n") }
        var forgotten: [JSONValue] = []
        for name in names {
            switch try await request.outcome(of: "virtual_device.forget", ["device": .string(name)]) {
            case .success(let answer):
                forgotten.append(.object(answer))
                guard !self.output.isJSON else { continue }
                StandardOutput.write("\(answer.string("name") ?? name) is forgotten".printable + "\n")
            // Another operator was faster.
            case .failure(let refusal) where self.away && refusal.code == "unknown_device": continue
            case .failure(let refusal): throw refusal.failure
            }
        }
        if self.output.isJSON { StandardOutput.write(["forgotten": .array(forgotten)]) }
    }

    /// The devices that are not heard, whether their virtual devices run or not.
    /// - Throws: ``CommandFailure`` when the gateway cannot know that yet.
    private func namesOfAbsent(_ request: OperationRequest) async throws -> [String] {
        let answer = try await request.call("virtual_devices.list")
        guard answer.bool("settling") != true else {
            throw CommandFailure(
                .refused,
                "the gateway has just started, and devices may not have been heard yet; try again in 30 seconds")
        }
        return (answer.array("virtual_devices") ?? []).compactMap(\.objectValue).filter { $0.bool("away") == true }
            .compactMap { $0.string("name") }
    }
}
