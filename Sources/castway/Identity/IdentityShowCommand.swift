import ArgumentParser
import CastIdentity
import CastWire
import GatewayApp
import VirtualDevices

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
        for device in configuration.virtualDevices {
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
        let devices = configuration.virtualDevices.map { Self.json($0, identities[$0.name]) }
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
