import CastWire
import GatewayConfig
import GatewayFixtures
import GatewayOperations
import Testing

@testable import GatewayApp
@testable import GatewaySettings

/// A gateway with a device of each kind: `hall` is virtual and plays by itself, `wall` is real (the hall of another gateway), and
/// `foyer` is virtual and relays to the wall.
struct DeviceOperationsBench {
    let running: RunningGateway
    /// The gateway that is the wall.
    let far: RunningGateway

    /// - Parameter change: what else the configuration of the gateway says.
    static func with(
        _ change: (inout GatewayConfiguration) -> Void = { _ in }, _ body: (DeviceOperationsBench) async throws -> Void
    ) async throws {
        try await RunningGateway.with(.hallAndOffice) { far in
            var configuration = GatewayConfiguration.hallAndOffice
            configuration.discovery.staticDevices = [
                StaticDevice(name: "wall", address: DialAddress(host: "127.0.0.1", port: far.port("hall"))),
                StaticDevice(name: "office", address: DialAddress(host: "127.0.0.1", port: far.port("office"))),
            ]
            configuration.virtualDevices.append(
                VirtualDeviceConfiguration(
                    name: "foyer", listen: ListenAddress(host: "127.0.0.1", port: 0), target: .device("wall")))
            change(&configuration)
            try await RunningGateway.with(configuration) { running in
                try await body(DeviceOperationsBench(running: running, far: far))
            }
        }
    }

    /// The operations, done while their callers wait and cancelled with them: what requests add has tests of its own.
    private var operations: OperationCatalogue { self.running.gateway.parts.catalogue(nil) }

    /// Calls an operation, and expects that it is done and answered as it is declared.
    @discardableResult
    func call(
        _ name: OperationName, _ input: JSONObject, for caller: Caller = .admin,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> JSONObject {
        switch await self.operations.call(name, input, for: caller) {
        case .success(let answer):
            let declaration = try #require(BuiltInOperations.all.first { $0.name == name })
            #expect(declaration.result.faults(of: answer.body) == [], "\(name)", sourceLocation: sourceLocation)
            #expect(declaration.result.status == answer.status, sourceLocation: sourceLocation)
            return answer.body
        case .failure(let problem):
            Issue.record("\(name): \(problem)", sourceLocation: sourceLocation)
            throw problem
        }
    }

    /// The problem of a call, which has to be declared; nil when it is done.
    func problem(
        _ name: OperationName, _ input: JSONObject, for caller: Caller = .admin,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> OperationProblem? {
        guard case .failure(let problem) = await self.operations.call(name, input, for: caller) else {
            return nil
        }
        let declaration = try #require(BuiltInOperations.all.first { $0.name == name })
        let known = declaration.problems + OperationDeclaration.commonProblems
        #expect(
            known.contains { $0.code == problem.code && $0.status == problem.status }, "\(name): \(problem)",
            sourceLocation: sourceLocation)
        return problem
    }

    /// Has a device play a film.
    @discardableResult
    func play(on device: String, _ more: JSONObject = [:]) async throws -> JSONObject {
        try await self.call("session.start", ["device": .string(device), "app": "CC1AD845"])
        var input: JSONObject = [
            "device": .string(device), "url": "http://192.0.2.1/film.mp4", "content_type": "video/mp4", "duration": 600,
        ]
        for member in more.members { input[member.name] = member.value }
        return try await self.call("media.load", input)
    }
}
