import ControlAPI
import GatewayConfig

/// Finds virtual devices that relay to themselves, directly or by way of others of this gateway.
struct RelayLoopCheck {
    /// A virtual device and where its messages go.
    private struct Relay {
        let name: String
        let listen: ListenAddress
        let location: ConfigLocation
        /// The device of `discovery.static` that it relays to, or the address that its target names, and where that is.
        let device: String
        let address: DialAddress

        /// The device for people; one without a name of its own is its address.
        var target: String {
            let isNamed = self.device != self.address.canonical.description
            return isNamed ? "device '\(self.device)' (\(self.address))" : "\(self.address)"
        }
    }

    private let relays: [Relay]
    private let machine: MachineAddresses

    init(_ root: ConfigSection, machine: MachineAddresses) {
        self.machine = machine
        var addresses: [String: DialAddress] = [:]
        for device in root.section("discovery").sections("static") where device.isValid("address") {
            let name = device.string("name")
            addresses[name] = addresses[name] ?? device.dialAddress("address")
        }
        self.relays = root.sections("virtual_devices").compactMap { device in
            guard let target = device.optionalSection("target"), let listen = device.optionalListenAddress("listen"),
                listen.port != 0
            else { return nil }
            let isInline = target.isValid("address")
            let name = target.targetName
            return (isInline ? target.dialAddress("address") : addresses[name]).map {
                Relay(
                    name: device.string("name"), listen: listen,
                    location: target.location(isInline ? "address" : target.targetKey), device: name, address: $0)
            }
        }
    }

    /// Adds each loop once, at the first of its virtual devices.
    func check(_ problems: inout ConfigProblems) {
        var judged: Set<Int> = []
        for start in self.relays.indices {
            var path: [Int] = []
            var current: Int? = start
            while let index = current, judged.insert(index).inserted {
                path.append(index)
                current = self.next(after: index)
            }
            guard let end = current, let begin = path.firstIndex(of: end) else { continue }
            self.report(path[begin...].map { self.relays[$0] }, &problems)
        }
    }

    /// The relay that is reached at the address to which another relays.
    private func next(after index: Int) -> Int? {
        self.relays.firstIndex { $0.listen.isReached(at: self.relays[index].address, machine: self.machine) }
    }

    private func report(_ loop: [Relay], _ problems: inout ConfigProblems) {
        guard let first = loop.first else { return }
        let way = loop.map { "'\($0.name)' → \($0.target) → " }.joined() + "'\(first.name)'"
        let message =
            loop.count == 1
            ? "the virtual device '\(first.name)' relays to itself" : "virtual devices relay to each other in a loop"
        problems.add(
            .relayLoop, at: first.location, "\(message): \(way)",
            hint: "relays have to end at a real device, or at a virtual device with 'target: local'")
    }
}

/// Every address that a configuration listens on, and those that cannot be bound beside each other.
struct ListenerCheck {
    private struct Listener {
        let address: ListenAddress
        /// The key as messages name it.
        let path: String
        let location: ConfigLocation
    }

    private var listeners: [Listener] = []
    /// The ports that virtual devices of discovered devices may come to listen on.
    private let template: ConfigSection?

    /// Finds the listeners: for senders, for set-up, for the admin commands, for the API, for guests, and for metrics.
    init(_ root: ConfigSection) {
        self.template = root.section("discovery").optionalSection("virtual_devices")
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
        let api = root.section("api")
        if let address = api.optionalListenAddress("listen") { self.add(address, api, "listen") }
        let join = api.section("join")
        if let address = join.optionalListenAddress("listen") { self.add(address, join, "listen") }
        if let metrics = root.optionalSection("metrics"), let address = metrics.optionalListenAddress("listen") {
            self.add(address, metrics, "listen")
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
        self.checkTemplate(taken, &problems)
    }

    /// Adds each listener whose port is one of the template's.
    private func checkTemplate(_ taken: [Listener], _ problems: inout ConfigProblems) {
        guard let template, let host = template.optionalString("listen"), let text = template.optionalString("ports"),
            let ports = DeviceTemplateConfiguration.portRange(text)
        else { return }
        for listener in taken where ports.contains(listener.address.port) {
            guard listener.address.clashes(with: ListenAddress(host: host, port: listener.address.port)) else {
                continue
            }
            problems.add(
                .addressInUse, at: template.location("ports"),
                "'\(template.path("ports"))' \(text) has a port that is already used",
                hint: "by '\(listener.path)' \(listener.address) at \(listener.location)")
        }
    }
}
