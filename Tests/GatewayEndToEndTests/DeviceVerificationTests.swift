import CastIdentity
import CastwayTestSupport
import DeviceSessions
import FeatureContract
import Foundation
import GatewayApp
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewaySettings
import Testing
import VirtualDevices

/// Castway asks Castway: a gateway that relays to another one's virtual device has it prove itself.
@Suite(.timeLimit(.minutes(2))) struct DeviceVerificationTests {
    @Test func aVirtualDeviceProvesItself() async throws {
        try await RunningGateway.with(.hallAndOffice) { hall in
            let root = try hall.gateway.rootCertificate()
            try await Self.withFront(of: hall, .require, root: root.pem) { front in
                #expect(front.gateway.isOnline("wall"))
                let record = try #require(front.gateway.authentication(of: "wall"))
                guard case .verified(let device) = record.outcome else {
                    Issue.record("\(record)")
                    return
                }
                #expect(device.isFresh && !device.isAudioOnly && device.rootFingerprint == root.fingerprint)
                try await TestSender.connect(to: front.port("foyer")) { sender in
                    _ = try await sender.launchAndLoad()
                }
            }
        }
    }

    @Test func anUnknownRootIsNoObstacleUnlessProofIsRequired() async throws {
        try await RunningGateway.with(.hallAndOffice) { hall in
            try await RunningGateway.with(.hallAndOffice) { other in
                let root = try other.gateway.rootCertificate().pem
                try await Self.withFront(of: hall, .warn, root: root) { front in
                    #expect(front.gateway.isOnline("wall"))
                    #expect(
                        front.gateway.authentication(of: "wall")?.outcome == .failed(.proof(.untrustedRoot)))
                }
                let gone = hall.gateway.events.subscribe { $0.name == "sender.disconnected" }
                try await Self.withFront(of: hall, .require, root: root, awaitsDevices: false) { front in
                    // Twice: it is hung up on, and tried again.
                    var count = 0
                    for await _ in gone.events {
                        count += 1
                        if count == 2 { break }
                    }
                    #expect(!front.gateway.isOnline("wall"))
                    #expect(
                        front.gateway.authentication(of: "wall")?.outcome == .failed(.proof(.untrustedRoot)))
                }
            }
        }
    }

    /// What is reloaded holds for the next connection.
    @Test func anchorsAreReloaded() async throws {
        try await RunningGateway.with(.hallAndOffice) { hall in
            let root = try hall.gateway.rootCertificate().pem
            try await Self.withFront(of: hall, .warn, root: root) { front in
                var configuration = front.gateway.configuration
                configuration.connections.trustAnchors = ["/nonexistent/anchor.pem"]
                let failed = await front.gateway.reload(to: configuration)
                guard case .failure(let failure) = failed else {
                    Issue.record("reloaded")
                    return
                }
                #expect(failure.description.contains("/nonexistent/anchor.pem: there is no such file"))
                configuration = front.gateway.configuration
                configuration.connections.certificateVerification = .off
                let plan = try await front.gateway.reload(to: configuration).get()
                #expect(
                    plan.changes.map(\.description)
                        == ["connections.verify_device_certificate (new-connections)"])
                #expect(front.gateway.isOnline("wall"))
            }
        }
    }

    /// The path stays, what is in the file does not.
    @Test func anAnchorFileThatChangedIsReadAnew() async throws {
        try await RunningGateway.with(.hallAndOffice) { hall in
            let root = try hall.gateway.rootCertificate().pem
            try await RunningGateway.with(.hallAndOffice) { stranger in
                let other = try stranger.gateway.rootCertificate().pem
                try await Self.withFront(of: hall, .warn, root: other) { front in
                    let configuration = front.gateway.configuration
                    #expect(try await front.gateway.reload(to: configuration).get().changes.isEmpty)
                    let path = try #require(configuration.connections.trustAnchors.first)
                    try Data(root.utf8).write(to: URL(filePath: path))
                    let expected = ["connections.trust_anchors (new-connections, a file has changed)"]
                    let planned = try await front.gateway.reload(to: configuration, isDryRun: true).get()
                    #expect(planned.changes.map(\.description) == expected)
                    let done = try await front.gateway.reload(to: configuration).get()
                    #expect(done.changes.map(\.description) == expected)
                    #expect(try await front.gateway.reload(to: configuration).get().changes.isEmpty)
                    // One that cannot be used any more changes nothing.
                    try Data("nothing".utf8).write(to: URL(filePath: path))
                    guard case .failure = await front.gateway.reload(to: configuration) else {
                        Issue.record("it was put in force")
                        return
                    }
                    #expect(front.gateway.isOnline("wall"))
                }
            }
        }
    }

    private static func withFront(
        of hall: RunningGateway, _ verification: CertificateVerification, root: String, awaitsDevices: Bool = true,
        body: (RunningGateway) async throws -> Void
    ) async throws {
        try await TemporaryFolder.with { folder in
            let path = try folder.write(root, to: "root.pem")
            var configuration = GatewayConfiguration.hallAndOffice
            configuration.discovery.staticDevices = [
                StaticDevice(name: "wall", address: DialAddress(host: "127.0.0.1", port: hall.port("hall")))
            ]
            configuration.virtualDevices = [
                VirtualDeviceConfiguration(name: "foyer", listen: ReloadBench.anywhere, target: .device("wall"))
            ]
            configuration.connections.reconnectInitial = .milliseconds(1)
            configuration.connections.reconnectMaximum = .milliseconds(2)
            configuration.connections.certificateVerification = verification
            configuration.connections.trustAnchors = [path]
            try await RunningGateway.with(configuration, awaitsDevices: awaitsDevices, body: body)
        }
    }
}
