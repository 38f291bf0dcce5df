import ArgumentParser
import CastIdentity
import CastWire
import GatewayApp
import VirtualDevices

/// `castway identity show`
struct IdentityShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Prints the root certificate and the identity of every virtual device, made where missing.",
        discussion: """
            Identities are kept in gateway.state_directory. Senders take a device with a new id for a new device, so \
            keep that directory when you move the gateway.

            Example:
              castway identity show --config gateway.yaml
              castway identity show --json | jq -r '.devices[] | .name + " " + .uuid'
            """)

    @OptionGroup var file: ConfigPathOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    func run() throws {
        let configuration = try ConfigurationFile.configuration(self.file.path)
        let identities = try configuration.openIdentities()
        let now = WallClock.secondsSince1970
        let root = try identities.root(now: now)
        if self.output.isJSON {
            let devices = try configuration.virtualDevices.map { device in
                Self.json(device, try identities.loadOrCreate(device: device.name, now: now))
            }
            let shown: JSONObject = [
                "subject": .string(root.subject), "not_before": .number(Int(root.notBefore)),
                "not_after": .number(Int(root.notAfter)), "fingerprint": .string(root.fingerprint),
            ]
            return StandardOutput.write(
                lines: [JSONValue.object(["root": .object(shown), "devices": .array(devices)]).text])
        }
        StandardOutput.write(lines: [
            "root", "  subject      \(root.subject.printable)",
            "  valid        \(CalendarDate.text(root.notBefore)) to \(CalendarDate.text(root.notAfter))",
            "  fingerprint  \(root.fingerprint)",
        ])
        for device in configuration.virtualDevices {
            let identity = try identities.loadOrCreate(device: device.name, now: now)
            let isCurrent = identity.rootFingerprint == root.fingerprint
            let authorities = identity.intermediates.count
            StandardOutput.write(lines: [
                "", device.name, "  shown as     \(device.friendlyName.printable)", "  uuid         \(identity.uuid)",
                "  id           \(identity.idHex)",
                "  chain        device, \(authorities) intermediate, root \(identity.rootFingerprint.prefix(16))…"
                    + (isCurrent ? "" : " (not the root above)"),
            ])
        }
    }

    private static func json(_ device: VirtualDeviceConfiguration, _ identity: DeviceIdentity) -> JSONValue {
        [
            "name": .string(device.name), "friendly_name": .string(device.friendlyName),
            "uuid": .string(identity.uuid), "id": .string(identity.idHex),
            "intermediates": .number(identity.intermediates.count),
            "root_fingerprint": .string(identity.rootFingerprint),
        ]
    }
}
