import CastWire
import CastwayTestSupport
import DeviceSessions
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewayJournal
import GatewayOperations
import Testing

@testable import GatewayApp
@testable import GatewaySettings

/// The journal in a gateway with a session on a device.
@Suite(.timeLimit(.minutes(1))) struct JournalFeatureTests {
    /// Reads frames as they come.
    private final class Reader: Sendable {
        private let wakes = Inbox<Void>()
        private let feed: any EventFeed

        init(_ running: RunningGateway, from position: JournalPosition? = nil) throws {
            let wakes = self.wakes
            self.feed = try running.gateway.journal.subscribe(to: .all, from: position, for: .admin) { wakes.put(()) }
        }

        /// Frames up to and with the first that fits.
        func frames(until isLast: (JSONObject) -> Bool) async throws -> [JSONObject] {
            var all: [JSONObject] = []
            while true {
                let frames = self.feed.take(upTo: 1)
                if frames.isEmpty, await self.wakes.next() == nil { return all }
                for frame in frames {
                    let json = try #require(try JSONReader.read(frame.bytes).objectValue)
                    all.append(json)
                    if isLast(json) { return all }
                }
            }
        }
    }

    /// A gateway that knows the hall of another one.
    private static func gateway(for hall: RunningGateway) -> GatewayConfiguration {
        var configuration = GatewayConfiguration()
        configuration.discovery.staticDevices = [
            StaticDevice(name: "wall", address: DialAddress(host: "127.0.0.1", port: hall.port("hall")))
        ]
        configuration.shutdown.drain = .zero
        return configuration
    }

    private static func type(_ json: JSONObject) -> String { json.string("type") ?? json.string("frame") ?? "" }

    @Test func aSessionIsToldAndARestartIsSaid() async throws {
        try await RunningGateway.with(.hallAndOffice) { hall in
            let position = try await RunningGateway.with(Self.gateway(for: hall)) { near in
                let reader = try Reader(near)
                let first = try await reader.frames { Self.type($0) == "synced" }
                #expect(Self.type(first[0]) == "hello")
                // The device may come online before the snapshot, or behind it.
                if !first.contains(where: { Self.type($0) == "device.online" }) {
                    let later = try await reader.frames { Self.type($0) == "device.online" }
                    #expect(later.last?.string("device") == "wall")
                }
                let session = try await near.gateway.startSession(device: "wall", app: "CC1AD845")
                let started = try await reader.frames { Self.type($0) == "session.did_start" }
                #expect(started.contains { Self.type($0) == "session.will_start" })
                let data = try #require(started.last?.object("data"))
                #expect(data.string("state") == "connected")
                #expect(data.int("session") == session.number)
                let state = await near.gateway.journal.state(for: .admin)
                #expect(state.object("resources")?.array("session")?.count == 1)
                try await session.end(.stop)
                let ended = try await reader.frames { Self.type($0) == "session.did_end" }
                for json in first + started + ended {
                    guard let declaration = EventCatalogue.named[Self.type(json)], let data = json.object("data") else {
                        continue
                    }
                    #expect(declaration.faults(of: data).isEmpty, "\(JSONValue.object(json).text)")
                }
                let last = try #require(ended.last)
                return JournalPosition(boot: last.string("boot") ?? "", seq: UInt64(last.int("seq") ?? 0))
            }
            // A session of the device's own side is told there too.
            try await RunningGateway.with(Self.gateway(for: hall)) { near in
                let frames = try await Reader(near, from: position).frames { Self.type($0) == "synced" }
                #expect(frames[0].string("boot") != position.boot)
                #expect(frames[1].string("reason") == "other_boot")
            }
            let state = await hall.gateway.journal.state(for: .admin)
            #expect(state.object("resources")?.array("virtual_device")?.count == 2)
        }
    }
}
