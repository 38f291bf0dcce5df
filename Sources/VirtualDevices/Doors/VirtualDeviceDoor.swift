public import CastWire
public import GatewayCore
import NIOCore

/// The door to the virtual devices that run: finds the device, and speaks on its event loop.
public final class VirtualDeviceDoor: GatewayDoor {
    private let running: RunningDevices

    /// Makes a door.
    /// - Parameter running: the devices; those that come later count, too.
    public init(_ running: RunningDevices) {
        self.running = running
    }

    /// How things stand; one device after the other is asked on its event loop.
    public func snapshot() async -> GatewaySnapshot {
        var snapshot = GatewaySnapshot()
        for device in self.running.current {
            // The loops turn as long as the gateway does.
            guard let part = try? await device.eventLoop.submit({ device.value.snapshot }).get() else { continue }
            snapshot.devices.append(part.device)
            snapshot.sessions += part.sessions
        }
        return snapshot
    }

    /// Sends a message as a sender does, and returns the answer when `wait` says that there is one.
    public func send(
        _ payload: CastMessage.Payload, namespace: Namespace, to app: DoorAddress, as sender: MessageOrigin,
        wait: Duration?
    ) async throws(GatewayError) -> CastMessage.Payload? {
        let device = try self.device(app)
        let letter = DoorLetter(payload: payload, namespace: namespace, address: app, origin: sender)
        let promise = device.eventLoop.makePromise(of: CastMessage.Payload?.self)
        let patience = wait.map { TimeAmount($0) }
        device.eventLoop.execute { device.value.receive(letter, wait: patience, promise: promise) }
        do {
            return try await withTaskCancellationHandler {
                try await promise.futureResult.get()
            } onCancel: {
                promise.fail(GatewayError(.init(.cancelled), "nobody waits for the answer any more"))
            }
        } catch {
            throw Self.gatewayError(error)
        }
    }

    /// Says something to all senders that are connected to the app or the platform.
    public func broadcast(
        _ payload: CastMessage.Payload, namespace: Namespace, to app: DoorAddress, as sender: MessageOrigin
    ) async throws(GatewayError) {
        let device = try self.device(app)
        let letter = DoorLetter(payload: payload, namespace: namespace, address: app, origin: sender)
        do {
            try await device.eventLoop.submit { try device.value.announce(letter) }.get()
        } catch {
            throw Self.gatewayError(error)
        }
    }

    /// Hears what the speaker's sender is told without having asked.
    public func listen(
        to app: DoorAddress, as sender: MessageOrigin, limit: Int
    ) async throws(GatewayError) -> DoorInbox {
        let device = try self.device(app)
        let (inbox, input) = DoorInbox.make(limit: limit)
        do {
            try await device.eventLoop.submit {
                let (door, number) = try device.value.listen(to: app, as: sender, input)
                input.whenLeft { device.eventLoop.execute { device.value.stopListening(door, number) } }
            }.get()
            return inbox
        } catch {
            throw Self.gatewayError(error)
        }
    }

    private func device(_ address: DoorAddress) throws(GatewayError) -> NIOLoopBound<VirtualDevice> {
        guard let device = self.running.device(address.device) else {
            throw GatewayError(.unknownDevice, "there is no virtual device '\(address.device)'")
        }
        return device
    }

    private static func gatewayError(_ error: any Error) -> GatewayError {
        error as? GatewayError ?? GatewayError(.unavailable, "\(error)")
    }
}
