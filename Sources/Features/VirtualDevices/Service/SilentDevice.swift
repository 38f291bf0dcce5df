package import GatewayCore
package import Logging
package import NIOCore

/// A virtual device that senders cannot connect to: nothing listens, and nothing is announced.
///
/// It stands beside a device of the same name whose senders are passed through to a real one. Internal senders use it as any other
/// virtual device, so callers act on the real device by that name, and events tell what runs there.
package final class SilentDevice: Sendable {
    /// The event loop that it lives on, which is its target's.
    package let eventLoop: any EventLoop
    private let device: NIOLoopBound<VirtualDevice>
    private let running: RunningDevices

    /// Makes one, which runs until ``stop(_:)``.
    /// - Parameters:
    ///   - name: the name in `gateway.yaml`.
    ///   - target: makes what stands behind it.
    /// - Throws: ``GatewayError`` with `unknownDevice` when there is no such target.
    package init(
        name: String, target: any DeviceTargetFactory, environment: VirtualDeviceEnvironment, logger: Logger
    ) async throws {
        var logger = logger
        logger[metadataKey: "device"] = "\(name)"
        let made = logger
        let eventLoop = try target.eventLoop(in: environment.eventLoops)
        self.eventLoop = eventLoop
        self.running = environment.running
        self.device = try await eventLoop.submit {
            let facts = DeviceFacts(name: name, target: target.deviceName, description: SilentDescription())
            let device = VirtualDevice(
                facts: facts, target: try target.makeTarget(for: facts, on: eventLoop), signer: nil,
                registry: environment.registry, settings: environment.routerSettings,
                payloadText: environment.payloadText, events: environment.events,
                connectionIDs: environment.connectionIDs, limits: environment.limits, rights: environment.rights,
                eventLoop: eventLoop, logger: made)
            device.start()
            environment.running.add(device)
            return NIOLoopBound(device, eventLoop: eventLoop)
        }.get()
    }

    /// Takes what the virtual devices of a gateway follow from now on.
    package func follow(_ environment: VirtualDeviceEnvironment) {
        self.eventLoop.execute { [device] in
            device.value.route(by: environment.routerSettings, payloadText: environment.payloadText)
            device.value.limit(to: environment.limits)
        }
    }

    /// Ends it; what runs on the real device goes on.
    package func stop(_ reason: String) async {
        try? await self.eventLoop.submit { [device, running] in
            running.remove(device.value)
            device.value.stop(reason)
        }.get()
    }
}
