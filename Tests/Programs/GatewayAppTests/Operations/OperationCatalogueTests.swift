import CastWire
import GatewayConfig
import GatewayCore
import GatewayOperations
import Testing

@Suite struct OperationCatalogueTests {
    private struct Double: GatewayOperation {
        struct Input: OperationInput {
            var number = 0
            static let keys: [Key] = [.required("number", \.number, .integer(0...9), "What is doubled")]
            init(blank: ConfigBlank) {}
        }

        static let name: OperationName = "number.double"
        static let route = OperationRoute(.post, "/numbers/{number}/double")
        static let scope = OperationScope.control
        static let isAnswerKept = false
        static let reach = OperationReach.anyone
        static let summary = "Doubles a number"
        static let result = OperationResult("The double", [.init("number", .integer, "Twice the number")])

        func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
            ["number": .number(2 * input.number)]
        }
    }

    private let catalogue = OperationCatalogue([Double()])

    private func problem(_ name: OperationName, _ input: JSONObject, scopes: Set<OperationScope>) async -> String? {
        let caller = Caller(name: "test", scopes: scopes)
        guard case .failure(let problem) = await self.catalogue.call(name, input, for: caller) else { return nil }
        return problem.code
    }

    @Test func whoMayIsAnswered() async throws {
        let answer = try await self.catalogue.call("number.double", ["number": 4], for: .admin).get().body
        #expect(answer == ["number": 8])
        #expect(await self.problem("number.double", ["number": 4], scopes: [.control]) == nil)
        #expect(await self.problem("number.double", ["number": 4], scopes: [.read, .admin]) == "scope_missing")
        // Who may not learns nothing of the input.
        #expect(await self.problem("number.double", [:], scopes: []) == "scope_missing")
        #expect(await self.problem("number.double", ["number": 10], scopes: [.control]) == "invalid_input")
        #expect(await self.problem("number.dubble", [:], scopes: [.control]) == "unknown_operation")
    }

    /// What is answered once takes no key by which it could be had again.
    @Test func anAnswerThatIsNotKeptTakesNoKey() async {
        var options = CallOptions()
        options.idempotencyKey = "k"
        let outcome = await self.catalogue.call("number.double", ["number": 4], for: .admin, options: options)
        guard case .failure(let problem) = outcome else {
            Issue.record("the key was taken")
            return
        }
        #expect(problem.code == "invalid_input")
        #expect(!OperationDeclaration(Double.self).takesIdempotencyKey)
    }

    @Test(arguments: ["", "a", "a.", ".b", "A.b", "a.b c", "a..b", "1.a", String(repeating: "a", count: 64) + ".b"])
    func namesHaveAForm(text: String) {
        #expect(OperationName(text) == nil)
    }

    /// Every code has one status, and a problem says what RFC 9457 wants.
    @Test func problemsAreProblemDetails() throws {
        let problem = OperationProblem(GatewayError(.unknownDevice, "no device 'attic'"), members: ["reason": "GONE"])
        #expect(
            problem.json == [
                "type": "about:blank", "status": 404, "code": "unknown_device", "detail": "no device 'attic'",
                "reason": "GONE",
            ])
        let statuses: [(GatewayError.Code, Int)] = [
            (.unavailable, 503), (.configurationInvalid, 422), (.restartRequired, 409), (.handlerTimedOut, 504),
            (GatewayError.Code(.invalidRequest), 422), (GatewayError.Code(.invalidState), 409),
            (GatewayError.Code(.deviceNotConnected), 504), (GatewayError.Code(.notAllowed), 403),
        ]
        for (code, status) in statuses { #expect(OperationProblem(GatewayError(code, "")).status == status, "\(code)") }
    }
}
