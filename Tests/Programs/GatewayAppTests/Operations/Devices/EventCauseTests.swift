import CastClient
import CastWire
import CastwayTestSupport
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewayJournal
import GatewayOperations
import Testing

@testable import GatewayApp

/// Which request an event comes of.
@Suite(.timeLimit(.minutes(2))) struct EventCauseTests {
    /// A gateway's operations, and what its journal tells.
    private final class Bench: Sendable {
        private let operations: OperationCatalogue
        private let wakes = Inbox<Void>()
        private let feed: any EventFeed

        init(_ gateway: Gateway) throws {
            self.operations = gateway.operations
            let wakes = self.wakes
            self.feed = try gateway.journal.subscribe(to: .all, from: nil, for: .admin) { wakes.put(()) }
        }

        /// Events up to and with the first that fits.
        func events(until isLast: (JSONObject) -> Bool) async throws -> [JSONObject] {
            var all: [JSONObject] = []
            while true {
                let frames = self.feed.take(upTo: 1)
                if frames.isEmpty, await self.wakes.next() == nil { return all }
                for frame in frames where frame.kind == .event {
                    let json = try #require(try JSONReader.read(frame.bytes).objectValue)
                    all.append(json)
                    if isLast(json) { return all }
                }
            }
        }

        /// Has a command done, and gives the types of the events that name it, once each.
        /// - Parameter type: what is told of it later than its end, perhaps.
        func caused(
            by operation: OperationName, _ input: JSONObject, upTo type: String? = nil
        ) async throws -> Set<String> {
            var options = CallOptions()
            options.wait = .zero
            let answer = try await self.operations.call(operation, input, for: .admin, options: options).get()
            let id = try #require(answer.body.string("request"))
            var missing: Set<String> = Set([type, "request.changed"].compactMap(\.self))
            let events = try await self.events { json in
                guard json.object("cause")?.string("request") == id, let type = json.string("type") else {
                    return false
                }
                let state = json.object("data")?.object("request")?.string("state")
                if state == nil || state == "confirmed" { missing.remove(type) }
                return missing.isEmpty
            }
            let caused = events.filter { $0.object("cause")?.string("request") == id }
            for json in caused {
                #expect(EventCatalogue.named[json.string("type") ?? ""]?.mayHaveCause == true)
            }
            return Set(caused.compactMap { $0.string("type") })
        }
    }

    private static let film: JSONObject = ["url": "http://192.0.2.1/film.mp4", "content_type": "video/mp4"]

    private static func load(on device: String) -> JSONObject {
        var input = Self.film
        input["device"] = .string(device)
        return input
    }

    @Test func eventsOfARealDeviceNameTheRequestThatTheyComeOf() async throws {
        try await DeviceOperationsBench.with { devices in
            let bench = try Bench(devices.running.gateway)
            let wall: JSONObject = ["device": "wall", "app": "CC1AD845"]
            let start = try await bench.caused(by: "session.start", wall)
            #expect(start.isSuperset(of: ["request.changed", "session.will_start", "session.did_start"]), "\(start)")
            let load = try await bench.caused(by: "media.load", Self.load(on: "wall"))
            #expect(load.contains("session.already_connected"), "\(load)")
            // That it plays may have been told before the load was confirmed.
            while try await devices.call("media.status", ["device": "wall"]).string("player_state") != "playing" {
                try Task.checkCancellation()
                await Task.yield()
            }
            let volume = try await bench.caused(by: "volume.set", ["device": "wall", "level": 0.3])
            #expect(volume.contains("session.volume"), "\(volume)")
            // Nothing changes, so nothing is told.
            let same = try await bench.caused(by: "volume.set", ["device": "wall", "level": 0.3])
            #expect(same == ["request.changed"], "\(same)")
            let pause = try await bench.caused(
                by: "media.pause", ["device": "wall"], upTo: "media.session_status")
            #expect(pause.contains("media.session_status"), "\(pause)")
            let end = try await bench.caused(by: "session.end", ["session": 1, "stop": true])
            #expect(end.isSuperset(of: ["session.will_end", "session.did_end"]), "\(end)")
        }
    }

    @Test func eventsOfAVirtualDeviceNameTheRequestThatTheyComeOf() async throws {
        try await DeviceOperationsBench.with { devices in
            let bench = try Bench(devices.running.gateway)
            for device in ["hall", "foyer"] {
                let name = JSONValue.string(device)
                _ = try await bench.caused(by: "session.start", ["device": name, "app": "CC1AD845"])
                let load = try await bench.caused(by: "media.load", Self.load(on: device))
                #expect(load.contains("media.status"), "\(device) \(load)")
                let pause = try await bench.caused(by: "media.pause", ["device": name])
                #expect(pause.contains("media.status"), "\(device) \(pause)")
            }
            let volume = try await bench.caused(by: "volume.set", ["device": "hall", "level": 0.3])
            #expect(volume.contains("receiver.status"), "\(volume)")
            let stop = try await bench.caused(by: "virtual_device.stop", ["device": "hall"])
            #expect(stop.isSuperset(of: ["session.ended", "receiver.status"]), "\(stop)")
        }
    }

    /// What a sender or a user at the device does names no request, also while one waits.
    @Test func whatNoRequestDidNamesNone() async throws {
        try await DeviceOperationsBench.with { devices in
            let bench = try Bench(devices.running.gateway)
            let start = try await bench.caused(by: "session.start", ["device": "wall", "app": "CC1AD845"])
            #expect(!start.isEmpty)
            let sender = try await RemoteDevice.connect(host: "127.0.0.1", port: devices.running.port("hall"))
            _ = try await sender.setVolume(ReceiverVolume(level: 0.7))
            let here = try await bench.events {
                $0.string("type") == "receiver.status" && $0.string("device") == "hall"
            }
            #expect(here.last.map { $0["cause"] == nil } == true)
            let user = try await RemoteDevice.connect(host: "127.0.0.1", port: devices.far.port("hall"))
            _ = try await user.setVolume(ReceiverVolume(level: 0.6))
            let there = try await bench.events { $0.string("type") == "session.volume" }
            #expect(there.last?.string("device") == "wall")
            #expect(there.last.map { $0["cause"] == nil } == true)
            await sender.close()
            await user.close()
        }
    }
}
