import CastWire
import Foundation
import GatewayCore
import GatewayOperations
import Testing

@testable import GatewayApp

/// A code has one status, wherever it comes from.
@Suite(.timeLimit(.minutes(1))) struct ProblemStatusTests {
    /// Codes with the statuses that something says they have.
    private struct Statuses {
        private(set) var byCode: [String: Set<Int>] = [:]

        mutating func add(_ code: String, _ status: Int) {
            self.byCode[code, default: []].insert(status)
        }

        var ambiguous: [String] {
            self.byCode.filter { $0.value.count > 1 }.map { "\($0.key): \($0.value.sorted())" }.sorted()
        }
    }

    private static var declared: Statuses {
        var statuses = Statuses()
        for problem in BuiltInOperations.all.flatMap(\.problems) + OperationDeclaration.commonProblems {
            statuses.add(problem.code, problem.status)
        }
        return statuses
    }

    @Test func noCodeIsDeclaredWithTwoStatuses() {
        #expect(Self.declared.byCode.count > 40)
        #expect(Self.declared.ambiguous == [])
    }

    @Test func failuresHaveTheDeclaredStatuses() {
        var statuses = Self.declared
        for code in CastErrorCode.allCases {
            let failure = OperationProblem(deviceFailure: code, "it failed")
            let error = OperationProblem(GatewayError(GatewayError.Code(code), "it failed"))
            #expect(failure.code == error.code && failure.status == error.status, "\(code)")
            #expect(statuses.byCode[failure.code] != nil, "\(failure.code) is declared nowhere")
            statuses.add(failure.code, failure.status)
        }
        for code: GatewayError.Code in [
            .handlerExists, .claimConflict, .invalidClaim, .reservedNamespace, .handlerFailed, .handlerTimedOut,
            .listenFailed, .configurationInvalid, .restartRequired, .reloadFailed, .unavailable, .unknownDevice,
            .unknownSession, .messageLoop,
        ] {
            let problem = OperationProblem(GatewayError(code, "it failed"))
            #expect(problem.code == "\(code)")
            statuses.add(problem.code, problem.status)
        }
        #expect(statuses.ambiguous == [])
    }

    /// Problems that the sources make up with a status of their own have that of the declarations.
    @Test func sourcesMakeNoOtherStatuses() throws {
        var statuses = Self.declared
        let sources = SourceIndex.root.appending(path: "Sources")
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        let made = /Problem(?:Case)?\(\s*"(?<code>[a-z_]+)",\s*(?:status:\s*)?(?<status>[0-9]{3}),/
        let told = /status:\s*(?<status>[0-9]{3}),\s*code:\s*"(?<code>[a-z_]+)"/
        let missing = /\.missing\(\s*"(?<code>[a-z_]+)"/
        var count = 0
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: made) {
                statuses.add(String(match.code), try #require(Int(match.status)))
                count += 1
            }
            for match in text.matches(of: told) { statuses.add(String(match.code), try #require(Int(match.status))) }
            for match in text.matches(of: missing) { statuses.add(String(match.code), 404) }
        }
        #expect(count > 60)
        #expect(statuses.ambiguous == [])
    }
}
