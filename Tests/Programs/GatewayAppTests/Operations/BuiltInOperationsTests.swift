import CastWire
import GatewayConfig
import GatewayFixtures
import GatewayOperations
import Testing

@testable import GatewayApp
@testable import GatewaySettings

/// What is declared is what a gateway does, and nothing beside it.
@Suite(.timeLimit(.minutes(1))) struct BuiltInOperationsTests {
    @Test func aGatewayHasAllOfThemAndNoOthers() async throws {
        try await RunningGateway.with(.hallAndOffice) { running in
            #expect(
                running.gateway.operations.declarations.map(\.name.rawValue)
                    == BuiltInOperations.all.map(\.name.rawValue))
            let said = try await running.gateway.operations.call("gateway.get", [:], for: .admin).get().body
            #expect(said.array("operations")?.compactMap(\.stringValue) == BuiltInOperations.all.map(\.name.rawValue))
        }
    }

    @Test(arguments: BuiltInOperations.all.map(\.name.rawValue)) func itsDeclarationHolds(_ name: String) throws {
        let operation = try #require(BuiltInOperations.all.first { $0.name.rawValue == name })
        #expect(OperationFamilies.reserved.contains(operation.name.family))
        #expect(OperationName(name) == operation.name)
        for parameter in operation.route.parameters {
            #expect(operation.fields.first { $0.name == parameter }?.presence == .required, "\(parameter)")
        }
        for field in operation.fields {
            #expect(field.name.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x5F }, "\(field.name)")
            // Nothing that a caller names is a file of the gateway's machine.
            switch field.schema.kind {
            case .path, .secret: Issue.record("\(field.name) may name a file")
            default: break
            }
        }
        #expect(!operation.summary.hasSuffix(".") && !operation.summary.isEmpty)
        #expect(!operation.route.method.hasBody || operation.scope != .read)
        let common = OperationDeclaration.commonProblems.map(\.code)
        #expect(Set(operation.problems.map(\.code) + common).count == operation.problems.count + common.count)
    }

    /// Every answer of a gateway is as it is declared.
    @Test(
        arguments: BuiltInOperations.all.filter { $0.scope == .read || $0.name.rawValue.hasSuffix(".get") }.map(
            \.name.rawValue))
    func itsAnswerIsAsDeclared(_ name: String) async throws {
        try await RunningGateway.with(.hallAndOffice) { running in
            let operation = try #require(OperationName(name))
            let declaration = try #require(BuiltInOperations.all.first { $0.name == operation })
            switch await running.gateway.operations.call(operation, [:], for: .admin) {
            case .success(let answer): #expect(declaration.result.faults(of: answer.body) == [])
            case .failure(let problem):
                // This gateway has no file, and no plugin is named.
                #expect(["no_file", "invalid_input"].contains(problem.code), "\(problem)")
            }
        }
    }
}
