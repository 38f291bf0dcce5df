package import DeviceListening
import DeviceSessions
package import GatewayConfig
import Passthrough

/// What is wrong with virtual devices whose senders are passed through, and who expects more of them than they can give.
package struct PassthroughCheck {
    /// The keys that mean something to such a device.
    private static let keys: Set<String> = [
        "name", "listen", "publish", "target", "senders", "apps", "volume", "setup", "mirroring",
    ]
    /// The parts of the file that may be about messages of some virtual devices.
    private static let aboutMessages = ["routing", "handlers", "channels", "bridges", "launch", "plugins"]

    private let root: ConfigSection
    private let interfaces: InterfaceTable
    private let devices: [ConfigSection]

    /// - Parameter interfaces: those of the machine, for networks in which devices are.
    package init(_ root: ConfigSection, interfaces: InterfaceTable) {
        self.root = root
        self.interfaces = interfaces
        self.devices = root.sections("virtual_devices").filter {
            $0.optionalSection("target")?.isPassthrough ?? false
        }
    }

    /// What there is to say of the way of messages of such a device.
    package static func routeText(to target: String) -> String {
        "senders are passed through to '\(target)': their messages are encrypted for it, and no handler sees them"
    }

    // MARK: One device

    /// The keys that a virtual device of this kind does not have; such as are written are refused.
    static func keysWithoutMeaning(in section: ConfigSection) -> Set<String> {
        guard let target = section.optionalSection("target"), target.isPassthrough else {
            return Set(SenderRules.limitedKeys.map { "senders.\($0)" })
        }
        let volume = section.section("volume").keys.filter { $0 != "max" }.map { "volume.\($0)" }
        let rules = target.optionalString("observe") == "none" ? ["senders.stop_at_end"] : []
        return Set(section.keys).subtracting(self.keys).union(volume).union(rules)
    }

    /// Adds what such a device does not have, and what it must have.
    package static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        for key in section.keys where section.isWritten(key) && !self.keys.contains(key) {
            problems.add(
                .inconsistent, at: section.location(key),
                "'\(section.path(key))' has no meaning for a device with 'target: {passthrough: …}'",
                hint: "senders see the real device as it is: its own name, certificate and apps")
        }
        let setup = section.section("setup")
        if setup.isWritten("https") {
            problems.add(
                .inconsistent, at: setup.location("https"),
                "'\(setup.path("https"))' cannot be passed through: port 8443 of a device lets anyone restart and rename it",
                hint: "keep 'http', which passes on what the device says of itself")
        }
        self.checkRules(section, problems: &problems)
        self.checkPublishing(section, problems: &problems)
        self.checkMirroring(section, problems: &problems)
    }

    /// Adds what keeps streams from being carried: they are told apart by the address that they are sent to, and the device has chosen
    /// the port.
    private static func checkMirroring(_ section: ConfigSection, problems: inout ConfigProblems) {
        guard let mirroring = section.optionalSection("mirroring"), section.isValid("mirroring") else { return }
        if mirroring.isWritten("ports") {
            problems.add(
                .inconsistent, at: mirroring.location("ports"),
                "'\(mirroring.path("ports"))' has no meaning for a device with 'target: {passthrough: …}': the device chooses the port",
                hint: "remove it; a firewall must let the ports 1024 to 65535 of this address in, by UDP")
        }
        guard Self.isMirrored(section), section.isValid("listen") else { return }
        let host = section.listenAddress("listen").host
        guard IPAddress(host)?.bitWidth == 32, host != "0.0.0.0" else {
            problems.add(
                .inconsistent, at: section.location("listen"),
                "'\(section.path("listen"))' must be one IPv4 address, since '\(section.path("mirroring"))' carries what comes to it by UDP",
                hint: "such as 10.20.0.12:8009, an address for this device alone; or mirroring: {udp: off}")
            return
        }
    }

    /// Whether a device whose senders are passed through carries streams.
    private static func isMirrored(_ section: ConfigSection) -> Bool {
        guard let mirroring = section.optionalSection("mirroring"), mirroring.isValid("udp") else { return false }
        return mirroring.optionalString("udp") != MirroringConfiguration.Datagrams.off.rawValue
    }

    /// Adds what only such a device has.
    static func checkOther(_ section: ConfigSection, problems: inout ConfigProblems) {
        let volume = section.section("volume")
        guard volume.isWritten("max") else { return }
        problems.add(
            .inconsistent, at: volume.location("max"),
            "'\(volume.path("max"))' is for devices with 'target: {passthrough: …}' only",
            hint: "for other devices say it as a rule: routing.rules with 'limit: {volume: …}'")
    }

    /// Adds what of the rules has no meaning, and rules that cannot be seen to without a channel to the device.
    private static func checkRules(_ section: ConfigSection, problems: inout ConfigProblems) {
        let (volume, senders) = (section.section("volume"), section.section("senders"))
        for key in volume.keys where volume.isWritten(key) && key != "max" {
            problems.add(
                .inconsistent, at: volume.location(key),
                "'\(volume.path(key))' has no meaning for a device with 'target: {passthrough: …}'",
                hint: "senders see the real device's own volume; 'max' says how loud it may be")
        }
        for app in section.map("apps") {
            guard let details = app.value.section else { continue }
            for key in details.keys where details.isWritten(key) {
                problems.add(
                    .neverRuns, at: details.location(key),
                    "'\(details.path(key))' has no effect on a device that stands for another",
                    hint: "the app runs on the device behind it, which decides about that", severity: .warning)
            }
        }
        if senders.isWritten("stop_at_end"), senders.boolean("stop_at_end"), !senders.has("during") {
            problems.add(
                .inconsistent, at: senders.location("stop_at_end"),
                "'\(senders.path("stop_at_end"))' has no meaning without '\(senders.path("during"))'",
                hint: "say when senders may be connected: during: [\"08:00-23:00\"]")
        }
        guard let target = section.optionalSection("target"), target.optionalString("observe") == "none" else { return }
        let rules = [(section, "apps"), (volume, "max"), (senders, "stop_at_end")]
        for (rules, key) in rules where rules.isWritten(key) {
            problems.add(
                .inconsistent, at: rules.location(key),
                "'\(rules.path(key))' cannot be seen to with 'observe: none'",
                hint: "with 'observe: receiver' the gateway has a channel of its own, and connects to no app")
        }
    }

    private static func checkPublishing(_ section: ConfigSection, problems: inout ConfigProblems) {
        guard let publish = section.value("publish"), publish.isValid, section.isValid("listen") else { return }
        if case .boolean(false) = publish.content { return }
        guard publish.section != nil else {
            problems.add(
                .inconsistent, at: section.location("publish"),
                "'\(section.path("publish"))' must name the networks in which a device that is passed through is announced",
                hint: "publish: {interfaces: [guests0]}, or publish: false")
            return
        }
        let listen = section.listenAddress("listen")
        guard IPAddress(listen.host)?.bitWidth == 32, listen.host != "0.0.0.0" else {
            problems.add(
                .inconsistent, at: section.location("listen"),
                "'\(section.path("listen"))' must be one IPv4 address, since it is announced in place of the device's own",
                hint:
                    "such as 10.20.0.12:8009, an address of this machine in the network of the senders; or publish: false"
            )
            return
        }
    }

    // MARK: With the rest of the file

    /// Adds devices that are announced where they are themselves, and warns of what names devices whose messages are not seen.
    package func check(_ problems: inout ConfigProblems) {
        guard !self.devices.isEmpty else { return }
        self.checkNetworks(&problems)
        self.checkScreens(&problems)
        self.checkAnnouncements(&problems)
        let all = self.root.sections("virtual_devices").map { $0.string("name") }
        let passed = Set(self.devices.map { $0.string("name") })
        for key in Self.aboutMessages {
            self.walk(self.root.value(key)) { name in
                let meant = all.filter(Glob(name.text).matches)
                guard !meant.isEmpty, passed.isSuperset(of: meant) else { return }
                problems.add(
                    .neverRuns, at: name.location,
                    "'\(name.text)' names a device whose senders are passed through, so its messages are not seen",
                    hint:
                        "use 'target: {device: …}' where messages are to be handled; its senders must then trust this gateway",
                    severity: .warning)
            }
        }
    }

    /// Adds devices whose streams come to an address at which other streams arrive: only the address tells them apart.
    private func checkScreens(_ problems: inout ConfigProblems) {
        var first: [String: ConfigSection] = [:]
        for device in self.devices where Self.isMirrored(device) && device.isValid("listen") {
            let host = device.listenAddress("listen").host
            if let other = first[host] {
                problems.add(
                    .inconsistent, at: device.location("listen"),
                    "'\(device.string("name"))' and '\(other.string("name"))' carry mirrored streams at the same address, \(host)",
                    hint: "give each such device an address of its own: what comes by UDP is told apart by it")
            }
            first[host] = first[host] ?? device
        }
        for device in self.root.sections("virtual_devices") where device.isValid("listen") {
            guard let target = device.optionalSection("target"), !target.isPassthrough,
                let screen = first[device.listenAddress("listen").host], self.relaysStreams(device)
            else { continue }
            problems.add(
                .inconsistent, at: device.location("listen"),
                "'\(device.string("name"))' relays mirrored streams at the address of '\(screen.string("name"))', to which all UDP ports belong",
                hint: "give it another address, or mirroring: {udp: off}")
        }
    }

    /// Warns of two devices that stand for the same one in the same network: they are announced under its one id.
    private func checkAnnouncements(_ problems: inout ConfigProblems) {
        var first: [String: ConfigSection] = [:]
        for device in self.devices {
            guard let target = device.optionalSection("target")?.targetName,
                let publish = device.value("publish")?.section
            else { continue }
            for element in publish.list("interfaces") {
                guard let interface = element.string else { continue }
                let place = "\(interface) \(target)"
                if let other = first[place], other.string("name") != device.string("name") {
                    problems.add(
                        .inconsistent, at: element.location,
                        "'\(device.string("name"))' and '\(other.string("name"))' announce '\(target)' in the network of '\(interface)', under the one id that it has",
                        hint: "senders see one of them; give each network one device for it, or publish: false",
                        severity: .warning)
                }
                first[place] = first[place] ?? device
            }
        }
    }

    private func relaysStreams(_ device: ConfigSection) -> Bool {
        device.optionalSection("mirroring")?.optionalString("udp") != MirroringConfiguration.Datagrams.off.rawValue
    }

    private func checkNetworks(_ problems: inout ConfigProblems) {
        var addresses: [String: DialAddress] = [:]
        for device in self.root.section("discovery").sections("static") where device.isValid("address") {
            addresses[device.string("name")] = device.dialAddress("address")
        }
        for device in self.devices {
            guard let target = device.optionalSection("target"), let address = addresses[target.targetName],
                let publish = device.value("publish")?.section
            else { continue }
            for element in publish.list("interfaces") {
                guard let interface = element.string,
                    self.interfaces.network(of: interface, contains: address.host)
                else { continue }
                problems.add(
                    .inconsistent, at: element.location,
                    "'\(target.targetName)' (\(address)) is itself in the network of '\(interface)', where senders see it already",
                    hint: "announce it in networks in which it is not")
            }
        }
    }

    /// Finds every name of virtual devices below a value; operations may name these devices as any other.
    private func walk(_ value: ConfigValue?, _ found: (_ name: (text: String, location: ConfigLocation)) -> Void) {
        guard let value, value.isValid else { return }
        for element in value.list ?? [] { self.walk(element, found) }
        for entry in value.map ?? [] { self.walk(entry.value, found) }
        guard let section = value.section else { return }
        for key in section.keys where key != "operations" {
            guard ["device", "devices"].contains(key), let names = section.value(key), section.isWritten(key) else {
                self.walk(section.value(key), found)
                continue
            }
            for name in names.list ?? [names] {
                if let text = name.string { found((text, name.location)) }
            }
        }
    }
}
