import CastDiscovery
import CastWire
import DeviceSessions
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewayOperations
import Testing
import VirtualDevices

@testable import GatewayApp
@testable import GatewaySettings

/// Callers name devices that are in no configuration: by their ids, and by their friendly names.
@Suite(.timeLimit(.minutes(2))) struct FoundDeviceOperationsTests {
    private static let second = "fedcba9876543210fedcba9876543210"

    private static func call(
        _ near: RunningGateway, _ name: OperationName, _ input: JSONObject, devices: String? = nil
    ) async -> OperationCatalogue.Outcome {
        let caller = Caller(
            name: "test", scopes: Set(OperationScope.allCases), devices: devices.map { [DevicePattern($0)] })
        return await near.gateway.operations.call(name, input, for: caller)
    }

    /// The problem of asking how loud a device is; nil when it says so.
    private static func problem(
        _ near: RunningGateway, _ device: String, devices: String? = nil
    ) async -> String? {
        guard
            case .failure(let problem) = await Self.call(
                near, "volume.get", ["device": .string(device)], devices: devices)
        else { return nil }
        return problem.code
    }

    @Test func aFoundDeviceIsReached() async throws {
        let network = ScriptedNetwork()
        try await RunningGateway.with(.hall) { far in
            // The device says its id when the gateway asks it.
            let first = try #require(far.gateway.deviceIDs.first)
            var bare = GatewayConfiguration { $0.virtualDevices = [] }
            bare.shutdown.drain = .zero
            try await RunningGateway.with(bare, network: network) { near in
                let lists = near.gateway.events.subscribe { event in
                    if case .deviceListDidUpdate = event { true } else { false }
                }
                network.say(.browsing)
                network.announce(id: first, name: "Great hall", port: far.port("hall"))
                for await _ in lists.events where !near.gateway.deviceDiscovery.devices.isEmpty { break }
                // Without a session its channel lasts as long as the request.
                let louder = try await Self.call(near, "volume.set", ["device": "Great hall", "level": 0.25]).get().body
                #expect(louder.string("device") == first)
                #expect(louder.double("level") == 0.25)
                let id = JSONValue.string(first.uppercased())
                let session = try await Self.call(near, "session.start", ["device": id, "app": "CC1AD845"]).get().body
                #expect(session.string("device") == first)
                let media = try await Self.call(
                    near, "media.load", ["device": "real:Great hall", "url": "http://192.0.2.1/film.mp4"]
                ).get().body
                #expect(media.string("content_url") == "http://192.0.2.1/film.mp4")
                // What a device calls itself gives no caller a right to it.
                #expect(await Self.problem(near, "Great hall", devices: "Great*") == "unknown_device")
                #expect(await Self.problem(near, "Great hall", devices: "hall") == "device_not_allowed")
                #expect(await Self.problem(near, "Great hall", devices: first) == nil)
                network.announce(id: Self.second, name: "Great hall", port: 1)
                for await _ in lists.events where near.gateway.deviceDiscovery.devices.count == 2 { break }
                #expect(await Self.problem(near, "Great hall") == "ambiguous_device")
                #expect(await Self.problem(near, first) == nil)
            }
        }
    }
}
