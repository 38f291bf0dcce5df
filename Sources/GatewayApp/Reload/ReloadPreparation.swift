import CastTransport
import DeviceSessions
import GatewayConfig
import NIOCore
import PluginHosting
import VirtualDevices

/// Everything that was made for a new configuration and is not in force yet.
struct ReloadPreparation {
    let devices: DeviceSessionUpdate
    let plugins: PluginsUpdate
    let environment: VirtualDeviceEnvironment
    /// The virtual devices that stay, ready to change.
    var changes: [VirtualDeviceChange] = []
    /// Virtual devices that listen, and accept no sender yet.
    var added: [VirtualDeviceService] = []
    /// Virtual devices that go.
    var removed: [VirtualDeviceService] = []
    /// All virtual devices afterwards.
    var fleet: [String: VirtualDeviceService] = [:]
    /// Ports that go from one listener to another in this reload.
    private(set) var sharedPorts: Set<Int> = []
    private var givenUp: [any Channel] = []

    init(devices: DeviceSessionUpdate, plugins: PluginsUpdate, environment: VirtualDeviceEnvironment) {
        self.devices = devices
        self.plugins = plugins
        self.environment = environment
    }

    /// Lets new listeners have addresses that others give up in the same reload: both hold them for a moment.
    mutating func shareAddresses(
        of running: [String: VirtualDeviceService], kept: [String: VirtualDeviceService],
        for devices: [VirtualDeviceConfiguration]
    ) async throws {
        let wanted = Dictionary(devices.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let ports = Set(
            devices.flatMap { [$0.listen, $0.setup.http, $0.setup.https].compactMap { $0?.port } }.filter { $0 != 0 })
        for (name, service) in running {
            for socket in service.sockets(givenUpFor: kept[name] == nil ? nil : wanted[name]?.device) {
                guard let port = socket.localAddress?.port, ports.contains(port) else { continue }
                try await SharedAddress.allow(true, on: socket)
                self.givenUp.append(socket)
                self.sharedPorts.insert(port)
            }
        }
    }

    /// Forbids sharing again, on the sockets that stay.
    func endSharing(isCommitted: Bool) async {
        guard !self.sharedPorts.isEmpty else { return }
        let sockets =
            isCommitted ? self.changes.flatMap(\.boundSockets) + self.added.flatMap(\.sockets) : self.givenUp
        for socket in sockets {
            // A socket that is closed by now shares nothing.
            try? await SharedAddress.allow(false, on: socket)
        }
    }

    /// Gives everything up.
    func undo() async {
        await self.plugins.undo()
        for change in self.changes { await change.undo() }
        for service in self.added {
            await service.giveUpAddresses()
            service.stop("the reload failed")
        }
        await self.endSharing(isCommitted: false)
    }
}
