import BuiltInReceiver
import CastWire
import DeviceSessions
import GatewayApp
import GatewayConfig
import GatewayCore
import NamespaceHandlers
import Testing
import VirtualDevices

/// What `gateway.yaml` says arrives in typed form, and what it leaves out has the documented default.
struct GatewayConfigurationTests {
    private func full() throws -> GatewayConfiguration {
        let result = ConfigFixtures.load("GoodConfigs", "full.yaml")
        #expect(result.report.text() == "")
        return try #require(result.configuration)
    }

    @Test func generalSections() throws {
        let full = try self.full()
        #expect(full.gateway == GatewaySettings(id: "hotel-1", name: "Hotel # 1", stateDirectory: "./state"))
        #expect(
            full.log
                == LogConfiguration(
                    level: .debug,
                    format: .json,
                    levels: [
                        LogLevelRule(components: Glob("DeviceSession*"), level: .trace),
                        LogLevelRule(components: Glob("plugin.loyalty"), level: .warning),
                    ],
                    payloads: true,
                    redact: ["credentials", "token"]
                )
        )
        #expect(
            full.identity
                == IdentityConfiguration(
                    rootCertificateFile: "identity/root.crt",
                    rootPrivateKeyFile: "identity/root.key"
                )
        )
        #expect(full.shutdown == ShutdownConfiguration(drain: .seconds(2), total: .seconds(10), stopReceivers: true))
        #expect(
            full.discovery.staticDevices == [
                StaticDevice(
                    name: "meeting-room", address: DialAddress(host: "192.0.2.40", port: 8009),
                    id: "9D2B7C1E-4F6A-48B0-A3C5-D7E9F1023456"),
                StaticDevice(name: "Kitchen display", address: DialAddress(host: "fd00::40", port: 8010)),
            ]
        )
        #expect(
            full.discovery.multicast
                == MulticastConfiguration(isEnabled: true, isPassive: false, interfaces: ["eth0", "wlan0.1"]))
        #expect(full.discovery.receiverApp == "CC1AD845")
        #expect(full.discovery.allow == [Glob("Meeting *"), Glob("9d2b*")])
        #expect(full.discovery.deny == [Glob("Guest *")])
    }

    @Test func connections() throws {
        let full = try self.full()
        #expect(
            full.connections
                == ConnectionsConfiguration(
                    heartbeatInterval: .seconds(4),
                    heartbeatTimeout: .seconds(9),
                    reconnectInitial: .milliseconds(500),
                    reconnectMaximum: .seconds(60),
                    reconnectJitter: 0.5,
                    dialTimeout: .seconds(3),
                    certificateVerification: .require,
                    acceptsMissingNonce: true,
                    trustAnchors: ["anchors/devices.pem", "/etc/castway/more.pem"],
                    revocationAnchors: ["anchors/revocation.pem"]
                )
        )
        #expect(
            full.senders
                == SenderLimits(
                    heartbeatInterval: .seconds(3),
                    heartbeatTimeout: .seconds(15),
                    handshakeTimeout: .seconds(4),
                    frameTimeout: .seconds(6),
                    maxTotal: 2048,
                    maxPerAddress: 32,
                    newPerSecond: 20,
                    messagesPerSecond: nil
                )
        )
    }

    @Test func sessions() throws {
        #expect(
            try self.full().sessions
                == SessionsConfiguration(
                    restoresOnStart: false, isPolite: false, stopsAppOnEnd: true, suspendAfter: .seconds(10),
                    waitForDevice: .seconds(2)))
    }

    @Test func launchAndChannels() throws {
        let full = try self.full()
        #expect(full.launch.androidReceiverCompatible)
        #expect(full.launch.credentials(for: "0F5096E8")?.credentials.reveal() == "{\"user\":\"everyone\"}")
        #expect(full.launch.credentials(for: "0F5096E8")?.type == "cloud")
        #expect(full.launch.credentials(for: "CC1AD845")?.credentials.reveal() == "{\"user\":\"me\"}")
        #expect(full.launch.credentials(for: "CC1AD845")?.type == "web")
        #expect(full.launch.credentials(for: "CC1AD845")?.appliesToLoad == false)
        #expect(
            full.launch.credentials(for: "ABCD1234")
                == LaunchCredentials(
                    credentials: Secret("me"), type: "linux", appliesToLoad: true,
                    androidTVCredentials: Secret("tv"), androidTVType: "android"))
        #expect(full.launch.language == "de-CH")
        #expect(full.launch.relaunchesIfRunning)
        #expect(full.launch.senderName == "Front desk")
        #expect(
            full.channels == [
                ChannelConfiguration(namespace: "urn:x-cast:com.example.echo", handler: .echo),
                ChannelConfiguration(namespace: "urn:x-cast:com.example.chat", handler: .broadcast),
            ]
        )
    }

    @Test func relayedDevice() throws {
        let device = try #require(try self.full().virtualDevices.first)
        let ranges = ["10.20.0.0/16", "fd00::/8", "192.0.2.7/32"].compactMap { AddressRange($0) }
        #expect(ranges.count == 3)
        #expect(
            device
                == VirtualDeviceConfiguration(
                    name: "lobby",
                    friendlyName: "Lobby — screen",
                    model: "Chromecast Ultra",
                    listen: ListenAddress(host: "0.0.0.0", port: 8009),
                    publish: false,
                    target: .device("meeting-room"),
                    allowedSenders: ranges,
                    apps: [VirtualAppConfiguration(id: "CC1AD845"), VirtualAppConfiguration(id: "YouTube")],
                    idleTimeout: .zero,
                    backdrop: true,
                    volume: VolumeConfiguration(control: .fixed, level: 1, step: 0.1),
                    setup: SetupConfiguration(
                        http: ListenAddress(host: "0.0.0.0", port: 8008),
                        https: ListenAddress(host: "::1", port: 8443)
                    ),
                    capabilities: 4100
                )
        )
    }

    @Test func localDevices() throws {
        let devices = try self.full().virtualDevices
        #expect(devices.map(\.name) == ["lobby", "bench", "plain"])
        let bench = devices[1]
        #expect(bench.target == .local)
        #expect(bench.friendlyName == "bench")
        let quiz = VirtualAppConfiguration(
            id: "ABCD1234",
            name: "Quiz",
            namespaces: ["urn:x-cast:com.example.quiz"],
            player: .simulated,
            statusText: "Waiting for players",
            kind: .androidTV,
            iconURL: "https://cdn.example.com/quiz.png",
            launch: .notAllowed,
            options: SimulationOptions(
                loadDelay: .milliseconds(1),
                buffering: .milliseconds(2),
                launchDelay: .milliseconds(3),
                defaultDuration: .seconds(240),
                preloadTime: .seconds(5),
                liveWindow: .seconds(6),
                failures: [
                    SimulatedFailure(
                        match: Glob("*broken*"),
                        reason: "INVALID_REQUEST",
                        detailedErrorCode: 301,
                        stage: .playback,
                        after: .seconds(7)
                    ),
                    SimulatedFailure(match: Glob("https://gone.example/?")),
                ]
            )
        )
        #expect(bench.apps == [VirtualAppConfiguration(id: "CC1AD845", player: .simulated), quiz])
        #expect(devices[2].apps == nil)
        #expect(devices[2].localApps == [VirtualAppConfiguration(id: "CC1AD845", player: .simulated)])
    }

    @Test func routing() throws {
        let full = try self.full()
        #expect(
            full.routing
                == RoutingConfiguration(
                    fallback: .reject,
                    rules: [
                        RoutingRule(
                            name: "no-unknown-apps",
                            condition: RoutingCondition(
                                namespace: .exact("urn:x-cast:com.google.cast.receiver"),
                                type: "LAUNCH",
                                appNotIn: ["CC1AD845"]
                            ),
                            action: .reject,
                            reason: "app not allowed here"
                        ),
                        RoutingRule(
                            name: "guests",
                            condition: RoutingCondition(
                                namespace: .prefix("urn:x-cast:com.example."),
                                app: "0F5096E8",
                                sender: AddressRange("10.20.0.0/24"),
                                device: "bench"
                            ),
                            action: .drop
                        ),
                    ],
                    filterDeadline: .milliseconds(100),
                    handleDeadline: .seconds(2),
                    onFailure: .closed
                )
        )
    }

    @Test func everythingHasTheDefaultOfItsInitialiser() {
        let files = ["gateway.yaml": "version: 1\n"]
        let result = GatewayConfiguration.load(path: "gateway.yaml", fileSystem: .memory(files), environment: [:])
        #expect(result.report.isEmpty)
        #expect(result.configuration == GatewayConfiguration())
    }

    @Test func defaultsOfListElements() throws {
        let text = """
            version: 1
            virtual_devices:
              - {name: a, listen: "127.0.0.1:0", target: local, apps: [CC1AD845, ABCD1234]}
              - {name: b, listen: "127.0.0.1:0", target: local, apps: {ABCD1234: {options: {failures: [{match: x}]}}}}
            """
        let result = GatewayConfiguration.load(path: "g", fileSystem: .memory(["g": text]), environment: [:])
        let listen = ListenAddress(host: "127.0.0.1", port: 0)
        let simulated = VirtualAppConfiguration(id: "CC1AD845", player: .simulated)
        let plain = VirtualAppConfiguration(id: "ABCD1234", player: .none)
        var failing = plain
        failing.options.failures = [SimulatedFailure(match: Glob("x"))]
        #expect(
            result.configuration?.virtualDevices == [
                VirtualDeviceConfiguration(name: "a", listen: listen, target: .local, apps: [simulated, plain]),
                VirtualDeviceConfiguration(name: "b", listen: listen, target: .local, apps: [failing]),
            ]
        )
    }

    @Test func missingFileIsOneProblem() {
        let result = GatewayConfiguration.load(path: "gateway.yaml", fileSystem: .memory([:]), environment: [:])
        #expect(result.report.text() == "gateway.yaml: error[CW1002]: cannot read 'gateway.yaml': no such file\n")
    }
}
