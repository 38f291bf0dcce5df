import ArgumentParser
import CastIdentity
import CastWire
import GatewayApp
import GatewayOperations
import GatewaySettings
import Glibc
import VirtualDevices

struct IdentityCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "identity", "Shows who the virtual devices are: their ids, and the root certificate that vouches for them.",
        subcommands: [IdentityShowCommand.self, IdentityExportRootCommand.self])
}

struct IdentityShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "show", "Prints the root certificate and the identity of every virtual device.",
        """
        Makes nothing: root and identities are made when the gateway starts for the first time, and are kept in \
        gateway.state_directory. Senders take a device with a new id for a new device, so keep that directory when \
        you move the gateway.

        Example:
          castway identity show --config gateway.yaml
          castway identity show --json | jq -r '.devices[] | .name + " " + .uuid'
        """)

    @OptionGroup var file: ConfigPathOption
    @OptionGroup var output: OutputOption<TextOrJSON>

    func run() throws {
        let configuration = try LiveConfiguration.read(self.file.path)
        let state = try configuration.storedState()
        let identities = Dictionary(state.devices.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let devices = configuration.virtualDevices.filter { $0.passedName == nil }
        self.output.write(
            [
                "root": state.root.map(Self.json) ?? .null,
                "devices": .array(devices.map { Self.json($0, identities[$0.name]) }),
            ],
            else: ["root"] + Self.lines(state.root)
                + devices.flatMap { ["", $0.name] + Self.lines($0, identities[$0.name], root: state.root) })
    }

    // MARK: For people

    private static let notMade = "  not made yet; the next start of the gateway makes it"

    private static func lines(_ root: RootCertificate?) -> [String] {
        guard let root else { return [Self.notMade] }
        return [
            "  subject      \(root.subject.printable)",
            "  valid        \(CalendarDate.text(root.notBefore)) to \(CalendarDate.text(root.notAfter))",
            "  fingerprint  \(root.fingerprint)",
        ]
    }

    private static func lines(
        _ device: VirtualDeviceConfiguration, _ identity: DeviceIdentity?, root: RootCertificate?
    ) -> [String] {
        let name = "  shown as     \(device.friendlyName.printable)"
        guard let identity else { return [name, Self.notMade] }
        let isCurrent = identity.rootFingerprint == root?.fingerprint
        return [
            name, "  uuid         \(identity.uuid)", "  id           \(identity.idHex)",
            "  chain        device, \(identity.intermediates.count) intermediate, root "
                + "\(identity.rootFingerprint.prefix(16))…\(isCurrent ? "" : " (not the root above)")",
        ]
    }

    // MARK: For programs

    private static func json(_ root: RootCertificate) -> JSONValue {
        [
            "subject": .string(root.subject), "not_before": .number(Int(root.notBefore)),
            "not_after": .number(Int(root.notAfter)), "fingerprint": .string(root.fingerprint),
        ]
    }

    private static func json(_ device: VirtualDeviceConfiguration, _ identity: DeviceIdentity?) -> JSONValue {
        var json: JSONObject = ["name": .string(device.name), "friendly_name": .string(device.friendlyName)]
        if let identity {
            json["uuid"] = .string(identity.uuid)
            json["id"] = .string(identity.idHex)
            json["intermediates"] = .number(identity.intermediates.count)
            json["root_fingerprint"] = .string(identity.rootFingerprint)
        }
        return .object(json)
    }
}

struct IdentityExportRootCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "export-root", "Writes the root certificate in PEM, for browsers that shall trust the virtual devices.",
        """
        Chromium takes it on its command line; it accepts the virtual devices then:

          castway identity export-root --output castway-root.pem
          chromium --cast-developer-certificate-path=castway-root.pem

        The first start of the gateway makes the root; this makes nothing. The private key stays in the state \
        directory.
        """)

    @OptionGroup var file: ConfigPathOption

    @Option(
        name: .shortAndLong, help: .init("Where to write; default: standard output.", valueName: "file"),
        completion: .file())
    var output: String?

    @OptionGroup var colour: ColourOption

    func run() throws {
        let configuration = try LiveConfiguration.read(self.file.path)
        guard let root = try configuration.storedState().root else {
            throw CommandFailure(
                .stateUnusable,
                "state directory \(configuration.gateway.stateDirectory): there is no root yet; the first 'castway run' makes it"
            )
        }
        guard let output = self.output else { return StandardOutput.write(root.pem) }
        let file = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard file >= 0 else {
            throw CommandFailure(.outputUnusable, "\(output): cannot be written: \(SystemError.text(errno))")
        }
        let isWritten = FileDescriptor.write(root.pem, to: file)
        guard close(file) == 0, isWritten else { throw CommandFailure(.outputUnusable, "\(output): cannot be written") }
        StandardError.write("Chromium: start it with --cast-developer-certificate-path=\(output.printable)\n")
    }
}

enum CalendarDate {
    /// The day in UTC, `2026-01-31`.
    static func text(_ secondsSince1970: Int64) -> String {
        String(UTCTime(seconds: secondsSince1970).description.prefix { $0 != "T" })
    }
}
