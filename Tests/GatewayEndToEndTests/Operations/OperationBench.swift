import CastWire
import GatewayFixtures
import GatewayOperations
import Testing

@testable import GatewayApp

/// Calls the operations of a running gateway, and compares each answer and each problem with what is declared.
struct OperationBench {
    let gateway: Gateway
    let caller: Caller

    /// - Parameter caller: who calls; the operator, if not told.
    init(_ running: RunningGateway, as caller: Caller = .admin) {
        self.gateway = running.gateway
        self.caller = caller
    }

    /// A caller that may do all with a few devices.
    static func guest(of devices: String...) -> Caller {
        Caller(name: "guest", scopes: Set(OperationScope.allCases), devices: devices.map { DevicePattern($0) })
    }

    /// What an operation answers.
    func answer(_ name: OperationName, _ input: JSONObject = [:]) async throws -> JSONObject {
        let answer = try await self.gateway.operations.call(name, input, for: self.caller).get()
        let declaration = try #require(BuiltInOperations.all.first { $0.name == name })
        #expect(answer.status == declaration.result.status)
        #expect(declaration.result.faults(of: answer.body) == [], "\(name)")
        return answer.body
    }

    /// The problem that an operation has.
    func problem(_ name: OperationName, _ input: JSONObject = [:]) async throws -> OperationProblem {
        let declaration = try #require(BuiltInOperations.all.first { $0.name == name })
        switch await self.gateway.operations.call(name, input, for: self.caller) {
        case .success(let answer):
            throw Unexpected(answer: JSONValue.object(answer.body).text)
        case .failure(let problem):
            let known = declaration.problems + OperationDeclaration.commonProblems
            #expect(
                known.contains { $0.code == problem.code && $0.status == problem.status },
                "\(problem.code) \(problem.status) of \(name) is declared")
            return problem
        }
    }

    /// An answer in the place of a problem.
    struct Unexpected: Error {
        let answer: String
    }
}

extension JSONObject {
    /// The objects of a list.
    func elements(_ name: String) -> [JSONObject] { self.array(name)?.compactMap(\.objectValue) ?? [] }

    /// The names of the objects of a list.
    func names(_ list: String) -> [String] { self.elements(list).compactMap { $0.string("name") } }
}
