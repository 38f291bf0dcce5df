import CastDiscovery
import CastIdentity
import CastWire
import CastwayTestSupport
import DeviceSessions
import FeatureContract
import Foundation
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewayOperations
import Logging
import NIOCore
import Testing
import VirtualDevices

@testable import DeviceHosting
@testable import GatewayApp
@testable import GatewaySettings

/// A virtual device for each discovered device, from the first sight over absence, restart and reload to its end.
@Suite(.timeLimit(.minutes(3))) struct DiscoveredDevicesTests {
    private static let id = "0123456789abcdef0123456789abcdef"
    private static let name = "auto-01234567"

    /// What a gateway does in half a minute is done at once.
    private static var times: DevicePinStateMachine.Times {
        var times = DevicePinStateMachine.Times()
        times.settling = .zero
        times.renaming = .zero
        times.retry = .milliseconds(50)
        return times
    }

    private static func configuration(
        _ folder: TemporaryFolder, atMost: Int = 4, _ change: (inout DeviceTemplateConfiguration) -> Void = { _ in }
    ) throws -> GatewayConfiguration {
        let port = try FreePort.next(in: 20_000...30_000)
        return GatewayConfiguration { configuration in
            configuration.gateway.stateDirectory = folder.path
            configuration.shutdown.drain = .zero
            configuration.discovery.template = DeviceTemplateConfiguration(atMost: atMost, ports: port...(port + 19)) {
                $0.grace = .zero
                change(&$0)
            }
        }
    }

    private static func with<Result: Sendable>(
        _ configuration: GatewayConfiguration, _ network: StageNetwork, log: LogRecorder = LogRecorder(),
        body: (Gateway) async throws -> Result
    ) async throws -> Result {
        let gateway = try await RunningGateway.sharingKeys {
            try await Gateway(
                configuration: configuration, makeLogger: { log.logger($0) }, network: network, pinTimes: Self.times)
        }
        return try await RunningGateway.with(gateway, awaitsDevices: false) { try await body($0.gateway) }
    }

    @Test func aDeviceKeepsItsVirtualDeviceOverAbsenceAndRestarts() async throws {
        try await TemporaryFolder.with { folder in
            try await RunningGateway.with(.hall) { far in
                // The device says its id when the gateway asks it.
                let id = try #require(far.gateway.deviceIDs.first)
                let name = "auto-\(id.prefix(8))"
                let configuration = try Self.configuration(folder)
                let network = StageNetwork()
                let first = try await Self.with(configuration, network) { gateway in
                    network.announce(
                        id, "Great hall", port: far.port("hall"), capabilities: [.videoOut, .audioOut, .audioIn])
                    let service = try #require(await network.until { $0[name] })
                    #expect(service.record.friendlyName == "Great hall (Castway)")
                    #expect(service.record.model == "Chromecast Ultra")
                    #expect(service.record.capabilities == [.videoOut, .audioOut])
                    #expect(service.record.isVirtualDevice)
                    #expect(gateway.endpoints.map(\.castPort) == [service.port])
                    try await TestSender.connect(to: service.port) { sender in
                        let transport = try await sender.launchAndLoad()
                        network.leave(id)
                        _ = await network.until { $0.isEmpty ? true : nil }
                        // The sender notices nothing.
                        #expect(try await sender.status(requestID: 50).applications.first?.transportID == transport)
                        network.announce(id, "Great hall", port: far.port("hall"))
                        let again = await network.until { $0[name] }
                        #expect(again?.port == service.port && again?.record.id == service.record.id)
                        #expect(try await sender.status(requestID: 51).applications.first?.transportID == transport)
                    }
                    return service
                }
                let later = StageNetwork()
                try await Self.with(configuration, later) { gateway in
                    #expect(gateway.endpoints.map(\.castPort) == [first.port], "it listens from the start")
                    #expect(later.services.isEmpty, "and is announced when the device is there")
                    later.announce(id, "Small hall", port: far.port("hall"))
                    let again = await later.until { services in
                        services[name].flatMap { $0.record.friendlyName == "Small hall (Castway)" ? $0 : nil }
                    }
                    #expect(again?.port == first.port && again?.record.id == first.record.id)
                }
            }
        }
    }

    /// Those that must have none have lower ids than the one that gets one, so they would have come before it.
    @Test func onlyDevicesThatAreNobodysYetGetOne() async throws {
        try await TemporaryFolder.with { folder in
            try await RunningGateway.with(.hallAndOffice) { far in
                var configuration = try Self.configuration(folder) { $0.match.excludedNames = ["Guest *"] }
                let own = try FreePort.next()
                configuration.virtualDevices = [
                    VirtualDeviceConfiguration(
                        name: "lobby", listen: ListenAddress(host: "127.0.0.1", port: 0), target: .device("Lobby TV")),
                    VirtualDeviceConfiguration(
                        name: "own", listen: ListenAddress(host: "127.0.0.1", port: own), target: .local),
                    VirtualDeviceConfiguration(
                        name: "auto-50000000", listen: ListenAddress(host: "127.0.0.1", port: 0), target: .local),
                ]
                let network = StageNetwork()
                let log = LogRecorder()
                try await Self.with(configuration, network, log: log) { gateway in
                    func announce(
                        _ digit: Int, _ name: String, port: Int? = nil, _ capabilities: DeviceCapabilities = [],
                        _ other: [TXTEntry] = []
                    ) {
                        network.announce(
                            "\(digit)" + String(repeating: "0", count: 31), name, port: port ?? far.port("hall"),
                            capabilities: capabilities, other: other)
                    }
                    announce(0, "Other gateway's", [], [DeviceRecord.virtualDeviceMark])
                    announce(1, "Own end point", port: own)
                    announce(2, "Lobby TV")
                    announce(3, "Guest TV")
                    announce(4, "Group", [.multizoneGroup])
                    announce(5, "Of a name that is taken")
                    announce(9, "New")
                    _ = await network.until { $0["auto-90000000"] }
                    #expect(network.services.count == 1)
                    let names = gateway.configuration.virtualDevices.filter(\.isDiscovered).map(\.name)
                    #expect(names == ["auto-90000000"])
                    let told = log.entries(atLeast: .warning).map(\.message)
                    #expect(told.contains { $0.contains("a configured one has the name") })
                    #expect(gateway.configuration.virtualDevices.first { $0.name == "auto-50000000" }?.target == .local)
                }
            }
        }
    }

    /// Forgets a device that is away, as a caller of the admin listener does.
    private static func forget(_ name: String, in gateway: Gateway) async throws {
        let list = try await gateway.operations.call("virtual_devices.list", [:], for: .admin).get().body
        let states = (list.array("virtual_devices") ?? []).map { $0.objectValue?.string("state") }
        #expect(states == ["away"])
        #expect(ListVirtualDevices.result.faults(of: list) == [])
        let unknown = await gateway.operations.call("virtual_device.forget", ["device": "unknown"], for: .admin)
        #expect(throws: OperationProblem.self) { try unknown.get() }
        let gone = try await gateway.operations.call("virtual_device.forget", ["device": .string(name)], for: .admin)
            .get().body
        #expect(gone.string("state") == "forgotten")
    }

    @Test func beyondTheLimitDevicesAreRefusedUntilOneIsForgotten() async throws {
        try await TemporaryFolder.with { folder in
            try await RunningGateway.with(.hallAndOffice) { far in
                let network = StageNetwork()
                let log = LogRecorder()
                let configuration = try Self.configuration(folder, atMost: 1)
                try await Self.with(configuration, network, log: log) { gateway in
                    let updates = gateway.events.subscribe { $0 == .deviceListDidUpdate(count: 2) }
                    network.announce(Self.id, "Great hall", port: far.port("hall"))
                    _ = await network.until { $0[Self.name] }
                    network.announce("ffffffff00", "Second", port: far.port("office"))
                    for await _ in updates.events { break }
                    // Gone, and its place is kept all the same.
                    network.leave(Self.id)
                    _ = await network.until { $0.isEmpty ? true : nil }
                    try await Self.forget(Self.name, in: gateway)
                    _ = await network.until { $0["auto-ffffffff"] }
                    #expect(gateway.endpoints.map(\.name) == ["auto-ffffffff"])
                    let full = log.entries(atLeast: .warning).filter { $0.message.contains("room for no more") }
                    #expect(full.count == 1)
                }
            }
        }
    }

    /// An open port is no device: one with a lower id, which is asked first, says nothing.
    @Test func whatDoesNotAnswerAsADeviceGetsNone() async throws {
        try await TemporaryFolder.with { folder in
            try await RunningGateway.with(.hallAndOffice) { far in
                try await FaultyWire.with(to: far.port("office")) { wire in
                    try await wire.become(.frozen)
                    let network = StageNetwork()
                    let log = LogRecorder()
                    try await Self.with(try Self.configuration(folder), network, log: log) { gateway in
                        network.announce("0000000000", "Invented", port: wire.port)
                        network.announce("ffffffff00", "Real", port: far.port("hall"))
                        _ = await network.until { $0["auto-ffffffff"] }
                        #expect(gateway.endpoints.map(\.name) == ["auto-ffffffff"])
                        #expect(log.entries.contains { $0.message == "A new device does not answer as one" })
                    }
                }
            }
        }
    }

    /// Where devices have to prove themselves, one that does not takes no place either.
    @Test(arguments: [true, false]) func whatDoesNotProveItselfGetsNone(isOfTheRoot: Bool) async throws {
        try await TemporaryFolder.with { folder in
            try await RunningGateway.with(.hallAndOffice) { far in
                try await RunningGateway.with(.hallAndOffice) { other in
                    var configuration = try Self.configuration(folder)
                    let anchor = folder.file("anchor.pem")
                    try (isOfTheRoot ? far : other).gateway.rootCertificate().pem
                        .write(toFile: anchor, atomically: true, encoding: .utf8)
                    configuration.connections.certificateVerification = .require
                    configuration.connections.trustAnchors = [anchor]
                    let network = StageNetwork()
                    let proofs = far.gateway.events.subscribe { $0.name == "sender.disconnected" }
                    try await Self.with(configuration, network) { gateway in
                        network.announce(Self.id, "Great hall", port: far.port("hall"))
                        if isOfTheRoot {
                            _ = await network.until { $0[Self.name] }
                        } else {
                            // Asked twice, so that the first answer has been judged.
                            for await _ in proofs.events.prefix(2) {}
                            #expect(gateway.endpoints.isEmpty)
                        }
                    }
                }
            }
        }
    }

    @Test func aReloadFollowsTheTemplate() async throws {
        try await TemporaryFolder.with { folder in
            try await RunningGateway.with(.hallAndOffice) { far in
                let configuration = try Self.configuration(folder)
                let network = StageNetwork()
                try await Self.with(configuration, network) { gateway in
                    network.announce(Self.id, "Great hall", port: far.port("hall"))
                    let port = await network.until { $0[Self.name]?.port }
                    var other = configuration
                    other.discovery.template?.friendlyName = "{id}"
                    _ = try await gateway.reload(to: other).get()
                    _ = await network.until { $0[Self.name]?.record.friendlyName == Self.id ? true : nil }
                    other.discovery.template = nil
                    let plan = try await gateway.reload(to: other).get()
                    #expect(plan.changes.map(\.path) == ["discovery.virtual_devices", "virtual_devices.\(Self.name)"])
                    _ = await network.until { $0.isEmpty ? true : nil }
                    #expect(gateway.endpoints.isEmpty)
                    _ = try await gateway.reload(to: configuration).get()
                    let again = await network.until { $0[Self.name]?.port }
                    #expect(again == port)
                }
            }
        }
    }

    /// A port that another program has keeps neither the gateway nor its reloads from working.
    @Test func aPortThatIsTakenIsPassedOver() async throws {
        try await TemporaryFolder.with { folder in
            try await RunningGateway.with(.hallAndOffice) { far in
                // The first port of the range is that of the far gateway's other device.
                let taken = far.port("office")
                let configuration = try Self.configuration(folder) { $0.ports = "\(taken)-\(min(taken + 9, 65_535))" }
                let network = StageNetwork()
                let log = LogRecorder()
                try await Self.with(configuration, network, log: log) { gateway in
                    network.announce(Self.id, "Great hall", port: far.port("hall"))
                    let port = await network.until { $0[Self.name]?.port }
                    #expect(port.map { $0 > taken } == true)
                    #expect(log.entries(atLeast: .warning).contains { $0.message.contains("cannot listen") })
                }
            }
        }
    }
}
