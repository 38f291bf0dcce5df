import CastWire
import DeviceListening
import GatewayConfig
import NamespaceHandlers
import Passthrough
import Testing
import VirtualDevices

@testable import GatewaySettings

/// `virtual_devices[].target: {passthrough: …}` as it is read and checked.
@Suite struct PassthroughConfigurationTests {
    private static let good = "publish: {interfaces: [guests0]}"

    private static func load(_ keys: String, listen: String = "10.20.0.12:8009", _ more: String = "")
        -> GatewayConfigurationResult
    {
        let text = """
            version: 1
            discovery: {static: [{name: tv-12, address: 127.0.0.9}]}
            routing: {time_zone: Europe/Berlin\(more.isEmpty ? "" : ", \(more)")}
            virtual_devices:
              - {name: lobby, listen: "127.0.0.1:8011", target: local}
              - {name: room-12, listen: "\(listen)", target: {passthrough: tv-12}, \(keys)}

            """
        return GatewayConfiguration.load(
            path: "gateway.yaml", fileSystem: .memory(["gateway.yaml": text]), environment: [:])
    }

    @Test func itsKeysAreRead() throws {
        let result = Self.load(
            "\(Self.good), senders: {allow: [10.20.0.0/16], join: required, max: 4, during: [\"08:00-23:00\"]}, "
                + "setup: {http: \"10.20.0.12:8008\"}")
        let configuration = try #require(result.configuration, "\(result.report.text())")
        let room = try #require(configuration.virtualDevices.last)
        #expect(room.target == .passthrough("tv-12"))
        #expect(room.targetName == nil && room.passedName == "tv-12" && room.realDevice == "tv-12")
        let settings = try #require(room.passthrough(timeZone: configuration.routing.timeZone))
        #expect(settings.announcing == AnnouncingSettings(interfaces: ["guests0"]))
        #expect(settings.senders.maximumAddresses == 4)
        #expect(settings.senders.join == .required)
        #expect(settings.senders.during.map(\.description) == ["08:00-23:00"])
        #expect(settings.senders.allow.map(\.description) == ["10.20.0.0/16"])
        #expect(settings.setup == ListenAddress(host: "10.20.0.12", port: 8008))
        #expect(settings.timeZone == "Europe/Berlin")
        #expect(configuration.virtualDevices.first?.passthrough(timeZone: nil) == nil)
        #expect(settings.observation == .media && settings.rules == WatchRules())
        #expect(room.channelName == "tv-12")
    }

    /// What has no meaning for such a device is not printed, not even as a default.
    @Test(arguments: [
        "publish: false",
        "publish: {interfaces: [guests0]}, mirroring: {udp: relay}, volume: {max: 0.6}, apps: [CC1AD845]",
        "publish: false, senders: {during: [\"08:00-23:00\"], stop_at_end: true, max: 4}",
    ])
    func whatIsPrintedReadsBack(keys: String) throws {
        let first = Self.load(keys)
        let configuration = try #require(first.configuration, "\(first.report.text())")
        let printed = first.document.effectiveText(origins: false)
        let again = GatewayConfiguration.load(path: "g", fileSystem: .memory(["g": printed]), environment: [:])
        #expect(again.configuration == configuration, "\(printed)")
        #expect(again.document.effectiveText(origins: false) == printed)
    }

    private static func observed(_ observe: String, _ keys: String) -> GatewayConfigurationResult {
        let text = """
            version: 1
            discovery: {static: [{name: tv-12, address: 127.0.0.9}]}
            virtual_devices:
              - {name: room-12, listen: "10.20.0.12:8009", target: {passthrough: tv-12, observe: \(observe)}, publish: false\(keys)}

            """
        return GatewayConfiguration.load(
            path: "gateway.yaml", fileSystem: .memory(["gateway.yaml": text]), environment: [:])
    }

    @Test func itsRulesAreRead() throws {
        let result = Self.observed(
            "receiver",
            ", apps: [CC1AD845, 233637DE], volume: {max: 0.6}, senders: {during: [\"08:00-23:00\"], stop_at_end: true}")
        let room = try #require(result.configuration?.virtualDevices.first, "\(result.report.text())")
        let settings = try #require(room.passthrough(timeZone: nil))
        #expect(settings.observation == .receiver)
        #expect(settings.rules.allowedApps == ["CC1AD845", "233637DE"])
        #expect(settings.rules.maximumVolume == 0.6)
        #expect(settings.rules.stopsAtEnd && !settings.rules.observesMedia)
        #expect(room.channelName == "tv-12")
    }

    @Test func rulesNeedAChannelToTheDevice() {
        let alone = Self.observed("none", "")
        #expect(alone.configuration?.virtualDevices.first?.channelName == nil)
        #expect(alone.configuration != nil, "\(alone.report.text())")
        for keys in [
            ", apps: [CC1AD845]", ", volume: {max: 0.6}",
            ", senders: {during: [\"08:00-23:00\"], stop_at_end: true}",
        ] {
            let result = Self.observed("none", keys)
            #expect(result.configuration == nil, "\(keys)")
            #expect(result.report.text().contains("cannot be seen to with 'observe: none'"), "\(keys)")
        }
        #expect(Self.observed("everything", "").configuration == nil)
    }

    @Test func theLoudestLevelIsForSuchDevicesAlone() {
        let text =
            "version: 1\nvirtual_devices: [{name: a, listen: \"127.0.0.1:0\", target: local, volume: {max: 0.5}}]"
        let result = GatewayConfiguration.load(path: "g", fileSystem: .memory(["g": text]), environment: [:])
        #expect(result.configuration == nil)
    }

    @Test func announcementsOfOtherDevicesMayNameInterfacesToo() throws {
        for (text, expected) in [
            ("true", AnnouncingSettings()),
            ("{interfaces: [guests0, lan0]}", AnnouncingSettings(interfaces: ["guests0", "lan0"])),
        ] {
            let result = GatewayConfiguration.load(
                path: "g",
                fileSystem: .memory([
                    "g":
                        "version: 1\nvirtual_devices: [{name: a, listen: \"0.0.0.0:8009\", target: local, publish: \(text)}]"
                ]), environment: [:])
            #expect(
                result.configuration?.virtualDevices.first?.device.announcing == expected, "\(result.report.text())")
        }
    }

    @Test(
        arguments: [
            "", "publish: true", "publish: {interfaces: []}", "publish: {interfaces: [guests0]}, model: Other",
            "publish: {interfaces: [guests0]}, tls_key: rsa", "publish: {interfaces: [guests0]}, idle_timeout: 1m",
            "publish: {interfaces: [guests0]}, apps: [CC1AD845, CC1AD845]",
            "publish: {interfaces: [guests0]}, volume: {max: 1.5}",
            "publish: {interfaces: [guests0]}, volume: {max: 0.5, step: 0.1}",
            "publish: {interfaces: [guests0]}, senders: {stop_at_end: true}",
            "publish: {interfaces: [guests0]}, capabilities: 5",
            "publish: {interfaces: [guests0]}, friendly_name: Room",
            "publish: {interfaces: [guests0]}, volume: {level: 1}",
            "publish: {interfaces: [guests0]}, setup: {https: \"10.20.0.12:8443\"}",
            "publish: {interfaces: [guests0]}, senders: {during: [\"25:00-26:00\"]}",
            "publish: {interfaces: [guests0]}, senders: {max: 0}",
            "publish: {interfaces: [guests0], more: 1}", "publish: [guests0]",
            // Where the device itself is.
            "publish: {interfaces: [lo]}",
        ])
    func whatItCannotHaveIsRefused(keys: String) {
        let result = Self.load(keys)
        #expect(result.configuration == nil, "\(keys)")
    }

    @Test(arguments: ["0.0.0.0:8010", "[::]:8010", "[2001:db8::1]:8010"])
    func itIsAnnouncedAtOneAddressOfIPv4(listen: String) {
        #expect(Self.load(Self.good, listen: listen).configuration == nil)
        #expect(Self.load("publish: false", listen: listen).configuration != nil)
    }

    @Test func streamsAreCarriedOnlyWhereThatIsWritten() throws {
        for (keys, isCarried) in [
            ("", false), (", mirroring: {udp: off}", false), (", mirroring: {udp: relay}", true),
            (", mirroring: {}", true),
        ] {
            let result = Self.load(Self.good + keys)
            let configuration = try #require(result.configuration, "\(result.report.text())")
            let room = try #require(configuration.virtualDevices.last)
            #expect(room.passthrough(timeZone: nil)?.isMirrored == isCarried, "\(keys)")
            let rules = configuration.mirroringRules
            #expect(rules.isEmpty == !isCarried && rules.text.contains("ip daddr 10.20.0.12 udp") == isCarried)
        }
    }

    @Test(arguments: ["0.0.0.0:8010", "[::]:8010", "[2001:db8::1]:8010"])
    func streamsComeToOneAddressOfIPv4(listen: String) {
        #expect(Self.load("publish: false, mirroring: {udp: relay}", listen: listen).configuration == nil)
        #expect(Self.load("publish: false, mirroring: {udp: off}", listen: listen).configuration != nil)
        #expect(Self.load("publish: false, mirroring: {ports: 40000-40100}").configuration == nil)
    }

    @Test(arguments: [
        ("10.20.0.13:8009", "{passthrough: tv-12}, mirroring: {udp: relay}", true),
        ("10.20.0.12:8010", "{passthrough: tv-12}, mirroring: {udp: off}", true),
        ("10.20.0.12:8010", "{passthrough: tv-12}", true),
        ("10.20.0.12:8010", "{passthrough: tv-12}, mirroring: {udp: relay}", false),
        ("10.20.0.12:8010", "{device: tv-12}", false),
        ("10.20.0.12:8010", "{device: tv-12}, mirroring: {udp: off}", true),
        ("10.20.0.13:8010", "{device: tv-12}", true), ("10.20.0.12:8010", "local", true),
    ])
    func eachScreenHasAnAddressOfItsOwn(listen: String, other: String, isRight: Bool) {
        let text = """
            version: 1
            discovery: {static: [{name: tv-12, address: 127.0.0.9}]}
            virtual_devices:
              - {name: a, listen: "10.20.0.12:8009", target: {passthrough: tv-12}, publish: false, mirroring: {udp: relay}}
              - {name: b, listen: "\(listen)", publish: false, target: \(other)}

            """
        let result = GatewayConfiguration.load(
            path: "gateway.yaml", fileSystem: .memory(["gateway.yaml": text]), environment: [:])
        #expect((result.configuration != nil) == isRight, "\(result.report.text())")
    }

    @Test func limitsOfSuchDevicesAreForThemAlone() {
        for senders in ["max: 4", "during: [\"08:00-23:00\"]", "stop_at_end: true"] {
            let text =
                "version: 1\nvirtual_devices: [{name: a, listen: \"127.0.0.1:0\", target: local, senders: {\(senders)}}]"
            let result = GatewayConfiguration.load(path: "g", fileSystem: .memory(["g": text]), environment: [:])
            #expect(result.configuration == nil, "\(senders)")
        }
    }

    @Test func whatNamesItAndCannotSeeItsMessagesIsWarnedOf() throws {
        let rule = { (device: String) in "rules: [{name: x, when: {device: \(device), type: LAUNCH}, action: reject}]" }
        for device in ["room-12", "room-*"] {
            let result = Self.load(Self.good, rule(device))
            #expect(result.configuration != nil, "\(result.report.text())")
            #expect(result.report.text().contains("its messages are not seen"), "\(device)")
        }
        let both = Self.load(Self.good, rule("\"*\""))
        #expect(!both.report.text().contains("its messages are not seen"))
    }

    @Test(arguments: [("tv-12", "guests0", true), ("tv-12", "guests1", false), ("tv-13", "guests0", false)])
    func aNetworkSeesADeviceOnce(target: String, interface: String, isWarned: Bool) {
        let text = """
            version: 1
            discovery: {static: [{name: tv-12, address: 127.0.0.9}, {name: tv-13, address: 127.0.0.10}]}
            virtual_devices:
              - {name: a, listen: "10.20.0.12:8009", target: {passthrough: tv-12}, publish: {interfaces: [guests0]}}
              - {name: b, listen: "10.20.0.13:8009", target: {passthrough: \(target)}, publish: {interfaces: [\(interface)]}}

            """
        let result = GatewayConfiguration.load(
            path: "gateway.yaml", fileSystem: .memory(["gateway.yaml": text]), environment: [:])
        #expect(result.configuration != nil, "\(result.report.text())")
        #expect(result.report.text().contains("under the one id that it has") == isWarned, "\(result.report.text())")
    }
}
