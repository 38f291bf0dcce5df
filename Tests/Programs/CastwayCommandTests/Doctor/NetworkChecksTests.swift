import CastDiscovery
import CastwayTestSupport
import GatewayApp
import GatewayConfig
import GatewayFixtures
import GatewaySettings
import NIOCore
import NIOPosix
import Testing
import VirtualDevices

@testable import castway

/// Checks of what is around: ports, interfaces, Avahi, static devices.
@Suite(.timeLimit(.minutes(2))) struct NetworkChecksTests {
    // MARK: Announcements

    @Test func interfacesOfAnnouncementsAreLookedAt() async {
        var configuration = GatewayConfiguration {
            $0.virtualDevices = [
                VirtualDeviceConfiguration(
                    name: "room", listen: ListenAddress(host: "10.20.0.12", port: 8009), target: .passthrough("tv")
                ) { $0.device.announcing.interfaces = ["guests0", "guests1", "guests2"] }
            ]
        }
        let up = NetworkInterface(
            name: "guests0", isUp: true, isLoopback: false, hasMulticast: true, addresses: ["10.20.0.12"])
        let down = NetworkInterface(
            name: "guests1", isUp: false, isLoopback: false, hasMulticast: true, addresses: [])
        let interfaces = [up, down]
        configuration.discovery.multicast.interfaces = ["lan0"]
        let check = AnnouncementCheck(configuration: configuration, interfaces: { interfaces })
        #expect(check.isNeeded)
        let findings = await check.findings()
        #expect(findings.map(\.level) == [.ok, .warn, .warn])
        #expect(findings[1].subject == "room in guests1")
        // A guest can say that it is the device.
        configuration.discovery.multicast.interfaces = []
        let open = await AnnouncementCheck(configuration: configuration, interfaces: { interfaces }).findings()
        #expect(open.last?.level == .warn && open.last?.subject == "discovery")
        configuration.virtualDevices[0].publish = false
        #expect(!AnnouncementCheck(configuration: configuration).isNeeded)
    }

    // MARK: Ports

    private func ports(_ port: Int, host: String = "127.0.0.1", gateway: ControlClient.Address? = nil) -> PortCheck {
        PortCheck(
            ports: [PortCheck.Port(device: "hall", address: ListenAddress(host: host, port: port))],
            runningGateway: RunningGatewayProbe(address: gateway, timeout: .seconds(5)))
    }

    @Test func freePortsAreFree() async throws {
        let port = try FreePort.next()
        #expect(await self.ports(port).findings() == [.ok("127.0.0.1:\(port)", "free, for hall")])
        // Nothing is left behind.
        #expect(await self.ports(port).findings().map(\.level) == [.ok])
        let none = PortCheck(ports: [], runningGateway: RunningGatewayProbe(address: nil, timeout: .seconds(1)))
        #expect(await none.findings() == [.ok("virtual devices", "no fixed ports")])
    }

    @Test func takenPortsAreAnothers() async throws {
        try await SilentServer.with { port in
            let finding = try #require(await self.ports(port).findings().first)
            #expect(finding.level == .fail && finding.seen == "in use by another program, wanted by hall")
            #expect(finding.advice.contains("sport = :\(port)"))
        }
    }

    @Test func foreignAddressesAreTold() async throws {
        let finding = await self.ports(8009, host: "192.0.2.1").findings().first
        #expect(finding?.level == .fail)
        #expect(finding?.seen == "no interface has this address, wanted by hall")
    }

    @Test func theGatewaysOwnPortsAreFine() async throws {
        try await TemporaryFolder.with { folder in
            var configuration = GatewayConfiguration.hallAndOffice
            configuration.gateway.stateDirectory = folder.path
            try await RunningGateway.with(configuration) { running in
                let socket = ControlClient.Address.socket(folder.file("admin.sock"))
                let port = running.port("hall")
                let findings = await self.ports(port, gateway: socket).findings()
                #expect(findings == [.ok("127.0.0.1:\(port)", "in use, for hall, by the gateway that runs")])
            }
        }
    }

    @Test func allPortsOfAConfigurationAreLookedAt() {
        var configuration = GatewayConfiguration()
        let any = ListenAddress(host: "127.0.0.1", port: 0)
        let fixed = ListenAddress(host: "127.0.0.1", port: 8443)
        configuration.virtualDevices = [
            .init(name: "a", listen: any, target: .local), .init(name: "b", listen: fixed, target: .local),
        ]
        configuration.virtualDevices[0].setup.https = fixed
        #expect(
            PortCheck.ports(of: configuration) == [
                PortCheck.Port(device: "a", address: fixed), PortCheck.Port(device: "b", address: fixed),
            ])
    }

    // MARK: Interfaces

    @Test func interfacesAreJudged() async {
        let lo = NetworkInterface(
            name: "lo", isUp: true, isLoopback: true, hasMulticast: false, addresses: ["127.0.0.1"])
        let eth = NetworkInterface(
            name: "eth0", isUp: true, isLoopback: false, hasMulticast: true, addresses: ["192.0.2.7", "fe80::1%eth0"])
        var tunnel = eth
        tunnel.hasMulticast = false
        var down = eth
        down.isUp = false
        var bare = eth
        bare.addresses = []
        let cases: [([NetworkInterface], [DoctorFinding.Level])] = [
            ([lo, eth], [.ok]), ([lo, tunnel], [.warn, .warn]), ([lo, down], [.ok, .warn]),
            ([lo, bare], [.ok, .warn]),
            ([lo], [.warn]), ([eth, tunnel], [.ok, .warn]),
        ]
        for (interfaces, levels) in cases {
            let findings = await InterfaceCheck(interfaces: { interfaces }).findings()
            #expect(findings.map(\.level) == levels, "\(findings)")
        }
        #expect(
            await InterfaceCheck(interfaces: { [eth] }).findings()
                == [.ok("eth0", "up, 192.0.2.7, fe80::1%eth0, multicast")])
        let four = NetworkInterface(
            name: "eth0", isUp: true, isLoopback: false, hasMulticast: true, addresses: ["192.0.2.7"])
        #expect(await InterfaceCheck(interfaces: { [four] }).findings().last?.subject == "IPv6")
    }

    @Test func moreInterfacesThanASocketGetsIntoAreTold() async {
        let eth = NetworkInterface(
            name: "eth0", isUp: true, isLoopback: false, hasMulticast: true, addresses: ["192.0.2.7", "fe80::1%eth0"])
        func findings(possible: Int) async -> [DoctorFinding] {
            let memberships = MulticastMemberships(needed: 24, possible: possible)
            return await InterfaceCheck(interfaces: { [eth] }, memberships: { memberships }).findings()
        }
        #expect(await findings(possible: 24).map(\.level) == [.ok])
        let finding = await findings(possible: 20).last
        #expect(finding?.level == .warn && finding?.seen.contains("20 of 24") == true)
        #expect(finding?.advice.contains("net.ipv4.igmp_max_memberships") == true)
    }

    @Test func theLoopbackInterfaceIsThere() throws {
        let lo = try #require(NetworkInterface.all().first { $0.name == "lo" })
        #expect(lo.isLoopback)
        if lo.isUp { #expect(lo.addresses.contains("127.0.0.1")) }
    }

    // MARK: Avahi

    @Test func aMissingBusIsTold() async {
        let check = AvahiCheck(
            timeout: .seconds(1), busAddress: "/nonexistent/bus",
            listen: { _, _ in
                Issue.record("nobody listens without a bus")
                return AvahiCheck.Hearing()
            })
        let finding = await check.findings().first
        #expect(finding?.level == .fail)
        #expect(finding?.seen == "no system bus at /nonexistent/bus: No such file or directory")
    }

    @Test func whatIsHeardIsToldByInterface() async {
        let hearings: [(AvahiCheck.Hearing, [DoctorFinding.Level])] = [
            (AvahiCheck.Hearing(obstacle: "Daemon not running"), [.fail]), (AvahiCheck.Hearing(), [.ok, .warn]),
            (AvahiCheck.Hearing(devices: ["eth0": ["Hall"], "wlan0": ["Hall", "Bar"]]), [.ok, .ok, .ok]),
        ]
        for (hearing, levels) in hearings {
            let check = AvahiCheck(timeout: .seconds(5), busAddress: nil, listen: { _, _ in hearing })
            #expect(await check.findings().map(\.level) == levels)
        }
        let names = Set((1...7).map { "Device \($0)" })
        let check = AvahiCheck(
            timeout: .seconds(5), busAddress: nil,
            listen: { _, _ in AvahiCheck.Hearing(devices: ["eth0": names]) })
        #expect(
            await check.findings().last
                == .ok(
                    "Cast devices on eth0",
                    "7 heard within 5 s: Device 1, Device 2, Device 3, Device 4, Device 5 and 2 more"))
    }

    @Test func theDaemonIsReachedAsTheUserOfTheService() async {
        let user = ServiceUser(name: "castway", user: 990, group: 990)
        func findings(reachedAsUser: Bool, reachedAsRoot: Bool) async -> [DoctorFinding] {
            await AvahiCheck(
                timeout: .seconds(1), service: user, busAddress: nil,
                listen: { _, asked in
                    let isReached = asked == user ? reachedAsUser : reachedAsRoot
                    return AvahiCheck.Hearing(obstacle: isReached ? nil : "no answer", devices: ["eth0": ["Hall"]])
                }
            ).findings()
        }
        #expect(await findings(reachedAsUser: true, reachedAsRoot: false).first == .ok("Avahi", "reached, as castway"))
        let refused = await findings(reachedAsUser: false, reachedAsRoot: true)
        #expect(refused.map(\.level) == [.fail])
        #expect(refused.first?.seen == "reached, but not as castway, as which the service runs: no answer")
        #expect(refused.first?.advice.contains("User=castway") == true)
        let absent = await findings(reachedAsUser: false, reachedAsRoot: false)
        #expect(absent.first?.advice.contains("avahi-daemon") == true)
    }

    @Test func theUserOfAServiceIsFound() {
        let unit = "[Service]\nExecStart=/usr/bin/castway run --config /etc/castway/gateway.yaml\nUser=daemon\n"
        func user(_ dropIns: String..., configuration: String = "/etc/castway/gateway.yaml") -> ServiceUser? {
            ServiceUser(unit: unit, dropIns: dropIns, configuration: configuration)
        }
        #expect(user() == ServiceUser(name: "daemon", user: 1, group: 1))
        #expect(user("[Service]\nDynamicUser=yes\n")?.user == 1)
        #expect(user("[Service]\nDynamicUser=yes\nUser=nonesuch\n")?.user == 65519)
        #expect(user("[Service]\nDynamicUser=yes\n", "[Service]\nDynamicUser=no\nUser=root\n")?.user == 0)
        #expect(user("[Service]\nUser=nonesuch\n") == nil)
        #expect(user(configuration: "/srv/gateway.yaml") == nil)
        #expect(ServiceUser(unit: "", dropIns: [], configuration: "") == nil)

        let status = "Name:\tcastway\nUid:\t0\t64444\t0\t0\nGid:\t0\t64445\t0\t0\n"
        #expect(ServiceUser(status: status) == ServiceUser(name: "user 64444", user: 64444, group: 64445))
        #expect(ServiceUser(status: "Uid:\tx\n") == nil)
    }

    @Test func aNetworkIsListenedTo() async throws {
        let blocked = await AvahiCheck.listen(
            to: AbsentNetwork(reason: "Daemon not running"), for: .milliseconds(1))
        #expect(blocked == AvahiCheck.Hearing(obstacle: "Daemon not running"))
        let heard = HeardDevices()
        #expect(heard.hearing.obstacle == "the Avahi daemon did not answer")
        heard.take(.browsing)
        let id = try #require(DeviceID("0123456789abcdef0123456789abcdef"))
        heard.take(
            .seen(
                ServiceSighting(
                    key: .init(instance: "x", interface: 2, family: .ipv4), interfaceName: "eth0", host: "h",
                    address: "192.0.2.1", port: 8009, record: DeviceRecord(id: id, friendlyName: "Hall"))))
        #expect(heard.hearing == AvahiCheck.Hearing(devices: ["eth0": ["Hall"]]))
    }

    // MARK: Static devices

    @Test func staticDevicesAreDialled() async throws {
        try await RunningGateway.with(.hallAndOffice) { running in
            try await SilentServer.with { silent in
                let closed = try FreePort.next()
                let ports = [running.port("hall"), closed, silent]
                let devices = ports.map {
                    StaticDevice(name: "d", address: DialAddress(host: "127.0.0.1", port: $0))
                }
                // All at once, so the silent one costs no more than its own time.
                let findings = await StaticDeviceCheck(devices: devices, timeout: .seconds(1)).findings()
                #expect(findings.map(\.level) == [.ok, .warn, .fail])
                #expect(findings[0] == .ok("d at 127.0.0.1:\(ports[0])", "answers, and speaks TLS"))
                #expect(findings[1].seen == "not reached: Connection refused")
                #expect(findings[2].seen.hasPrefix("answers, and does not speak TLS: "))
            }
        }
        #expect(
            await StaticDeviceCheck(devices: [], timeout: .seconds(1)).findings() == [.ok("discovery.static", "none")])
    }

    @Test func whatSpeaksNoTLSIsTold() async throws {
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(PlainGreeter())
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let device = StaticDevice(
            name: "d", address: DialAddress(host: "127.0.0.1", port: server.localAddress?.port ?? 0))
        let finding = await StaticDeviceCheck(devices: [device], timeout: .seconds(5)).findings().first
        #expect(finding?.level == .fail)
        #expect(finding?.seen.hasPrefix("answers, and does not speak TLS") == true)
        try await server.close()
    }
}
