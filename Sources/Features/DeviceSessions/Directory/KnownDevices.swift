import CastDiscovery
import CastWire
import Synchronization

/// Discovery's knowledge of devices, whether or not they are in the configuration. Used from any thread.
final class KnownDevices: Sendable {
    struct Device: Sendable {
        /// The addresses, best first.
        var addresses: [DeviceAddress] = []
        /// The identity; nil when any device that answers there is meant.
        var identity: ExpectedDevice?
        /// True if it announces that it shows video; nil while it announces nothing.
        var showsVideo: Bool?
        /// The apps that devices are asked for; the same for all.
        var wantedApps: [AppID] = []
    }

    private struct State {
        var addresses: [String: [DeviceAddress]] = [:]
        var identities: [String: ExpectedDevice] = [:]
        /// The devices that the configuration names.
        var configured: [String: ExpectedDevice] = [:]
        var showsVideo: [String: Bool] = [:]
        var wantedApps: [AppID] = []
        var locator: (any DeviceLocator)?
    }

    /// More than any network has; what is told of further devices is not kept.
    private static let maximumCount = 4096

    private let state = Mutex(State())

    /// Finds devices that are in no configuration; nil when there is no discovery.
    var locator: (any DeviceLocator)? {
        get { self.state.withLock { $0.locator } }
        set { self.state.withLock { $0.locator = newValue } }
    }

    subscript(device: String) -> Device {
        self.state.withLock { state in
            let (written, heard) = (state.configured[device], state.identities[device])
            return Device(
                addresses: state.addresses[device] ?? [],
                // What was heard of the device says more of it than its id alone.
                identity: written == nil || written?.id == heard?.id ? heard : written,
                showsVideo: state.showsVideo[device], wantedApps: state.wantedApps)
        }
    }

    func set(addresses: [DeviceAddress], of device: String) {
        self.state.withLock { state in
            guard state.addresses.count < Self.maximumCount || state.addresses[device] != nil else { return }
            state.addresses[device] = addresses.isEmpty ? nil : addresses
        }
    }

    /// Takes which devices the names of the configuration mean.
    func set(configured: [String: ExpectedDevice]) {
        self.state.withLock { $0.configured = configured }
    }

    /// Takes which device discovery takes a name to mean.
    func set(identity: ExpectedDevice?, of device: String) {
        self.state.withLock { state in
            guard state.identities.count < Self.maximumCount || state.identities[device] != nil else { return }
            state.identities[device] = identity
        }
    }

    /// - Returns: false when that was known already.
    func set(showsVideo: Bool?, of device: String) -> Bool {
        self.state.withLock { state in
            guard state.showsVideo[device] != showsVideo else { return false }
            if state.showsVideo.count < Self.maximumCount || state.showsVideo[device] != nil {
                state.showsVideo[device] = showsVideo
            }
            return true
        }
    }

    func set(wantedApps: [AppID]) {
        self.state.withLock { $0.wantedApps = wantedApps }
    }
}
