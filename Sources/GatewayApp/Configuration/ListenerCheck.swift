internal import ControlAPI
internal import GatewayConfig

/// Every address that a configuration listens on, and those that cannot be bound beside each other.
struct ListenerCheck {
    private struct Listener {
        let address: ListenAddress
        /// The key as messages name it.
        let path: String
        let location: ConfigLocation
    }

    private var listeners: [Listener] = []

    /// Finds the listeners: for senders, for set-up, and for the admin commands.
    init(_ root: ConfigSection) {
        for device in root.sections("virtual_devices") {
            let setup = device.section("setup")
            for (section, key) in [(device, "listen"), (setup, "http"), (setup, "https")] {
                guard let address = section.optionalListenAddress(key) else { continue }
                self.add(address, section, key)
            }
        }
        let admin = root.section("admin")
        if case .tcp(let address) = admin.optionalString("listen").flatMap(AdminAddress.init) {
            self.add(address, admin, "listen")
        }
    }

    private mutating func add(_ address: ListenAddress, _ section: ConfigSection, _ key: String) {
        self.listeners.append(
            Listener(address: address, path: section.path(key), location: section.location(key)))
    }

    /// Adds every listener that clashes with an earlier one.
    func check(_ problems: inout ConfigProblems) {
        var taken: [Listener] = []
        for listener in self.listeners {
            if let other = taken.first(where: { $0.address.clashes(with: listener.address) }) {
                problems.add(
                    .addressInUse, at: listener.location, "'\(listener.path)' \(listener.address) is already used",
                    hint: "by '\(other.path)' \(other.address) at \(other.location)")
            } else {
                taken.append(listener)
            }
        }
    }
}
