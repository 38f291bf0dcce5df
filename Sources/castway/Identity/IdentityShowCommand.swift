import ArgumentParser
import CastIdentity
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
            """)

    @OptionGroup var file: ConfigOption

    func run() throws {
        let configuration = try ConfigurationFile.configuration(self.file.path)
        let identities = try configuration.openIdentities()
        let now = WallClock.secondsSince1970
        let root = try identities.root(now: now)
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
}
