package import CastDiscovery
package import CastWire
package import GatewayCore
package import Logging
package import NIOCore
import ServiceLifecycle
import Synchronization

/// The devices of the network and of `gateway.yaml`, as one list that is always up to date.
///
/// It searches from ``run()`` on as long as the configuration wants it, and in between as ``start()`` and ``stop()`` say.
/// What becomes of the list is published on the event bus step by step; where targets of virtual devices are found is told
/// to the address book.
package final class DeviceDiscovery: Service, CustomStringConvertible {
    private let eventLoop: any EventLoop
    private let core: NIOLoopBound<DiscoveryCore>
    private let snapshot: Snapshot
    private let searchNumber = Atomic<UInt64>(0)
    private let isEnabled: Mutex<Bool>
    private let provided = Provided()

    /// A copy of the state that others read without waiting for the event loop.
    private final class Snapshot: Sendable {
        let value = Mutex(DiscoveryCore.View())
    }

    /// The devices that plugins name, while the event loop has not taken them.
    private final class Provided: Sendable {
        private let newest = Mutex<[StaticEntry]?>(nil)

        /// Takes the devices, in the place of those that wait.
        /// - Returns: whether none waited, so that the event loop has to be told.
        func put(_ entries: [StaticEntry]) -> Bool {
            self.newest.withLock { newest in
                defer { newest = entries }
                return newest == nil
            }
        }

        func take() -> [StaticEntry]? { self.newest.withLock { $0.take() } }
    }

    /// Prepares discovery; the list holds the static entries from the beginning.
    /// - Parameters:
    ///   - book: told where the targets of virtual devices are.
    ///   - listens: whether the book is told of devices that announce what is known already, too; takes a socket for
    ///     each interface and protocol.
    ///   - ownEndpoints: where this process answers for other devices, under their ids.
    /// - Throws: when the event loop has been shut down.
    package init(
        settings: DiscoverySettings, network: any MulticastNetwork, book: any DeviceAddressRegistry, events: EventBus,
        listens: Bool = false, ownEndpoints: OwnEndpoints = OwnEndpoints(), eventLoop: any EventLoop, logger: Logger
    ) async throws {
        let snapshot = Snapshot()
        self.snapshot = snapshot
        self.eventLoop = eventLoop
        self.isEnabled = Mutex(settings.isEnabled)
        self.core = try await eventLoop.submit {
            let core = DiscoveryCore(
                settings: settings, network: network, book: book, events: events, listens: listens,
                ownEndpoints: ownEndpoints, eventLoop: eventLoop, logger: logger
            ) { view in
                snapshot.value.withLock { $0 = view }
            }
            return NIOLoopBound(core, eventLoop: eventLoop)
        }.get()
    }

    package var description: String { "discovery" }

    /// Searches until graceful shutdown.
    /// - Throws: when the event loop has been shut down.
    package func run() async throws {
        if self.isEnabled.withLock({ $0 }) { try await self.start() }
        try? await gracefulShutdown()
        try await self.stop()
    }

    // MARK: The list

    /// The devices, ordered by their names and then their ids.
    package var devices: [DiscoveredDevice] { self.snapshot.value.withLock { $0.devices } }

    package var state: DiscoveryState { self.snapshot.value.withLock { $0.state } }

    /// The state of the list as a whole.
    var view: DiscoveryCore.View { self.snapshot.value.withLock { $0 } }

    /// True if any device is listed.
    package var hasDevices: Bool { !self.devices.isEmpty }

    /// The device at a place of the list; nil beyond its ends.
    package func device(at index: Int) -> DiscoveredDevice? {
        let devices = self.devices
        return devices.indices.contains(index) ? devices[index] : nil
    }

    /// The device of an id in any of its forms, or of a unique id; nil when it is not listed.
    package func device(id: String) -> DiscoveredDevice? {
        let canonical = DeviceID(id)?.text
        return self.devices.first { $0.id == id || $0.uniqueID == id || $0.id == canonical }
    }

    /// Waits for a device, and asks the network for it if need be. Several searches may run at the same time; one ends
    /// early when its task is cancelled or discovery stops.
    /// - Parameters:
    ///   - id: an id, a unique id, a friendly name, or the name of a static entry.
    ///   - timeout: how long to wait at most.
    /// - Returns: nil when it was not found in time.
    package func find(_ id: String, timeout: Duration) async -> DiscoveredDevice? {
        guard !Task.isCancelled else { return nil }
        let search = self.searchNumber.wrappingAdd(1, ordering: .relaxed).newValue
        return await withTaskCancellationHandler {
            let found = self.eventLoop.flatSubmit { [core] in
                core.value.find(id, search: search, within: TimeAmount(timeout))
            }
            // What is cancelled before the search has begun is cancelled in vain.
            if Task.isCancelled { self.cancel(search) }
            return (try? await found.get()) ?? nil
        } onCancel: {
            self.cancel(search)
        }
    }

    private func cancel(_ search: UInt64) {
        self.eventLoop.execute { [core] in core.value.cancel(search) }
    }

    // MARK: Commands

    /// Searches from now on; does nothing when it does already.
    /// - Throws: when the event loop has been shut down.
    package func start() async throws {
        try await self.submit { $0.start() }
    }

    /// Searches no more; what was found goes from the list, static entries stay.
    /// - Throws: when the event loop has been shut down.
    package func stop() async throws {
        try await self.submit { $0.stop() }
    }

    /// Sends one query to the network.
    /// - Throws: when the event loop has been shut down.
    package func scan() async throws {
        try await self.submit { $0.scan() }
    }

    /// Chooses whether discovery only listens (true), or asks the network every ten seconds (false).
    /// - Throws: when the event loop has been shut down.
    package func setPassive(_ isPassive: Bool) async throws {
        try await self.submit { $0.isPassive = isPassive }
    }

    /// Takes another configuration; what is found already stays, where it has a place in it.
    /// - Throws: when the event loop has been shut down.
    package func configure(_ settings: DiscoverySettings) async throws {
        self.isEnabled.withLock { $0 = settings.isEnabled }
        try await self.submit { $0.configure(settings) }
    }

    /// Takes the devices that plugins name, in the place of those before. The last call counts: while the event loop is busy, what earlier
    /// calls said is left out, so that no queue grows.
    package func provide(_ entries: [StaticEntry]) {
        guard self.provided.put(entries) else { return }
        self.eventLoop.execute { [core, provided] in
            if let entries = provided.take() { core.value.provide(entries) }
        }
    }

    /// Takes whether a device has an app, as it said when it was asked; criteria follow it.
    package func note(app: AppID, on id: String, isAvailable: Bool) {
        self.eventLoop.execute { [core] in core.value.note(app: app, on: id, isAvailable: isAvailable) }
    }

    /// Keeps an attribute with a device, for readers of the list; nil removes it.
    package func set(attribute name: String, of id: String, to value: String?) {
        self.set(attributes: [name: value], of: id)
    }

    /// Keeps attributes with a device, for readers of the list, who are told of all at once; nil removes one.
    package func set(attributes: [String: String?], of id: String) {
        self.eventLoop.execute { [core] in core.value.set(attributes: attributes, of: id) }
    }

    private func submit(_ body: @escaping @Sendable (DiscoveryCore) -> Void) async throws {
        try await self.eventLoop.submit { [core] in body(core.value) }.get()
    }
}

// What sessions with devices ask that are in no configuration.
extension DeviceDiscovery: DeviceLocator {
    /// The addresses of a device, by its id, the name that people read, or that of its static entry.
    package func addresses(of device: String) -> [DeviceAddress] { self.found(device)?.addresses ?? [] }

    /// The identity of a device by its id, the name that people read, or that of its static entry.
    package func identity(of device: String) -> ExpectedDevice? { self.found(device)?.identity(as: device) }

    private func found(_ device: String) -> DiscoveredDevice? {
        self.device(id: device) ?? self.devices.first { $0.friendlyName == device || $0.staticName == device }
    }

    /// The category of a device; of several that a name may mean, of the one that has it in the gateway.
    package func category(of device: String) -> DeviceCategory? {
        let devices = self.devices
        let found =
            devices.first { $0.staticName == device } ?? self.device(id: device)
            ?? devices.first { $0.friendlyName == device }
        return found?.category
    }

    /// Tells the address book of the device from now on.
    package func follow(_ device: String) {
        self.eventLoop.execute { self.core.value.follow(device, true) }
    }

    /// Stops following a device.
    package func unfollow(_ device: String) {
        self.eventLoop.execute { self.core.value.follow(device, false) }
    }

    /// Takes whether a device has an app; criteria follow it.
    package func note(app: AppID, of device: String, isAvailable: Bool) {
        self.eventLoop.execute { self.core.value.note(app: app, of: device, isAvailable: isAvailable) }
    }
}
