import CastWire
import Testing

@testable import GatewayOperations

@Suite final class CommandRequestTableTests {
    private static let limits: CommandRequestTable.Limits = {
        var limits = CommandRequestTable.Limits()
        limits.keys = 5
        limits.keysOfCaller = 3
        limits.ended = 2
        return limits
    }()

    private var table = CommandRequestTable(run: "t", limits: CommandRequestTableTests.limits)
    private let guest = Caller(name: "guest", scopes: [.control])

    private func admit(_ caller: Caller, key: String?, at now: Duration) -> CommandRequestTable.Admission {
        self.table.admit("thing.move", ["device": "hall"], for: caller, key: key, at: now, time: 0)
    }

    /// The id of a request that was admitted and has ended; nil when it was refused.
    private func done(_ caller: Caller, key: String?, at now: Duration = .zero) -> String? {
        guard case .new(let request) = self.admit(caller, key: key, at: now) else { return nil }
        _ = self.table.end(request.id, with: .success(OperationAnswer(status: 200, [:])), at: now, time: 0)
        return request.id
    }

    /// A caller has its share of the keys, and what others have is free to them.
    @Test func oneCallerTakesNotAllKeys() {
        for key in ["a", "b", "c"] { #expect(self.done(self.guest, key: key) != nil) }
        guard case .refused(let problem) = self.admit(self.guest, key: "d", at: .zero) else {
            Issue.record("a fourth key was taken")
            return
        }
        #expect(problem.code == "too_many_requests" && problem.status == 429)
        // A key that is known stands for its request, and calls without a key are not hindered.
        guard case .repeated = self.admit(self.guest, key: "a", at: .zero) else {
            Issue.record("a known key was not recognised")
            return
        }
        #expect(self.done(self.guest, key: nil) != nil)
        #expect(self.done(.admin, key: "d") != nil)
        #expect(self.done(.admin, key: "e") != nil)
        #expect(self.done(.admin, key: "f") == nil)
        // They are free again when their time is over.
        let later = Self.limits.age + .seconds(1)
        for key in ["d", "e", "f"] { #expect(self.done(self.guest, key: key, at: later) != nil) }
        #expect(self.done(self.guest, key: "g", at: later) == nil)
    }

    @Test func requestsWithoutAKeyMakeRoom() throws {
        let ids = try (0..<3).map { _ in try #require(self.done(self.guest, key: nil)) }
        #expect(ids.map { self.table.request($0) != nil } == [false, true, true])
        let later = Self.limits.age + .seconds(1)
        _ = self.done(self.guest, key: nil, at: later)
        #expect(ids.allSatisfy { self.table.request($0) == nil })
    }
}
