import GatewayCore
package import PluginKit
import Synchronization

/// The Cast devices that plugins name, each for as long as the process runs that has named it. Bounded.
package final class ProvidedDevices: Sendable {
    /// A device, and the plugin that names it.
    package struct Entry: Sendable, Hashable {
        package let device: ProvidedDevice
        package let plugin: String
    }

    fileprivate struct Owner: Hashable {
        let plugin: String
        let run: UInt64
    }

    fileprivate struct State {
        var devices: [Owner: [String: ProvidedDevice]] = [:]
        var lastRun: UInt64 = 0
        var isTaken: @Sendable (ProvidedDevice) -> Bool = { _ in false }
        var onChange: @Sendable ([Entry]) -> Void = { _ in }
    }

    /// The number of devices one plugin may name.
    static let limit = 512

    private let state = Mutex(State())

    init() {}

    /// Sets the callbacks for changes.
    /// - Parameters:
    ///   - isTaken: whether another device, which is no plugin's, has the name of one. Called with a lock held: it blocks on nothing.
    ///   - onChange: told all devices, whenever they have changed, in the order of the changes. Called with a lock held: it blocks on
    ///     nothing.
    package func attach(
        isTaken: @escaping @Sendable (ProvidedDevice) -> Bool, onChange: @escaping @Sendable ([Entry]) -> Void
    ) {
        self.state.withLock { state in
            state.isTaken = isTaken
            state.onChange = onChange
            onChange(state.entries)
        }
    }

    /// The number of a new run of a plugin.
    func nextRun() -> UInt64 {
        self.state.withLock { state in
            state.lastRun += 1
            return state.lastRun
        }
    }

    /// Takes devices, new ones and such as have changed.
    /// - Throws: ``PluginRPCError`` when one cannot be taken; none is then.
    func publish(_ devices: [ProvidedDevice], by plugin: String, in run: UInt64) throws(PluginRPCError) {
        let owner = Owner(plugin: plugin, run: run)
        let fault: PluginRPCError? = self.state.withLock { state in
            var own = state.devices[owner] ?? [:]
            for device in devices where own[device.name] != device {
                guard !state.isTaken(device), !state.isNamed(device.name, byOthersThan: plugin) else {
                    return PluginRPCError(.invalidParameters, "another device is called '\(device.name)'")
                }
                own[device.name] = device
            }
            guard own.count <= Self.limit else {
                return PluginRPCError(.tooLarge, "a plugin names \(Self.limit) devices at most")
            }
            guard own != state.devices[owner] ?? [:] else { return nil }
            state.devices[owner] = own
            state.onChange(state.entries)
            return nil
        }
        if let fault { throw fault }
    }

    /// Takes devices out; names that are not there are no error.
    func withdraw(_ names: [String], by plugin: String, in run: UInt64) {
        let owner = Owner(plugin: plugin, run: run)
        self.state.withLock { state in
            guard var own = state.devices[owner] else { return }
            for name in names { own[name] = nil }
            guard own.count != state.devices[owner]?.count else { return }
            state.devices[owner] = own.isEmpty ? nil : own
            state.onChange(state.entries)
        }
    }

    /// A run of a plugin has ended, and its devices go with it.
    func ended(_ run: UInt64) {
        self.state.withLock { state in
            guard let owner = state.devices.keys.first(where: { $0.run == run }) else { return }
            state.devices[owner] = nil
            state.onChange(state.entries)
        }
    }
}

extension ProvidedDevices.State {
    /// The devices, by name. What a later process of a plugin says of one counts.
    fileprivate var entries: [ProvidedDevices.Entry] {
        var named: [String: ProvidedDevices.Entry] = [:]
        for (owner, devices) in self.devices.sorted(by: { $0.key.run < $1.key.run }) {
            for device in devices.values {
                named[device.name] = ProvidedDevices.Entry(device: device, plugin: owner.plugin)
            }
        }
        return named.values.sorted { $0.device.name < $1.device.name }
    }

    fileprivate func isNamed(_ name: String, byOthersThan plugin: String) -> Bool {
        self.devices.contains { $0.key.plugin != plugin && $0.value[name] != nil }
    }
}
