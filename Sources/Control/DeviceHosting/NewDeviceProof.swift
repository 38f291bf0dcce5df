import CastClient
import CastDiscovery
import CastWire
import DeviceSessions
import FeatureContract
import GatewaySettings
import Logging
import NIOCore
import NIOPosix
import SystemPrimitives

/// Finds out whether what is announced as a device is one, before it gets a virtual device: it has to answer as a platform
/// does, and to prove itself where `connections.verify_device_certificate` requires that.
struct NewDeviceProof: Sendable {
    /// How many of a device's addresses are tried.
    private static let addressLimit = 2
    /// How long a device may take for all of it.
    private static let patience = Duration.seconds(8)
    private static let options = SenderOptions(
        senderID: EndpointID(rawValue: "sender-castway-discovery"), connectTimeout: .seconds(2),
        answerTimeout: .seconds(3)
    )

    private let context: GatewayContext
    private let logger: Logger

    init(_ context: GatewayContext, logger: Logger) {
        self.context = context
        self.logger = logger
    }

    /// The address at which the device answers; nil when it does at none of the first ones. Ends when its task is cancelled.
    func host(of candidate: DevicePinStateMachine.Candidate) async -> String? {
        let challenge: DeviceChallenge?
        do {
            challenge = try await self.challenge
        } catch {
            self.logger.warning(
                "No new device gets a virtual device, since the trust anchors cannot be used",
                metadata: ["reason": "\(error)"])
            return nil
        }
        return await race {
            await self.host(of: candidate, challenge)
        } against: {
            try? await Task.sleep(for: Self.patience)
            return nil
        }
    }

    private func host(
        of candidate: DevicePinStateMachine.Candidate, _ challenge: DeviceChallenge?
    ) async -> String? {
        for address in candidate.addresses.prefix(Self.addressLimit) where !Task.isCancelled {
            do {
                try await self.demand(at: address, challenge)
                return address.host
            } catch {
                self.logger.debug(
                    "A new device does not answer as one",
                    metadata: ["id": "\(candidate.id)", "address": "\(address)", "reason": "\(error)"])
            }
        }
        return nil
    }

    private func demand(at address: DeviceAddress, _ challenge: DeviceChallenge?) async throws {
        let device = try await RemoteDevice.dial(host: address.host, port: address.port, options: Self.options)
        let result: Result<Void, any Error>
        do {
            try await self.demand(of: device, challenge)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await device.close()
        try result.get()
    }

    private func demand(of device: RemoteDevice, _ challenge: DeviceChallenge?) async throws {
        if let challenge {
            let outcome = try await challenge.outcome(leaf: await device.peerLeaf()) { payload, time in
                try await device.exchange(payload, in: .deviceAuth, to: .platformReceiver, timeout: time).payload
            }
            guard outcome.isVerified else { throw Unproved(outcome: "\(outcome)") }
        }
        await device.open(.platformReceiver)
        try await device.status()
    }

    /// What a device is asked where it has to prove itself; nil where it has not. Reads the trust anchors.
    private var challenge: DeviceChallenge? {
        get async throws {
            let connections = self.context.configuration.current.connections
            guard connections.certificateVerification == .require else { return nil }
            let wallClock = self.context.wallClock
            return try await NIOThreadPool.singleton.runIfActive {
                try DeviceChallenge(connections, wallClock: wallClock)
            }
        }
    }

    private struct Unproved: Error, CustomStringConvertible {
        let outcome: String
        var description: String { "it did not prove itself: \(self.outcome)" }
    }
}
