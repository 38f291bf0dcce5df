import ArgumentParser
import CastWire
import NIOCore
import NIOHTTP1

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
        let reply = try await VirtualDeviceRequest(self.control).send(.GET)
        if self.output.isJSON { return StandardOutput.write(reply.body) }
        let answer = try reply.object()
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
            "\(refused) more found, and no room for them: raise discovery.virtual_devices.at_most, or forget one that is away"
        ])
    }
}

/// `castway virtual-device forget`
struct VirtualDeviceForgetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Forgets a discovered device: its virtual device ends, and its place is free.",
        discussion: """
            A device that is still there, and that discovery.virtual_devices.match still means, is found again within \
            seconds, as new. Its certificate and its own id stay with its name.

            Examples:
              castway virtual-device forget auto-9d2b7c1e
              castway virtual-device forget 9d2b7c1e4f6a48b0a3c5d7e9f1023456
            """)

    @Argument(help: "The virtual device's name, or the id of the device behind it.")
    var name: String

    @OptionGroup var control: ControlOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    func validate() throws {
        let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-".utf8)
        guard !self.name.isEmpty, self.name.utf8.allSatisfy(allowed.contains) else {
            throw ValidationError("A name or an id has letters, digits and dashes.")
        }
    }

    func run() async throws {
        let reply = try await VirtualDeviceRequest(self.control).send(.DELETE, "/\(self.name)")
        if self.output.isJSON { return StandardOutput.write(reply.body) }
        StandardOutput.write("\(try reply.object().string("name") ?? self.name) is forgotten".printable + "\n")
    }
}

/// Asks the running gateway about its virtual devices.
private struct VirtualDeviceRequest {
    private let client: ControlClient

    init(_ control: ControlOption) throws {
        self.client = ControlClient(address: try control.find().address)
    }

    /// Sends a request.
    /// - Throws: ``CommandFailure`` for anything but success.
    func send(_ method: HTTPMethod, _ rest: String = "") async throws -> ControlReply {
        let reply = try await self.client.send(method, "/api/v1/virtual-devices\(rest)", timeout: .seconds(60))
        guard reply.status == 200 else {
            let error = (try? JSONReader.read(reply.body))?.objectValue?.object("error")
            throw CommandFailure(
                .refused, error?.string("message") ?? "the gateway answered with status \(reply.status)")
        }
        return reply
    }
}
