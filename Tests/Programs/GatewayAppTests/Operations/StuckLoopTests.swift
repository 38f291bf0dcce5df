import CastWire
import ControlAPI
import Dispatch
import GatewayConfig
import GatewayFixtures
import GatewayOperations
import NIOCore
import SystemPrimitives
import Testing
import VirtualDevices

@testable import GatewayApp

/// What looks at devices is answered in time when an event loop is stuck, and says what is missing.
@Suite(.timeLimit(.minutes(1)), .serialized) struct StuckLoopTests {
    private static func eventLoop(of device: String, in gateway: Gateway) async throws -> any EventLoop {
        let devices = gateway.running
        for loop in gateway.eventLoops.makeIterator() {
            let names = try await loop.submit { devices.states(on: loop).map(\.name) }.get()
            if names.contains(device) { return loop }
        }
        throw OperationProblem.missing("unknown_device", "\(device) runs on no loop")
    }

    private static func time(_ body: () async throws -> Void) async rethrows -> Duration {
        try await ContinuousClock().measure { try await body() }
    }

    @Test func aStuckLoopHoldsNoAnswer() async throws {
        try await RunningGateway.with(.hallAndOffice) { running in
            let gateway = running.gateway
            let loop = try await Self.eventLoop(of: "hall", in: gateway)
            let isShared = try await Self.eventLoop(of: "office", in: gateway) === loop
            let release = DispatchSemaphore(value: 0)
            loop.execute { release.wait() }
            defer { release.signal() }
            for name: OperationName in ["gateway.status", "devices.list", "senders.list"] {
                var answer: JSONObject = [:]
                let time = try await Self.time {
                    answer = try await gateway.operations.call(name, [:], for: .admin).get().body
                }
                #expect(time < .seconds(10), "\(name)")
                let declaration = try #require(BuiltInOperations.all.first { $0.name == name })
                #expect(declaration.result.faults(of: answer) == [], "\(name)")
                let unanswered = answer.array("unanswered")?.compactMap(\.stringValue) ?? []
                #expect(unanswered == (isShared ? ["virtual:hall", "virtual:office"] : ["virtual:hall"]), "\(name)")
            }
            // Of one device alone there is nothing to say.
            let outcome = await gateway.operations.call("device.get", ["device": "hall"], for: .admin)
            guard case .failure(let problem) = outcome else { return #expect(Bool(false), "the loop is stuck") }
            #expect(problem.code == "unavailable")
            // A caller that is limited to devices does not learn that there are others.
            let guest = Caller(name: "guest", scopes: [.read], devices: [DevicePattern("lounge*")])
            let status = try await gateway.operations.call("gateway.status", [:], for: guest).get().body
            #expect(status["unanswered"] == nil)
            // Monitors are told too.
            let probes = GatewayProbes(context: gateway.context, features: gateway.features).probes()
            #expect(await probes.liveness().status == 503)
        }
    }

    /// Every operation that only looks, and needs to be told no more than a device, whether it has something to say or not.
    @Test func aStuckLoopHoldsNoOperationThatLooks() async throws {
        try await RunningGateway.with(.hallAndOffice) { running in
            let gateway = running.gateway
            let loop = try await Self.eventLoop(of: "hall", in: gateway)
            let release = DispatchSemaphore(value: 0)
            loop.execute { release.wait() }
            defer { release.signal() }
            let looking = BuiltInOperations.all.filter { declaration in
                declaration.scope == .read && !declaration.isCommand
                    && declaration.fields.allSatisfy { $0.presence != .required || $0.name == "device" }
            }
            #expect(looking.count > 10)
            await withTaskGroup(of: (OperationName, Duration).self) { group in
                for declaration in looking {
                    let takesDevice = declaration.fields.contains { $0.name == "device" && $0.presence == .required }
                    group.addTask {
                        let time = await Self.time {
                            _ = await gateway.operations.call(
                                declaration.name, takesDevice ? ["device": "hall"] : [:], for: .admin)
                        }
                        return (declaration.name, time)
                    }
                }
                for await (name, time) in group { #expect(time < .seconds(20), "\(name)") }
            }
        }
    }

    @Test func withoutOneNothingIsMissing() async throws {
        try await RunningGateway.with(.hallAndOffice) { running in
            let gateway = running.gateway
            let status = try await gateway.operations.call("gateway.status", [:], for: .admin).get().body
            #expect(status["unanswered"] == nil)
            let probes = GatewayProbes(context: gateway.context, features: gateway.features).probes()
            #expect(await probes.liveness().status == 200)
        }
    }
}
