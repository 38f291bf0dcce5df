import CastDiscovery
import CastWire
import CastwayTestSupport
import GatewayConfig
import GatewayCore
import Logging
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import DeviceSessions

/// Devices that are found at each other's addresses.
@Suite(.timeLimit(.minutes(2))) struct ExchangedAddressesTests {
    /// A device, and the commands that it has heard.
    private struct Station {
        let name: String
        let id: String
        let device: FakeDevice
        let heard: Commands

        var address: DeviceAddress { DeviceAddress(host: "127.0.0.1", port: self.device.port) }
        var identity: ExpectedDevice? { DeviceID(self.id).map { ExpectedDevice(id: $0, isGroup: false) } }
    }

    private final class Commands: Sendable {
        private let all = Mutex<[JSONObject]>([])

        func put(_ command: JSONObject) { self.all.withLock { $0.append(command) } }
        var levels: Set<Double> {
            Set(self.all.withLock { $0 }.map { $0.object("volume")?.double("level") ?? -1 })
        }
    }

    private static func station(_ name: String, _ digit: Character) async throws -> Station {
        let heard = Commands()
        let id = Sightings.id(digit)
        let device = try await FakeDevice(
            on: MultiThreadedEventLoopGroup.singleton.next(), behaviour: .identified(id, heard: { heard.put($0) }))
        return Station(name: name, id: id, device: device, heard: heard)
    }

    private static func with(
        identities: Bool = true,
        _ body: (DeviceSessionDirectory, Station, Station, EventSubscription) async throws -> Void
    ) async throws {
        let (kitchen, hall) = (try await Self.station("kitchen", "a"), try await Self.station("hall", "b"))
        let bus = EventBus()
        let events = bus.subscribe()
        let directory = try await DeviceSessionDirectory(
            devices: ["kitchen": [], "hall": []],
            configuration: ConnectionsConfiguration {
                $0.reconnectInitial = .milliseconds(1)
                $0.reconnectMaximum = .milliseconds(5)
            },
            events: bus, eventLoops: MultiThreadedEventLoopGroup.singleton, stopsApps: false,
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
        if identities {
            for station in [kitchen, hall] { directory.note(identity: station.identity, of: station.name) }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await directory.run() }
            try await body(directory, kitchen, hall, events)
            group.cancelAll()
            try await group.waitForAll()
        }
        try await kitchen.device.stop()
        try await hall.device.stop()
    }

    /// Sets the volume of a device that comes back just now.
    private static func setVolume(_ level: Double, of device: String, by directory: DeviceSessionDirectory) async throws
    {
        let request: JSONObject = ["type": "SET_VOLUME", "volume": ["level": .number(level)]]
        while true {
            do {
                _ = try await directory.ask(request, in: .receiver, of: device)
                return
            } catch {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
    }

    /// The network says a hundred times that each is where the other one is, and cuts both.
    @Test func noCommandReachesTheOtherDevice() async throws {
        try await Self.with { directory, kitchen, hall, _ in
            for round in 0..<100 {
                let (first, second) = round % 2 == 0 ? (kitchen, hall) : (hall, kitchen)
                directory.update(device: "kitchen", candidates: [first.address, second.address], isAnnounced: true)
                directory.update(device: "hall", candidates: [second.address, first.address], isAnnounced: true)
                async let left: Void = Self.setVolume(0.2, of: "kitchen", by: directory)
                async let right: Void = Self.setVolume(0.8, of: "hall", by: directory)
                _ = try await (left, right)
                try await kitchen.device.hangUpAll()
                try await hall.device.hangUpAll()
            }
            #expect(kitchen.heard.levels == [0.2])
            #expect(hall.heard.levels == [0.8])
        }
    }

    @Test func anotherDeviceAtTheAddressIsAnErrorThatIsTold() async throws {
        try await Self.with { directory, kitchen, hall, events in
            directory.update(device: "kitchen", candidates: [hall.address], isAnnounced: true)
            for await event in events.events {
                guard case .deviceOffline(let target, let reason) = event else { continue }
                #expect(target == "kitchen")
                #expect(reason == "another device answers there: its id is \(hall.id), not \(kitchen.id)")
                break
            }
            let state = try #require(await directory.state(of: "kitchen"))
            #expect(!state.isOnline && state.reason?.contains(hall.id) == true)
            // The right one is used wherever it is.
            directory.update(device: "kitchen", candidates: [hall.address, kitchen.address], isAnnounced: true)
            try await Self.setVolume(0.2, of: "kitchen", by: directory)
            #expect(kitchen.heard.levels == [0.2] && hall.heard.levels == [])
        }
    }

    /// A name for an address means any device that is there.
    @Test func withoutAnIDThereIsNothingToCheck() async throws {
        try await Self.with(identities: false) { directory, _, hall, _ in
            directory.update(device: "kitchen", candidates: [hall.address], isAnnounced: true)
            try await Self.setVolume(0.2, of: "kitchen", by: directory)
            #expect(hall.heard.levels == [0.2])
        }
    }
}
