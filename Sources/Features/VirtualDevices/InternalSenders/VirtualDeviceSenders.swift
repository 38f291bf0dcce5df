package import CastWire
package import GatewayCore
import NIOCore
import SystemPrimitives

/// The internal senders of the virtual devices that run: finds the device, and sends on its event loop.
package final class VirtualDeviceSenders: InternalSenders {
    private let running: RunningDevices

    /// Makes the access to the internal senders.
    /// - Parameter running: the devices; also those that start later.
    package init(_ running: RunningDevices) {
        self.running = running
    }

    /// The state of the devices; one after the other is asked on its event loop.
    package func snapshot() async -> GatewaySnapshot {
        var snapshot = GatewaySnapshot()
        for device in self.running.current {
            guard let part = await device.answer({ $0.snapshot }) else { continue }
            snapshot.devices.append(part.device)
            snapshot.sessions += part.sessions
        }
        return snapshot
    }

    /// The state of one device, asked on its event loop; nil when it does not run.
    package func snapshot(of name: String) async -> GatewaySnapshot? {
        guard let part = await self.running.entry(name)?.answer({ $0.snapshot }) else { return nil }
        return GatewaySnapshot(devices: [part.device], sessions: part.sessions)
    }

    /// Sends a message as a sender does, and returns the answer when `wait` says that there is one.
    package func send(
        _ payload: CastMessage.Payload, namespace: Namespace, to app: AppAddress, as sender: MessageOrigin,
        wait: Duration?
    ) async throws(GatewayError) -> CastMessage.Payload? {
        try await self.send(payload, namespace: namespace, to: app, as: sender, wait: wait, replacing: nil)
    }

    /// The same for a request of which only the newest counts.
    /// - Parameter replacing: what it is, such as `SEEK`: one of the same name to the same app or platform that waits fails with
    ///   `replaced`. Nil replaces none.
    package func send(
        _ payload: CastMessage.Payload, namespace: Namespace, to app: AppAddress, as sender: MessageOrigin,
        wait: Duration?, replacing: String?
    ) async throws(GatewayError) -> CastMessage.Payload? {
        let device = try self.device(app)
        let message = InternalSender.Outgoing(
            payload: payload, namespace: namespace, address: app, origin: sender, replacing: replacing)
        if Task.isCancelled { throw GatewayError(.init(.cancelled), "the request was cancelled") }
        // The time limit of an answer lives on the same event loop, which may be stuck.
        if EventLoopTimeout.current != nil,
            await device.eventLoop.answer(about: "virtual:\(app.device)", { true }) == nil
        {
            throw GatewayError(.unavailable, "the event loop of '\(app.device)' does not answer")
        }
        let promise = device.eventLoop.makePromise(of: CastMessage.Payload?.self)
        let timeout = wait.map { TimeAmount($0) }
        device.eventLoop.execute { device.value.send(message, timeout: timeout, promise: promise) }
        do {
            return try await withTaskCancellationHandler {
                try await promise.futureResult.get()
            } onCancel: {
                promise.fail(GatewayError(.init(.cancelled), "the request was cancelled"))
            }
        } catch {
            throw Self.gatewayError(error)
        }
    }

    /// Sends a message to all senders that are connected to the app or the platform.
    package func broadcast(
        _ payload: CastMessage.Payload, namespace: Namespace, to app: AppAddress, as sender: MessageOrigin
    ) async throws(GatewayError) {
        let device = try self.device(app)
        let message = InternalSender.Outgoing(payload: payload, namespace: namespace, address: app, origin: sender)
        do {
            try await device.eventLoop.submit { try device.value.broadcast(message) }.get()
        } catch {
            throw Self.gatewayError(error)
        }
    }

    /// Sends a message of the app to one sender that is connected to it.
    /// - Parameter id: the sender, by its connection: `c7`.
    /// - Returns: at how many of its ends the sender gets it; 0 when it is not connected to the app, nil when the device has no
    ///   such sender.
    package func send(
        _ payload: CastMessage.Payload, namespace: Namespace, to app: AppAddress, sender id: String,
        as origin: MessageOrigin
    ) async throws(GatewayError) -> Int? {
        let device = try self.device(app)
        let message = InternalSender.Outgoing(payload: payload, namespace: namespace, address: app, origin: origin)
        do {
            return try await device.eventLoop.submit { try device.value.send(message, toSender: id) }.get()
        } catch {
            throw Self.gatewayError(error)
        }
    }

    /// Receives what the internal sender gets without having asked.
    package func listen(
        to app: AppAddress, as sender: MessageOrigin, limit: Int
    ) async throws(GatewayError) -> SenderInbox {
        let device = try self.device(app)
        let (inbox, input) = SenderInbox.make(limit: limit)
        do {
            try await device.eventLoop.submit {
                let (id, inbox) = try device.value.listen(to: app, as: sender, input)
                input.whenLeft {
                    device.eventLoop.execute {
                        device.value.internalSenders[id]?.stopListening(inbox, at: device.eventLoop.now)
                    }
                }
            }.get()
            return inbox
        } catch {
            throw Self.gatewayError(error)
        }
    }

    private func device(_ address: AppAddress) throws(GatewayError) -> NIOLoopBound<VirtualDevice> {
        guard let device = self.running.device(address.device) else {
            throw GatewayError(.unknownDevice, "there is no virtual device '\(address.device)'")
        }
        return device
    }

    private static func gatewayError(_ error: any Error) -> GatewayError {
        error as? GatewayError ?? GatewayError(.unavailable, "\(error)")
    }
}
