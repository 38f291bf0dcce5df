import ArgumentParser
import CastClient
import CastIdentity
import CastWire
import DeviceSessions
import GatewayConfig
import GatewayCore
import GatewaySettings
import SystemPrimitives

/// Has a device prove itself before anything else is said to it, as the gateway does with real devices.
struct DeviceProof: Sendable {
    private let challenge: DeviceChallenge
    private let device: CastPlace

    /// Nil when the device is not asked.
    /// - Throws: ``CommandFailure`` when a file of trust anchors cannot be used.
    init?(_ connections: ConnectionsConfiguration, device: CastPlace) throws {
        if connections.certificateVerification == .require, connections.trustAnchors.isEmpty {
            throw CommandFailure(.usage, "--verify require needs --trust-anchors, or connections.trust_anchors")
        }
        do {
            guard let challenge = try DeviceChallenge(connections, wallClock: { WallClock.secondsSince1970 }) else {
                return nil
            }
            self.challenge = challenge
        } catch {
            throw CommandFailure(.usage, "the trust anchors cannot be used: \(error)")
        }
        self.device = device
    }

    /// Asks the device on a channel that is new.
    /// - Throws: ``CommandFailure`` when it does not prove itself and has to; `RequestError` when the channel breaks.
    func demand(of device: RemoteDevice) async throws {
        let outcome = try await self.challenge.outcome(leaf: await device.peerLeaf()) {
            (challenge, time) throws(RequestError) in
            do throws(RequestError) {
                return try await device.exchange(challenge, in: .deviceAuth, to: .platformReceiver, timeout: time)
                    .payload
            } catch {
                if error.code == .timeout { return nil }
                throw error
            }
        }
        guard !outcome.isVerified else { return }
        let words = "the device at \(self.device) did not prove itself: \(outcome) (\(outcome.code.name))"
        guard !self.challenge.isRequired else { throw CommandFailure(.refused, words) }
        StandardError.say(words.printable, .warning)
    }
}

/// What a device has to prove before `castway cast` speaks to it.
struct TrustOptions: ParsableArguments {
    @Option(
        name: .customLong("trust-anchors"),
        help: .init(
            "A PEM file with the roots that the device's proof has to lead to; may be given again. Default: connections.trust_anchors.",
            valueName: "file"),
        completion: .file())
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
