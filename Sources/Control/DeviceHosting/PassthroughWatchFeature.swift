package import DeviceSessions
package import FeatureContract
import GatewayCore
import GatewaySettings
import Logging
import Passthrough
import ServiceLifecycle
import Synchronization
import VirtualDevices

/// The gateway's own side of the devices whose senders are passed through: what runs there is known, callers act on it by the
/// name of the virtual device, and the rules of that are seen to.
///
/// Each of these devices has a ``SilentDevice``, a relay without a listener, and a ``DeviceWatch``. They share the channel with
/// everything else that the gateway does on the real device.
package final class PassthroughWatchFeature: GatewayFeature, Service, CustomStringConvertible {
    /// A device that is looked after.
    private struct Watched {
        let watch: DeviceWatch
        let device: SilentDevice
        let target: String
    }

    package let name = "passthrough watch"
    private let context: GatewayContext
    private let directory: DeviceSessionDirectory
    private let virtualDevices: VirtualDevicesFeature
    private let watched = Mutex<[String: Watched]>([:])
    private let wakes: AsyncStream<Void>
    private let waker: AsyncStream<Void>.Continuation

    /// - Parameters:
    ///   - directory: the real devices.
    ///   - virtualDevices: those that senders see.
    package init(_ context: GatewayContext, directory: DeviceSessionDirectory, virtualDevices: VirtualDevicesFeature) {
        self.context = context
        self.directory = directory
        self.virtualDevices = virtualDevices
        (self.wakes, self.waker) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    package var description: String { self.name }

    package func services(among features: [any GatewayFeature]) -> [StagedService] {
        [StagedService(.devicesListening, self)]
    }

    /// The sessions of apps on a device that a sender started and that ran while an address was connected to it.
    package func sessions(on device: String, beside address: String) -> Set<String> {
        self.watched.withLock { $0[device] }?.watch.sessions(beside: address) ?? []
    }

    package func run() async throws {
        self.waker.yield()
        await withDiscardingTaskGroup { group in
            for await _ in self.wakes.cancelOnGracefulShutdown() {
                for watched in await self.follow() {
                    group.addTask {
                        await watched.watch.run()
                        await watched.device.stop("the device is not looked after any more")
                    }
                }
            }
            for watched in self.watched.withLock({ $0 }).values { watched.watch.stop() }
        }
    }

    package func prepare(_ change: inout ConfigurationChange) -> PreparedChange? {
        // Virtual and real devices are those of the new configuration by then.
        PreparedChange(settle: { self.waker.yield() })
    }

    /// Looks after the devices of the configuration in force.
    /// - Returns: those that are new.
    private func follow() async -> [Watched] {
        let configuration = self.context.configuration.current
        let wanted = configuration.virtualDevices
            .compactMap { $0.passthrough(timeZone: nil) }.filter { $0.observation != .none }
        let environment = self.virtualDevices.environmentInForce
        let before = self.watched.withLock { $0 }
        var after: [String: Watched] = [:]
        var new: [Watched] = []
        for settings in wanted {
            let home = self.directory.eventLoop(for: settings.target)
            if let same = before[settings.name], same.target == settings.target, same.device.eventLoop === home {
                same.device.follow(environment)
                same.watch.follow(settings.rules)
                after[settings.name] = same
            } else if let made = await self.make(settings, environment) {
                after[settings.name] = made
                new.append(made)
            }
        }
        self.watched.withLock { $0 = after }
        for (name, watched) in before where after[name]?.watch !== watched.watch { watched.watch.stop() }
        return new
    }

    private func make(_ settings: PassthroughSettings, _ environment: VirtualDeviceEnvironment) async -> Watched? {
        let logger = self.context.makeLogger("Passthrough")
        do {
            let device = try await SilentDevice(
                name: settings.name,
                target: RelayTargetFactory(name: settings.target, allowedApps: nil, directory: self.directory),
                environment: environment, logger: logger)
            let watch = DeviceWatch(
                name: settings.name, target: settings.target, rules: settings.rules,
                senders: VirtualDeviceSenders(environment.running),
                events: self.context.events, logger: logger, castingLog: self.context.makeLogger("CastingLog"),
                connected: { [passed = self.virtualDevices.passed] in
                    await passed.overview(of: settings.name)?.splices ?? []
                }, isReachable: { [directory = self.directory] in directory.isOnline(settings.target) })
            return Watched(watch: watch, device: device, target: settings.target)
        } catch {
            logger.error(
                "The device cannot be looked after",
                metadata: ["device": "\(settings.name)", "target": "\(settings.target)", "reason": "\(error)"])
            return nil
        }
    }
}
