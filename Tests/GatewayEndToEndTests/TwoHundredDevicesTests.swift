import CastIdentity
import CastWire
import CastwayTestSupport
import GRDB
import GatewayApp
import GatewayConfig
import GatewayFixtures
import GatewaySettings
import SystemPrimitives
import Testing
import VirtualDevices

/// One element of `virtual_devices` with `for_each` is as many devices as it has items.
@Suite(.timeLimit(.minutes(3))) struct TwoHundredDevicesTests {
    private static let file = """
        version: 1
        discovery: {mdns: {enabled: false}}
        virtual_device_defaults: {target: local, publish: false}
        virtual_devices:
          - {for_each: {range: 1-200}, name: "screen-{item}", listen: "127.0.0.1:0"}

        """

    @Test func oneElementListensTwoHundredTimes() async throws {
        try await TemporaryFolder.with { folder in
            let path = try folder.write(Self.file, to: "gateway.yaml")
            let result = GatewayConfiguration.load(path: path, environment: [:])
            #expect(result.report.text() == "")
            var configuration = try #require(result.configuration)
            configuration.gateway.stateDirectory = folder.path
            let names = configuration.virtualDevices.map(\.name)
            #expect(names == (1...200).map { "screen-\($0)" })
            try Self.makeIdentities(names, in: folder)
            try await RunningGateway.with(configuration) { running in
                #expect(running.ports.count == 200 && Set(running.ports.values).count == 200)
                for name in ["screen-1", "screen-100", "screen-200"] {
                    try await TestSender.connect(to: running.port(name)) { sender in
                        _ = try await sender.connectPlatform()
                        #expect(try await sender.status(requestID: 1).applications.isEmpty)
                    }
                }
            }
        }
    }

    /// Gives all devices the keys of one, since making two hundred takes minutes.
    private static func makeIdentities(_ names: [String], in folder: TemporaryFolder) throws {
        let store = try IdentityStore.open(stateDirectory: folder.path)
        let first = try #require(names.first)
        let identity = try store.loadOrCreate(device: first, now: WallClock.secondsSince1970)
        _ = try store.currentLeaf(for: identity, now: WallClock.secondsSince1970)
        let number = try #require(UInt16(identity.uuid.suffix(4), radix: 16))
        try store.database.write { db in
            for (index, name) in names.enumerated().dropFirst() {
                // Another one for each index, and none of them the first device's.
                let digits = String(number ^ UInt16(index), radix: 16)
                let uuid = identity.uuid.dropLast(4) + String(repeating: "0", count: 4 - digits.count) + digits
                try db.execute(
                    sql: """
                        INSERT INTO identity_device (name, uuid, private_key, certificate, intermediate, root_fingerprint)
                        SELECT ?, ?, private_key, certificate, intermediate, root_fingerprint FROM identity_device
                        WHERE name = ?
                        """, arguments: [name, String(uuid), first])
            }
        }
        try store.close()
    }
}
