import BuiltInReceiver
import CastTransport
import CastWire
import DeviceSessions
import GatewayApp
import GatewayConfig
import GatewayCore
import GatewayLogging
import GatewaySettings
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
        #expect(
            full.gateway
                == GeneralConfiguration {
                    $0.id = "hotel-1"
                    $0.name = "Hotel # 1"
                    $0.stateDirectory = "./state"
                })
        #expect(
            full.log
                == LogConfiguration {
                    $0.level = .debug
                    $0.format = .json
                    $0.levels = [
                        LogLevelRule(components: Glob("DeviceSession*"), level: .trace),
                        LogLevelRule(components: Glob("plugin.loyalty"), level: .warning),
                    ]
                    $0.payloads = true
                    $0.redact = ["credentials", "token"]
                }
        )
        #expect(
            full.identity
                == IdentityConfiguration {
                    $0.rootCertificateFile = "identity/root.crt"
                    $0.rootPrivateKeyFile = "identity/root.key"
                }
        )
        #expect(
            full.shutdown
                == ShutdownConfiguration {
                    $0.drain = .seconds(2)
                    $0.total = .seconds(10)
                    $0.stopReceivers = true
                })
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
                == MulticastConfiguration {
                    $0.isEnabled = true
                    $0.isPassive = false
                    $0.interfaces = ["eth0", "wlan0.1"]
                })
        #expect(full.discovery.receiverApp == "CC1AD845")
        #expect(full.discovery.allow == [Glob("Meeting *"), Glob("9d2b*")])
        #expect(full.discovery.deny == [Glob("Guest *")])
    }

    @Test func connections() throws {
        let full = try self.full()
        #expect(
            full.connections
                == ConnectionsConfiguration {
                    $0.heartbeat.interval = .seconds(4)
                    $0.heartbeat.timeout = .seconds(9)
                    $0.reconnectInitial = .milliseconds(500)
                    $0.reconnectMaximum = .seconds(60)
                    $0.reconnectJitter = 0.5
                    $0.dialTimeout = .seconds(3)
                    $0.certificateVerification = .require
                    $0.acceptsMissingNonce = true
                    $0.trustAnchors = ["anchors/devices.pem", "/etc/castway/more.pem"]
                    $0.revocationAnchors = ["anchors/revocation.pem"]
                }
        )
        #expect(
            full.senders
                == SenderLimits {
                    $0.heartbeat.interval = .seconds(3)
                    $0.heartbeat.timeout = .seconds(15)
                    $0.handshakeTimeout = .seconds(4)
                    $0.frameTimeout = .seconds(6)
                    $0.connections.total = 2048
                    $0.connections.perAddress = 32
                    $0.connections.newPerSecond = 20
                    $0.messagesPerSecond = nil
                }
        )
    }

    @Test func sessions() throws {
        #expect(
            try self.full().sessions
                == SessionsConfiguration {
                    $0.restoresOnStart = false
                    $0.isPolite = false
                    $0.stopsAppOnEnd = true
                    $0.suspendAfter = .seconds(10)
                    $0.waitForDevice = .seconds(2)
                    $0.timeouts.answer = .seconds(20)
                    $0.timeouts.launch = .seconds(60)
                    $0.timeouts.consent = .seconds(300)
                    $0.timeouts.load = .seconds(120)
                })
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
                == LaunchCredentials(credentials: Secret("me")) {
                    $0.type = "linux"
                    $0.appliesToLoad = true
                    $0.androidTVCredentials = Secret("tv")
                    $0.androidTVType = "android"
                })
        #expect(full.launch.language == "de-CH")
        #expect(full.launch.relaunchesIfRunning)
        #expect(full.launch.senderName == "Front desk")
        #expect(
            full.channels == [
                ChannelConfiguration(namespace: "urn:x-cast:com.example.echo", handler: .echo),
                ChannelConfiguration(namespace: "urn:x-cast:com.example.chat", handler: .broadcast),
                ChannelConfiguration(
                    namespace: "urn:x-cast:org.example.*", devices: ["lobby", "ben*"], handler: .echo),
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
                    name: "lobby", listen: ListenAddress(host: "0.0.0.0", port: 8009), target: .device("meeting-room")
                ) {
                    $0.friendlyName = "Lobby — screen"
                    $0.model = "Chromecast Ultra"
                    $0.publish = false
                    $0.allowedSenders = ranges
                    $0.mirroring = MirroringConfiguration()
                    $0.mirroring?.udp = .off
                    $0.mirroring?.ports = "40000-40100"
                    $0.apps = [VirtualAppConfiguration(id: "CC1AD845"), VirtualAppConfiguration(id: "YouTube")]
                    $0.idleTimeout = .zero
                    $0.backdrop = true
                    $0.volume = VolumeConfiguration {
                        $0.control = .fixed
                        $0.level = 1
                        $0.step = 0.1
                    }
                    $0.setup = SetupConfiguration {
                        $0.http = ListenAddress(host: "0.0.0.0", port: 8008)
                        $0.https = ListenAddress(host: "::1", port: 8443)
                    }
                    $0.capabilities = 4100
                }
        )
    }

    @Test func localDevices() throws {
        let devices = try self.full().virtualDevices
        #expect(devices.map(\.name) == ["lobby", "bench", "plain"])
        let bench = devices[1]
        #expect(bench.target == .local)
        #expect(bench.friendlyName == "bench")
        let quiz = VirtualAppConfiguration(id: "ABCD1234") {
            $0.name = "Quiz"
            $0.namespaces = ["urn:x-cast:com.example.quiz"]
            $0.player = .simulated
            $0.statusText = "Waiting for players"
            $0.kind = .androidTV
            $0.iconURL = "https://cdn.example.com/quiz.png"
            $0.launch = .notAllowed
            $0.options = SimulationOptions {
                $0.loadDelay = .milliseconds(1)
                $0.buffering = .milliseconds(2)
                $0.launchDelay = .milliseconds(3)
                $0.defaultDuration = .seconds(240)
                $0.preloadTime = .seconds(5)
                $0.liveWindow = .seconds(6)
                $0.failures = [
                    SimulatedFailure(match: Glob("*broken*")) {
                        $0.reason = "INVALID_REQUEST"
                        $0.detailedErrorCode = 301
                        $0.stage = .playback
                        $0.after = .seconds(7)
                    },
                    SimulatedFailure(match: Glob("https://gone.example/?")),
                ]
            }
        }
        #expect(bench.apps == [VirtualAppConfiguration(id: "CC1AD845") { $0.player = .simulated }, quiz])
        #expect(devices[2].apps == nil)
        #expect(devices[2].localApps == [VirtualAppConfiguration(id: "CC1AD845") { $0.player = .simulated }])
    }

    @Test func routing() throws {
        let full = try self.full()
        #expect(
            full.routing
                == RoutingConfiguration {
                    $0.router.defaultAction = .reject
                    $0.rules = [
                        RoutingRule(
                            name: "no-unknown-apps",
                            condition: RoutingCondition(
                                namespace: [.exact("urn:x-cast:com.google.cast.receiver")],
                                type: ["LAUNCH"],
                                notApp: ["CC1AD845"]
                            ),
                            action: .reject,
                            reason: "app not allowed here"
                        ),
                        RoutingRule(
                            name: "guests",
                            condition: RoutingCondition(
                                namespace: [.prefix("urn:x-cast:com.example.")],
                                app: ["0F5096E8"],
                                sender: [AddressRange("10.20.0.0/24")].compactMap(\.self),
                                device: ["bench"]
                            ),
                            action: .drop
                        ),
                        RoutingRule(
                            name: "teaching",
                            condition: RoutingCondition(
                                notNamespace: [.prefix("urn:x-cast:com.example.")], type: ["LOAD", "QUEUE_*"],
                                notType: ["QUEUE_GET_*"], notApp: ["CC1AD845", "AAAA*"],
                                sender: ["10.20.0.0/16", "fd00::/8"].compactMap { AddressRange($0) },
                                notSender: ["10.20.1.0/24"].compactMap { AddressRange($0) },
                                senderName: ["PyChromecast", "Pixel *"], notSenderName: ["VLC*"], from: [.sender],
                                notFrom: [.plugin("*")], device: ["lobby", "ben*"], notDevice: ["lobb?"],
                                during: ["Mon-Fri 08:00-16:00", "Sat 22:00-02:00"].compactMap { WeekTimes($0) },
                                notDuring: ["Wed"].compactMap { WeekTimes($0) }, timeZone: "Europe/Berlin"),
                            action: .allow),
                        RoutingRule(
                            name: "guest-room", condition: RoutingCondition(type: ["LOAD"]), action: .rewrite,
                            set: [
                                ConfigMapEntry(key: "/media/customData/room", value: "12"),
                                ConfigMapEntry(key: "/autoplay", value: true),
                            ], remove: ["/credentials", "/customData/secret"]),
                        RoutingRule(
                            name: "calm", condition: RoutingCondition(from: [.plugin("quiz"), .sender]),
                            action: .limit,
                            limit: RoutingLimit {
                                $0.rate = MessageRate("10/1m")
                                $0.volume = 0.6
                                $0.play = .seconds(1_800)
                            }),
                        RoutingRule(
                            name: "alone", condition: RoutingCondition(type: ["STOP"]), action: .forwardTo,
                            handler: "media"),
                    ]
                    $0.timeZone = "Europe/Vienna"
                    $0.router.filterDeadline = .milliseconds(100)
                    $0.router.handleDeadline = .seconds(2)
                    $0.router.onFailure = .closed
                }
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
        let simulated = VirtualAppConfiguration(id: "CC1AD845") { $0.player = .simulated }
        let plain = VirtualAppConfiguration(id: "ABCD1234") { $0.player = .none }
        var failing = plain
        failing.options.failures = [SimulatedFailure(match: Glob("x"))]
        #expect(
            result.configuration?.virtualDevices == [
                VirtualDeviceConfiguration(name: "a", listen: listen, target: .local) { $0.apps = [simulated, plain] },
                VirtualDeviceConfiguration(name: "b", listen: listen, target: .local) { $0.apps = [failing] },
            ]
        )
    }

    @Test func missingFileIsOneProblem() {
        let result = GatewayConfiguration.load(path: "gateway.yaml", fileSystem: .memory([:]), environment: [:])
        #expect(result.report.text() == "gateway.yaml: error[CW1002]: cannot read 'gateway.yaml': no such file\n")
    }
}
