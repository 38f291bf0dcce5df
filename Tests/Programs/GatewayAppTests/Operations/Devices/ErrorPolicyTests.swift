import CastWire
import GatewayConfig
import GatewayOperations
import Testing

@testable import GatewaySettings

/// `errors` of `gateway.yaml`: how often launches and loads are tried.
@Suite(.timeLimit(.minutes(2))) struct ErrorPolicyTests {
    private static let lost = OperationProblem("timeout", status: 504, "no answer")
    private static let refused = OperationProblem("not_allowed", status: 403, "no")

    private static func policy(_ attempts: Int) -> RetryPolicy {
        var policy = RetryPolicy()
        policy.attempts = attempts
        policy.pause = .zero
        return policy
    }

    /// How often something is tried that fails so often, and what comes of it.
    private static func tries(_ policy: RetryPolicy, failing: [OperationProblem]) async -> (count: Int, code: String?) {
        var count = 0
        do throws(OperationProblem) {
            try await policy.perform { () async throws(OperationProblem) in
                count += 1
                if count <= failing.count { throw failing[count - 1] }
            }
            return (count, nil)
        } catch {
            return (count, error.code)
        }
    }

    @Test func oneAttemptIsAllWithoutAPolicy() async {
        let outcome = await Self.tries(RetryPolicy(), failing: [Self.lost])
        #expect(outcome.count == 1 && outcome.code == "timeout")
    }

    @Test func whatMayPassIsTriedAgain() async {
        let done = await Self.tries(Self.policy(3), failing: [Self.lost, Self.lost])
        #expect(done.count == 3 && done.code == nil)
        let failed = await Self.tries(Self.policy(3), failing: [Self.lost, Self.lost, Self.lost])
        #expect(failed.count == 3 && failed.code == "timeout")
    }

    @Test func aRefusalIsNotRepeated() async {
        let outcome = await Self.tries(Self.policy(5), failing: [Self.refused])
        #expect(outcome.count == 1 && outcome.code == "not_allowed")
    }

    @Test func aCallerThatGivesUpEndsIt() async {
        var policy = Self.policy(5)
        policy.pause = .seconds(3600)
        let outcome = await withTaskGroup(of: (count: Int, code: String?).self) { [policy] group in
            group.addTask { await Self.tries(policy, failing: Array(repeating: Self.lost, count: 5)) }
            group.cancelAll()
            return await group.next()
        }
        #expect(outcome?.count == 1 && outcome?.code == "timeout")
    }

    @Test(arguments: ["hall", "wall"]) func aSessionWhoseLoadFailedEndsWhereItIsWanted(device: String) async throws {
        func broken(_ bench: DeviceOperationsBench) async throws -> Int {
            try await bench.call("session.start", ["device": .string(device), "app": "CC1AD845"])
            let problem = try await bench.problem(
                "media.load", ["device": .string(device), "url": "rtsp://192.0.2.1/film", "content_type": "video/mp4"])
            #expect(problem?.code == "media_load_failed")
            let shown = try await bench.call("device.probe", ["device": .string(device)])
            return shown.object("status")?.array("applications")?.count ?? 0
        }
        try await DeviceOperationsBench.with { bench in
            let apps = try await broken(bench)
            #expect(apps == 1)
        }
        try await DeviceOperationsBench.with({ $0.errors.afterFailedLoad = .end }) { bench in
            let apps = try await broken(bench)
            #expect(apps == 0)
        }
    }
}
