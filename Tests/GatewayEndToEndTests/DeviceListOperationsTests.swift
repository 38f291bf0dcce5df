import CastDiscovery
import CastWire
import CastwayTestSupport
import DeviceSessions
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewayOperations
import Testing
import VirtualDevices

@testable import GatewayApp
@testable import GatewaySettings

/// What callers learn of the list of devices, wait for in it, and keep with it.
@Suite(.timeLimit(.minutes(2))) struct DeviceListOperationsTests {
    private static let first = "0123456789abcdef0123456789abcdef"
    private static let second = "fedcba9876543210fedcba9876543210"

    private static func call(
        _ near: RunningGateway, _ name: OperationName, _ input: JSONObject = [:], for caller: Caller = .admin
    ) async throws -> JSONObject {
        let answer = try await near.gateway.operations.call(name, input, for: caller).get().body
        let declaration = try #require(BuiltInOperations.all.first { $0.name == name })
        #expect(declaration.result.faults(of: answer) == [], "\(name)")
        return answer
    }

    private static func with(
        _ change: (inout GatewayConfiguration) -> Void = { _ in },
        _ body: (RunningGateway, ScriptedNetwork) async throws -> Void
    ) async throws {
        let network = ScriptedNetwork()
        var bare = GatewayConfiguration { $0.virtualDevices = [] }
        bare.shutdown.drain = .zero
        change(&bare)
        try await RunningGateway.with(bare, awaitsDevices: false, network: network) { try await body($0, network) }
    }

    private static func codes(_ answer: JSONObject) -> Set<String> {
        Set((answer.array("help") ?? []).compactMap { $0.objectValue?.string("code") })
    }

    @Test func aDeviceIsWaitedFor() async throws {
        try await Self.with { near, network in
            network.say(.browsing)
            let gateway = near.gateway
            async let found = Self.call(near, "device.find", ["id": "Great hall", "timeout": 60])
            // It is not there, so that the search goes on until it is announced.
            let late = await gateway.operations.call("device.find", ["id": "Attic", "timeout": 0.05], for: .admin)
            guard case .failure(let problem) = late else {
                Issue.record("\(late)")
                return
            }
            #expect(problem.code == "device_not_found")
            network.announce(id: Self.first, name: "Great hall", port: 9)
            let device = try await found.object("device")
            #expect(device?.string("id") == Self.first && device?.int("index") == 0)
            network.announce(id: Self.second, name: "Attic", port: 9)
            #expect(
                try await Self.call(near, "device.find", ["id": "Attic", "timeout": 60]).object("device")?.int("index")
                    == 0)
            let list = try await Self.call(near, "devices.list", ["sort": "list"])
            let devices = list.array("devices")?.compactMap(\.objectValue) ?? []
            #expect(devices.compactMap { $0.string("friendly_name") } == ["Attic", "Great hall"])
            #expect(devices.compactMap { $0.int("index") } == [0, 1])
            #expect(list["help"] == nil)
            let guest = Caller(name: "guest", scopes: [.control], devices: [DevicePattern("hall")])
            let refused = await gateway.operations.call("device.find", ["id": "Great hall", "timeout": 0], for: guest)
            guard case .failure(let problem) = refused else {
                Issue.record("\(refused)")
                return
            }
            #expect(problem.code == "device_not_allowed")
        }
    }

    @Test func aSearchIsCancelled() async throws {
        try await Self.with { near, network in
            network.say(.browsing)
            var options = CallOptions()
            options.wait = .zero
            let operations = near.gateway.operations
            let begun = try await operations.call(
                "device.find", ["id": "Attic", "timeout": 300], for: .admin, options: options
            ).get()
            let id = try #require(begun.body.string("request"))
            _ = try await operations.call("request.cancel", ["request": .string(id)], for: .admin).get()
            let request = try await operations.call("request.get", ["request": .string(id)], for: .admin).get().body
            #expect(request.string("state") == "cancelled", "\(request)")
        }
    }

    @Test func anEmptyListSaysWhy() async throws {
        try await Self.with({ $0.discovery.deny = [Glob("Great*")] }) { near, network in
            let blocked = near.gateway.events.subscribe { if case .discoveryBlocked = $0 { true } else { false } }
            network.say(.blocked(reason: "no bus"))
            var told = blocked.events.makeAsyncIterator()
            _ = await told.next()
            #expect(Self.codes(try await Self.call(near, "devices.list")).contains("no_daemon"))
            network.say(.browsing)
            network.announce(id: Self.first, name: "Great hall", port: 9)
            // What is kept out makes no event; this one comes behind it.
            network.say(.blocked(reason: "no bus again"))
            _ = await told.next()
            #expect(Self.codes(try await Self.call(near, "devices.list")).contains("denied"))
            network.say(.browsing)
            network.announce(id: Self.second, name: "Attic", port: 9)
            _ = try await Self.call(near, "device.find", ["id": "Attic", "timeout": 60])
            #expect(try await Self.call(near, "devices.list")["help"] == nil)
            _ = try await Self.call(near, "discovery.stop")
            #expect(Self.codes(try await Self.call(near, "devices.list")) == ["not_searching"])
        }
    }

    @Test func textsAreKeptWithADevice() async throws {
        let folder = try TemporaryFolder()
        let keep = { (configuration: inout GatewayConfiguration) in configuration.gateway.stateDirectory = folder.path }
        try await Self.with(keep) { near, network in
            network.say(.browsing)
            network.announce(id: Self.first, name: "Great hall", port: 9)
            _ = try await Self.call(near, "device.find", ["id": "Great hall", "timeout": 60])
            let updates = near.gateway.events.subscribe { if case .deviceUpdated = $0 { true } else { false } }
            let kept = try await Self.call(
                near, "device.attributes", ["device": "Great hall", "set": ["room": "hall", "floor": "1"]])
            #expect(kept.string("id") == Self.first && kept.object("attributes")?.string("room") == "hall")
            var told = updates.events.makeAsyncIterator()
            guard case .deviceUpdated(let device, _, _)? = await told.next() else {
                Issue.record("not told")
                return
            }
            #expect(device.object("attributes") != nil)
            _ = try await Self.call(near, "device.attributes", ["device": "Great hall", "remove": ["floor"]])
            let many = JSONObject((0..<33).map { ("a\($0)", JSONValue.string("x")) })
            let refused = await near.gateway.operations.call(
                "device.attributes", ["device": "Great hall", "set": .object(many)], for: .admin)
            guard case .failure(let problem) = refused else {
                Issue.record("\(refused)")
                return
            }
            #expect(problem.code == "too_many_attributes")
        }
        try await Self.with(keep) { near, network in
            network.say(.browsing)
            network.announce(id: Self.first, name: "Hall", port: 9)
            let device = try await Self.call(near, "device.find", ["id": "Hall", "timeout": 60]).object("device")
            #expect(device?.object("attributes") == ["room": "hall"])
        }
        withExtendedLifetime(folder) {}
    }
}
