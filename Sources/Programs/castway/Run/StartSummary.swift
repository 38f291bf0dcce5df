import ControlAPI
import GatewayApp
import GatewayConfig
import GatewaySettings
import VirtualDevices

/// What `castway run` tells people when senders can connect.
struct StartSummary {
    let configuration: GatewayConfiguration
    /// The ports on which virtual devices really listen, by name.
    let ports: [String: Int]
    let path: String
    /// The program as it was called, for the commands to try.
    let program: String

    /// Whether it runs in a folder of Castway's sources, where `make` is at hand.
    let isInSources: Bool

    var lines: [String] {
        let devices = self.configuration.virtualDevices
        guard !devices.isEmpty else {
            return ["Castway runs. There is no virtual device in \(self.path.printable), so senders see nothing."]
        }
        let rows = devices.map { device in
            [device.friendlyName, "\(self.address(of: device))", self.target(of: device)].map(\.printable)
        }
        return ["\(self.configuration.gateway.name.printable) runs (version \(CastwayVersion.current)).", ""]
            + TextTable(rows: [["DEVICE", "ADDRESS", "BEHIND IT"]] + rows).lines + [""] + self.api + self.nextSteps
    }

    /// Commands to try.
    private var nextSteps: [String] {
        guard let first = self.configuration.virtualDevices.first(where: { $0.passedName == nil }) else {
            return self.passedSteps
        }
        let address = Self.reachable(self.address(of: first))
        let config = self.path == "gateway.yaml" ? "" : " --config \(self.path.printable)"
        return [
            self.announcement, "  \(self.program) cast \(address) status",
            "  \(self.program) cast \(address) load http://192.0.2.9/one.mp4 --title One", self.python.introduction,
            "  \(self.python.program) -c 'import pychromecast as p; "
                + "c = p.get_chromecast_from_host((\"\(address.host)\", \(address.port), None, None, None)); "
                + "c.wait(); print(c.status)'", "Chromium must be given the root certificate of the devices:",
            "  \(self.program) identity export-root\(config) --output castway-root.pem",
        ]
    }

    /// The same where all senders are passed through: real devices answer them, with their own certificates, in the senders' networks.
    private var passedSteps: [String] {
        let guarded = self.configuration.virtualDevices.first { $0.join == .required }
        return [
            "Senders are passed through to real devices, and see them in their own networks once the gateway has found them. Try next:",
            "  \(self.program) status", "  \(self.program) doctor",
        ] + (guarded.map { ["  \(self.program) code create \($0.name)"] } ?? [])
    }

    /// Where programs reach the gateway; nothing without a listener for them.
    private var api: [String] {
        guard let listen = self.configuration.api.listen else { return [] }
        let scheme = self.configuration.api.tls == nil ? "http" : "https"
        return [
            "Programs reach the gateway at \(scheme)://\(Self.reachable(listen))/docs; "
                + "'\(self.program) token create' makes tokens for them.", "",
        ]
    }

    /// How to get at a Python that has pychromecast, and what it is called then.
    private var python: (introduction: String, program: String) {
        self.isInSources
            ? ("From Python, with pychromecast, which 'make python' puts into .venv:", ".venv/bin/python3")
            : ("From Python, with pychromecast (https://pypi.org/project/PyChromecast/):", "python3")
    }

    /// Whether senders find the devices by themselves.
    private var announcement: String {
        let devices = self.configuration.virtualDevices
        let count = devices.count { $0.publish && !$0.listen.isLoopback }
        guard count > 0 else {
            return
                "Devices that listen on 127.0.0.1 are not announced by mDNS: point senders at the addresses. Try next:"
        }
        let which = count == devices.count ? "The devices" : "Those that do not listen on 127.0.0.1"
        return "\(which) are announced by mDNS, where an Avahi daemon runs. Try next:"
    }

    private func address(of device: VirtualDeviceConfiguration) -> ListenAddress {
        ListenAddress(host: device.listen.host, port: self.ports[device.name] ?? device.listen.port)
    }

    /// An address that a sender on this machine can connect to.
    private static func reachable(_ address: ListenAddress) -> ListenAddress {
        switch address.host {
        case "0.0.0.0": ListenAddress(host: "127.0.0.1", port: address.port)
        case "::": ListenAddress(host: "::1", port: address.port)
        default: address
        }
    }

    private func target(of device: VirtualDeviceConfiguration) -> String {
        guard let name = device.realDevice else { return "the built-in receiver" }
        let real = self.configuration.discovery.staticDevices.first { $0.name == name }
        // A device without a name of its own is called like its address.
        let place = real.map { $0.address.description == name ? name : "\(name) at \($0.address)" } ?? name
        return device.passedName == nil ? place : "\(place), passed through"
    }
}
