import CastWire
import CastwayTestSupport
import DeviceSessions
import Foundation
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewayOperations
import Testing
import VirtualDevices

@testable import GatewayApp

/// Cast devices that a plugin that ships names: they are listed, and used by these names.
@Suite(.serialized, .timeLimit(.minutes(3))) struct DeviceProviderTests {
    private static let file = """
        virtual_devices:
          - {name: lobby, listen: "127.0.0.1:0", publish: false, target: {device: annex-hall}}
        plugins:
          directory: PLUGINS
          instances:
            - name: annex
              plugin: device-file
              start_timeout: 60s
              grant: {provides: [devices]}
              config: {interval: 0.1}
        """

    private static func devices(_ names: [(String, Int)]) -> String {
        let list = names.map {
            JSONValue.object(["name": .string($0.0), "address": "127.0.0.1", "port": .number($0.1)])
        }
        return JSONValue.array(list).text
    }

    private static func write(_ names: [(String, Int)], in folder: TemporaryFolder) throws {
        try FileManager.default.createDirectory(
            atPath: folder.file("state/plugins/annex"), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try Self.devices(names).write(
            toFile: folder.file("state/plugins/annex/devices.json"), atomically: true, encoding: .utf8)
    }

    /// Runs a gateway that learns of the devices of another one, until it has listed them.
    private static func run(
        _ body: (ProviderStage, RunningGateway) async throws -> Void
    ) async throws {
        try await RunningGateway.with(.hallAndOffice) { far in
            try await ProviderStage.run("device-file", file: Self.file) { folder in
                try Self.write([("annex-hall", far.port("hall")), ("annex-office", far.port("office"))], in: folder)
            } _: { stage in
                try await Self.untilListed(["annex-hall", "annex-office"], stage)
                try await body(stage, far)
            }
        }
    }

    /// Waits until exactly these devices are listed, at one port if that is said.
    private static func untilListed(_ names: [String], at port: Int? = nil, _ stage: ProviderStage) async throws {
        let lists = stage.running.gateway.events.subscribe { event in
            if case .deviceListDidUpdate = event { true } else { false }
        }
        func isListed() -> Bool {
            let devices = stage.running.gateway.deviceDiscovery.devices
            return devices.compactMap(\.staticName).sorted() == names
                && (port == nil || devices.allSatisfy { $0.addresses.map(\.port) == port.map { [$0] } })
        }
        if isListed() { return }
        for await _ in lists.events where isListed() { return }
    }

    private static func call(
        _ stage: ProviderStage, _ name: OperationName, _ input: JSONObject = [:]
    ) async throws -> JSONObject {
        try await stage.running.gateway.operations.call(name, input, for: .admin).get().body
    }

    @Test func theyAreListedWithTheirSource() async throws {
        try await Self.run { stage, _ in
            let devices = try await OperationBench(stage.running).answer("devices.list").elements("devices")
            let office = try #require(devices.first { $0.string("name") == "annex-office" })
            #expect(office.string("source") == "plugin:annex" && office.string("category") == "plugin:annex")
            #expect(office.string("id") == "static:annex-office")
            #expect(devices.contains { $0.string("name") == "annex-hall" && $0.string("source") == "plugin:annex" })
        }
    }

    @Test func operationsAndSessionsUseThem() async throws {
        try await Self.run { stage, _ in
            let louder = try await Self.call(stage, "volume.set", ["device": "annex-office", "level": 0.25])
            #expect(louder.string("device") == "annex-office")
            let session = try await Self.call(stage, "session.start", ["device": "annex-hall", "app": "CC1AD845"])
            #expect(session.string("device") == "annex-hall" && session.string("category") == "plugin:annex")
            let media = try await Self.call(
                stage, "media.load", ["device": "annex-hall", "url": "http://192.0.2.1/film.mp4"])
            #expect(media.string("content_url") == "http://192.0.2.1/film.mp4")
        }
    }

    @Test func sendersAreRelayedToThem() async throws {
        try await Self.run { stage, _ in
            try await TestSender.connect(to: stage.running.port("lobby")) { sender in
                _ = try await sender.launchAndLoad()
            }
        }
    }

    @Test func theyChangeAndGo() async throws {
        try await Self.run { stage, far in
            try Self.write([("annex-office", far.port("hall"))], in: stage.folder)
            try await Self.untilListed(["annex-office"], at: far.port("hall"), stage)
            let device = try #require(
                stage.running.gateway.deviceDiscovery.devices.first { $0.staticName == "annex-office" })
            #expect(device.addresses.map(\.port) == [far.port("hall")])
            _ = try await Self.call(stage, "plugin.disable", ["plugin": "annex"])
            try await Self.untilListed([], stage)
        }
    }

    /// A name that another device has is not given away.
    @Test func namesThatAreTakenAreRefused() async throws {
        try await Self.run { stage, far in
            let changes = stage.running.gateway.events.subscribe { event in
                if case .plugin(_, .degraded(.some)) = event { true } else { false }
            }
            try Self.write([("lobby", far.port("hall"))], in: stage.folder)
            for await case .plugin(_, .degraded(let reason)) in changes.events {
                #expect(reason?.contains("another device is called 'lobby'") == true, "\(reason ?? "")")
                break
            }
        }
    }
}
