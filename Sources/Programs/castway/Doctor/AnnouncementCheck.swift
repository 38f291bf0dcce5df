import GatewaySettings
import VirtualDevices

/// Whether virtual devices that are to be announced in some network interfaces only can be, and who else is heard there.
struct AnnouncementCheck: DoctorCheck {
    let configuration: GatewayConfiguration
    /// What there is; asked when the check is made.
    var interfaces: @Sendable () -> [NetworkInterface] = { NetworkInterface.all() }

    let name = "announcements"

    /// Whether there is anything to look at.
    var isNeeded: Bool {
        self.configuration.virtualDevices.contains { !$0.device.announcing.interfaces.isEmpty && $0.publish }
    }

    func findings() async -> [DoctorFinding] {
        let interfaces = self.interfaces()
        var findings: [DoctorFinding] = []
        for device in self.configuration.virtualDevices where device.publish {
            for name in device.device.announcing.interfaces {
                findings.append(self.finding(device, name, interfaces.first { $0.name == name }))
            }
        }
        let mdns = self.configuration.discovery.multicast
        let heard = Set(
            self.configuration.virtualDevices.filter { $0.passedName != nil && $0.publish }
                .flatMap(\.device.announcing.interfaces)
        ).filter { mdns.interfaces.isEmpty || mdns.interfaces.contains($0) }
        if mdns.isEnabled, !heard.isEmpty {
            findings.append(
                .warn(
                    "discovery",
                    "devices are listened for in \(heard.sorted().joined(separator: ", ")) too, where senders are",
                    advice:
                        "name the networks of the devices in discovery.mdns.interfaces: what senders announce is not heard then"
                ))
        }
        return findings
    }

    private func finding(
        _ device: VirtualDeviceConfiguration, _ name: String, _ interface: NetworkInterface?
    ) -> DoctorFinding {
        let subject = "\(device.name) in \(name)"
        guard let interface else {
            return .warn(
                subject, "there is no such network interface",
                advice: "the device is announced there once the interface is; correct its name, or bring it up")
        }
        guard interface.isUsable else {
            return .warn(
                subject, "the interface is not up with an address and multicast",
                advice: "bring it up, or name another in 'publish'")
        }
        return .ok(subject, "up, \(interface.addresses.joined(separator: ", "))")
    }
}
