import CastClient
import CastIdentity
import CastWire
import DeviceSessions
import GatewayApp
import GatewayCore

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
    /// - Throws: ``CommandFailure`` when it does not prove itself and has to; `SenderError` when the channel breaks.
    func demand(of device: RemoteDevice) async throws {
        let outcome = try await self.challenge.outcome(leaf: await device.peerLeaf()) {
            (challenge, time) throws(SenderError) in
            do throws(SenderError) {
                return try await device.exchange(
                    challenge, in: .deviceAuth, to: .platformReceiver, timeout: time
                ).payload
            } catch {
                if case .timedOut = error { return nil }
                throw error
            }
        }
        guard !outcome.isVerified else { return }
        let words = "the device at \(self.device) did not prove itself: \(outcome) (\(outcome.code.name))"
        guard !self.challenge.isRequired else { throw CommandFailure(.refused, words) }
        StandardError.write("castway: \(words.printable)\n")
    }
}
