import CastWire
import GatewayConfig
import Testing

@testable import GatewayOperations

/// Calls that wait for a request, and give up.
@Suite(.timeLimit(.minutes(1))) struct RequestWaitersTests {
    /// A command that goes on until it is cancelled.
    private struct Stay: GatewayOperation {
        static let name: OperationName = "thing.stay"
        static let route = OperationRoute(.post, "/things/stay")
        static let scope = OperationScope.control
        static let reach = OperationReach.anyone
        static let isCommand = true
        static let summary = "Stays"
        static let result = OperationResult("Nothing", [])

        func perform(_ input: NoInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
            let (ends, end) = AsyncStream<Never>.makeStream()
            defer { end.finish() }
            for await _ in ends {}
            return [:]
        }
    }

    /// The same key over and over, each call with a wait that is over at once.
    @Test(arguments: [Duration.zero, .seconds(1)]) func callsThatHaveWaitedAreForgotten(wait: Duration) async throws {
        let requests = CommandRequests(run: "t", clock: .init(now: { .zero }, time: { 100 }, sleep: { _ in }))
        let catalogue = OperationCatalogue([Stay()], requests: requests)
        var options = CallOptions()
        (options.wait, options.idempotencyKey) = (wait, "k")
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await requests.run() }
            for _ in 0..<5 {
                let answer = try await catalogue.call("thing.stay", [:], for: .admin, options: options).get()
                #expect(answer.status == 202)
            }
            #expect(requests.waiterCount == 0)
            group.cancelAll()
        }
    }
}
