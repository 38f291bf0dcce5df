import ArgumentParser
import DeviceSessions
import GatewayApp
import GatewayConfig

/// What a device has to prove before `castway cast` speaks to it.
struct TrustOptions: ParsableArguments {
    @Option(
        name: .customLong("trust-anchors"),
        help: ArgumentHelp(
            "A PEM file with the roots that the device's proof has to lead to; may be given again. Default: connections.trust_anchors.",
            valueName: "file"))
    var anchors: [String] = []

    @Option(
        name: .customLong("verify"),
        help: ArgumentHelp(
            "off, warn or require; default: require with --trust-anchors, else connections.verify_device_certificate.",
            valueName: "mode"),
        transform: { text in
            guard let mode = CertificateVerification(rawValue: text) else {
                let known = CertificateVerification.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("A mode is one of \(known).")
            }
            return mode
        })
    var mode: CertificateVerification?

    /// What is asked of the device at an address.
    ///
    /// Of a file with errors, what can be read of `connections` counts: a mistake elsewhere must not switch a check off.
    /// The virtual devices of the same file have the gateway's own root, so the anchors for real devices say nothing of
    /// them.
    func connections(_ file: GatewayConfigurationResult?, for place: CastPlace) -> ConnectionsConfiguration {
        var connections = ConnectionsConfiguration()
        if let file {
            connections =
                file.configuration?.connections
                ?? ConnectionsConfiguration(reading: file.document.root.section("connections"))
        }
        if !self.anchors.isEmpty {
            connections.trustAnchors = self.anchors
            connections.revocationAnchors = []
            connections.certificateVerification = .require
        } else if let configuration = file?.configuration, ConfiguredDevices.isVirtual(place, in: configuration) {
            connections.certificateVerification = .off
        }
        if let mode { connections.certificateVerification = mode }
        return connections
    }
}
