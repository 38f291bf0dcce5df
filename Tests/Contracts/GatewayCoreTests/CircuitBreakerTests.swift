import NIOCore
import Testing

@testable import GatewayCore

@Suite struct CircuitBreakerTests {
    private static func at(_ seconds: Int64) -> NIODeadline { .uptimeNanoseconds(0) + .seconds(1000 + seconds) }

    private static func opened(at second: Int64) -> CircuitBreaker {
        var breaker = CircuitBreaker(at: at(0))
        for _ in 0..<5 { _ = breaker.failed(at: Self.at(second)) }
        return breaker
    }

    @Test func opensAtTheFifthFailureWhenHalfOfTheCallsFail() {
        var breaker = CircuitBreaker(at: Self.at(0))
        for _ in 0..<4 {
            let answer = breaker.failed(at: Self.at(1))
            #expect(!answer)
        }
        let answer2 = breaker.allowsCall(at: Self.at(1))
        #expect(answer2)
        let answer3 = breaker.failed(at: Self.at(1))
        #expect(answer3)
        let answer4 = breaker.allowsCall(at: Self.at(1))
        #expect(!answer4)
    }

    @Test func staysClosedWhileMostCallsSucceed() {
        var breaker = CircuitBreaker(at: Self.at(0))
        for _ in 0..<20 {
            breaker.succeeded(at: Self.at(1))
            breaker.succeeded(at: Self.at(1))
            let answer5 = breaker.failed(at: Self.at(1))
            #expect(!answer5)
        }
        let answer6 = breaker.allowsCall(at: Self.at(1))
        #expect(answer6)
    }

    @Test func forgetsFailuresOfTheMinuteBefore() {
        var breaker = CircuitBreaker(at: Self.at(0))
        for _ in 0..<4 { _ = breaker.failed(at: Self.at(0)) }
        let answer7 = breaker.failed(at: Self.at(61))
        #expect(!answer7)
        let answer8 = breaker.allowsCall(at: Self.at(61))
        #expect(answer8)
    }

    @Test func letsOneProbeThroughAfterThirtySeconds() {
        var breaker = Self.opened(at: 1)
        let answer9 = breaker.allowsCall(at: Self.at(30))
        #expect(!answer9)
        let answer10 = breaker.allowsCall(at: Self.at(31))
        #expect(answer10)
        let answer11 = breaker.allowsCall(at: Self.at(31))
        #expect(!answer11)
        breaker.succeeded(at: Self.at(32))
        let answer12 = breaker.allowsCall(at: Self.at(32))
        #expect(answer12)
        let answer13 = breaker.failed(at: Self.at(32))
        #expect(!answer13)
    }

    @Test func opensAgainWhenTheProbeFails() {
        var breaker = Self.opened(at: 1)
        let answer14 = breaker.allowsCall(at: Self.at(31))
        #expect(answer14)
        let answer15 = breaker.failed(at: Self.at(31))
        #expect(answer15)
        let answer16 = breaker.allowsCall(at: Self.at(60))
        #expect(!answer16)
        let answer17 = breaker.allowsCall(at: Self.at(61))
        #expect(answer17)
    }

    @Test func anAbandonedProbeMakesRoomForAnother() {
        var breaker = Self.opened(at: 1)
        let answer18 = breaker.allowsCall(at: Self.at(31))
        #expect(answer18)
        breaker.abandoned(at: Self.at(32))
        let answer19 = breaker.allowsCall(at: Self.at(32))
        #expect(answer19)
    }

    @Test func aCallFromBeforeDoesNotCloseIt() {
        var breaker = Self.opened(at: 59)
        breaker.succeeded(at: Self.at(62))
        let answer20 = breaker.allowsCall(at: Self.at(62))
        #expect(!answer20)
    }
}
