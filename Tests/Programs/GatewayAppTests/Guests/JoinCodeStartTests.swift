import CastwayTestSupport
import GatewayOperations
import Testing

@testable import GuestAccess

/// Join codes that are made before their guests arrive; the tests own the time.
@Suite(.timeLimit(.minutes(2))) struct JoinCodeStartTests {
    private typealias Bench = JoinDeskBench

    /// A code can be made days ahead. It is as if it were not there until then, after a restart too.
    @Test func aCodeThatStartsLaterIsTakenThen() async throws {
        let bench = try Bench()
        let week: Int64 = 7 * 86_400
        let made = try bench.create(from: UTCTime(seconds: bench.time.now + week), lifetime: 86_400)
        #expect(bench.desk.codes.map(\.state) == [.pending])
        #expect(bench.redeem(.digits(made.digits)) == "code_refused")
        #expect(bench.redeem(.link(made.link)) == "code_refused")
        let wrong = made.digits == "00000000" ? "00000001" : "00000000"
        for number in 0..<300 {
            _ = bench.redeem(.digits(wrong), from: "10.0.\(number / 250).\(number % 250)")
        }
        // The guest of before leaves, and not the code of the next one.
        let now = try bench.create()
        #expect(try bench.desk.revokeCodes(for: "room-12", by: .admin).map(\.id) == [now.code.id])
        try bench.restart()
        #expect(bench.desk.codes.map(\.code.attempts) == [0])
        bench.time.pass(week - 1)
        #expect(bench.redeem(.link(made.link), from: "192.0.2.9") == "code_refused")
        bench.time.pass(1)
        #expect(bench.desk.codes.map(\.state) == [.open])
        #expect(bench.redeem(.digits(made.digits), from: "192.0.2.9").hasPrefix("g-"))
        bench.time.pass(86_400)
        #expect(bench.desk.codes.isEmpty)
    }

    @Test func aCodeThatWouldHaveStartedStartsNow() throws {
        let bench = try Bench()
        let made = try bench.create(from: UTCTime(seconds: bench.time.now - 3600), lifetime: 60)
        #expect(made.code.expires.seconds == bench.time.now + 60)
        #expect(bench.redeem(.digits(made.digits)).hasPrefix("g-"))
    }
}
