import GatewayCore
import Logging
import NIOCore
import Testing

@Suite struct LogThrottleTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000)

    @Test func whatIsLeftOutIsCounted() {
        var throttle = LogThrottle<String>(linesPerWindow: 2)
        let answers = (0..<4).map { _ in throttle.admit("a", at: self.start) }
        #expect(answers == [0, 0, nil, nil])
        let other = throttle.admit("b", at: self.start)
        #expect(other == 0)
        let later = [59, 60, 60].map { throttle.admit("a", at: self.start + .seconds($0)) }
        #expect(later == [nil, 3, 0])
    }

    @Test func oneTooManyIsForDebuggingOnly() {
        var throttle = LogThrottle<String>(linesPerWindow: 1)
        var metadata: Logger.Metadata = [:]
        let levels = [Logger.Level.notice, .notice, .trace].map {
            throttle.level($0, for: "a", at: self.start, metadata: &metadata)
        }
        #expect(levels == [.notice, .debug, .trace])
        #expect(metadata.isEmpty)
        let later = throttle.level(.info, for: "a", at: self.start + .minutes(1), metadata: &metadata)
        #expect(later == .info)
        #expect(metadata == ["suppressed": .stringConvertible(2)])
    }

    @Test func aFloodOfKeysIsForgotten() {
        var throttle = LogThrottle<Int>(linesPerWindow: 1)
        for key in 0..<10_000 {
            let unsaid = throttle.admit(key, at: self.start)
            #expect(unsaid == 0)
        }
        #expect(throttle.keyCount <= 1024)
    }
}
