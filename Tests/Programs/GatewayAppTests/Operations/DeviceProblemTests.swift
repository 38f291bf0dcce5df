import CastClient
import CastWire
import FeatureContract
import GatewayOperations
import Testing

/// What callers are told of a refusal.
@Suite struct DeviceProblemTests {
    private static func problem(_ reply: JSONObject) throws -> OperationProblem {
        OperationProblem(try #require(RequestError(reply: reply)))
    }

    @Test func aRefusedLaunchSaysAll() throws {
        let problem = try Self.problem([
            "type": "LAUNCH_ERROR", "reason": "NOT_ALLOWED", "extendedError": "PIN", "customData": ["tries": 2],
        ])
        #expect(problem.code == "not_allowed" && problem.status == 403)
        #expect(
            problem.json.object("custom_data") == ["tries": 2] && problem.json.string("extra_info") == "PIN"
                && problem.json.string("reason") == "NOT_ALLOWED" && problem.json.int("cast_code") == 7)
    }

    @Test func anAppThatIsNotThereIsNotFound() throws {
        let problem = try Self.problem(["type": "LAUNCH_ERROR", "reason": "NOT_FOUND"])
        #expect(problem.code == "application_not_found" && problem.status == 404)
        #expect(problem.json["extra_info"] == nil && problem.json["custom_data"] == nil)
    }

    /// Problems are kept with their requests, so what an app adds is bounded.
    @Test(arguments: [(4094, true), (4095, false)]) func muchOfAnAppIsLeftOut(length: Int, isTold: Bool) throws {
        let text = String(repeating: "x", count: length)
        let problem = try Self.problem(["type": "LOAD_FAILED", "customData": .string(text)])
        #expect(problem.code == "media_load_failed")
        #expect((problem.json["custom_data"] != nil) == isTold)
    }
}
