import ArgumentParser
import CastIdentity
import CastWire
import GatewayApp
import Glibc
import VirtualDevices

/// `castway identity`
struct IdentityCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "identity",
        abstract: "Shows who the virtual devices are: their ids, and the root certificate that vouches for them.",
        subcommands: [IdentityShowCommand.self, IdentityExportRootCommand.self])
}

/// `castway identity show`
struct IdentityShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Prints the root certificate and the identity of every virtual device.",
        discussion: """
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
        if self.output.isJSON { return StandardOutput.write(lines: [Self.json(configuration, state).text]) }
        var lines = ["root"]
        if let root = state.root {
            lines += [
                "  subject      \(root.subject.printable)",
                "  valid        \(CalendarDate.text(root.notBefore)) to \(CalendarDate.text(root.notAfter))",
                "  fingerprint  \(root.fingerprint)",
            ]
        } else {
            lines.append("  not made yet; the next start of the gateway makes it")
        }
        let identities = Dictionary(state.devices.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for device in configuration.virtualDevices where device.passedName == nil {
            lines += ["", device.name, "  shown as     \(device.friendlyName.printable)"]
            guard let identity = identities[device.name] else {
                lines.append("  not made yet; the next start of the gateway makes it")
                continue
            }
            let isCurrent = identity.rootFingerprint == state.root?.fingerprint
            let authorities = identity.intermediates.count
            lines += [
                "  uuid         \(identity.uuid)", "  id           \(identity.idHex)",
                "  chain        device, \(authorities) intermediate, root \(identity.rootFingerprint.prefix(16))…"
                    + (isCurrent ? "" : " (not the root above)"),
            ]
        }
        StandardOutput.write(lines: lines)
    }

    /// What is not made yet is `null`, or left out.
    private static func json(_ configuration: GatewayConfiguration, _ state: StoredState) -> JSONValue {
        let identities = Dictionary(state.devices.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let root = state.root.map { root -> JSONValue in
            [
                "subject": .string(root.subject), "not_before": .number(Int(root.notBefore)),
                "not_after": .number(Int(root.notAfter)), "fingerprint": .string(root.fingerprint),
            ]
        }
        let devices = configuration.virtualDevices.filter { $0.passedName == nil }.map {
            Self.json($0, identities[$0.name])
        }
        return ["root": root ?? .null, "devices": .array(devices)]
    }

    private static func json(_ device: VirtualDeviceConfiguration, _ identity: DeviceIdentity?) -> JSONValue {
        var json: JSONObject = [
            "name": .string(device.name), "friendly_name": .string(device.friendlyName),
        ]
        if let identity {
            json["uuid"] = .string(identity.uuid)
            json["id"] = .string(identity.idHex)
            json["intermediates"] = .number(identity.intermediates.count)
            json["root_fingerprint"] = .string(identity.rootFingerprint)
        }
        return .object(json)
    }
}

/// `castway identity export-root`
struct IdentityExportRootCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export-root",
        abstract: "Writes the root certificate in PEM, for browsers that shall trust the virtual devices.",
        discussion: """
            Chromium takes it on its command line; it accepts the virtual devices then:

              castway identity export-root --output castway-root.pem
              chromium --cast-developer-certificate-path=castway-root.pem

            The first start of the gateway makes the root; this makes nothing. The private key stays in the state \
            directory.
            """)

    @OptionGroup var file: ConfigPathOption

    @Option(
        name: .shortAndLong, help: ArgumentHelp("Where to write; default: standard output.", valueName: "file"),
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
        guard close(file) == 0, isWritten else {
            throw CommandFailure(.outputUnusable, "\(output): cannot be written")
        }
        StandardError.write("Chromium: start it with --cast-developer-certificate-path=\(output.printable)\n")
    }
}

/// Days for people.
enum CalendarDate {
    /// The day in UTC, `2026-01-31`.
    static func text(_ secondsSince1970: Int64) -> String {
        guard var seconds = time_t(exactly: secondsSince1970) else { return "?" }
        var parts = tm()
        guard gmtime_r(&seconds, &parts) != nil else { return "?" }
        let month = String(100 + parts.tm_mon + 1).dropFirst()
        let day = String(100 + parts.tm_mday).dropFirst()
        return "\(1900 + parts.tm_year)-\(month)-\(day)"
    }
}
