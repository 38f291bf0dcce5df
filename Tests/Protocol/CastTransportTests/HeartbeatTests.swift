import CastTransport
import NIOCore
import Testing

@Suite struct HeartbeatTests {
    private static let settings = Heartbeat.Settings(interval: .seconds(5), timeout: .seconds(15))

    private static func at(_ seconds: Int64) -> NIODeadline { .uptimeNanoseconds(0) + .seconds(1000 + seconds) }

    @Test func aReceiverIsSilentUntilItIsOpen() {
        var heartbeat = Heartbeat(role: .receiver, settings: Self.settings, at: Self.at(0))
        var action = heartbeat.timerFired(at: Self.at(5))
        #expect(action == .wait(until: Self.at(10)))
        heartbeat.open()
        heartbeat.heardPeer(at: Self.at(9))
        action = heartbeat.timerFired(at: Self.at(10))
        #expect(action == .ping(then: Self.at(15)))
    }

    @Test func aReceiverPingsAtEveryIntervalWhateverItHears() {
        var heartbeat = Heartbeat(role: .receiver, settings: Self.settings, at: Self.at(0))
        heartbeat.open()
        for second in stride(from: Int64(5), through: 60, by: 5) {
            heartbeat.heardPeer(at: Self.at(second - 1))
            let action = heartbeat.timerFired(at: Self.at(second))
            #expect(action == .ping(then: Self.at(second + 5)))
        }
    }

    @Test func aSenderPingsOnlyInSilence() {
        var heartbeat = Heartbeat(role: .sender, settings: Self.settings, at: Self.at(0))
        heartbeat.heardPeer(at: Self.at(3))
        var action = heartbeat.timerFired(at: Self.at(5))
        #expect(action == .wait(until: Self.at(8)))
        action = heartbeat.timerFired(at: Self.at(8))
        #expect(action == .ping(then: Self.at(13)))
        action = heartbeat.timerFired(at: Self.at(9))
        #expect(action == .wait(until: Self.at(13)))
    }

    @Test(arguments: [Heartbeat.Role.receiver, .sender])
    func silenceIsBorneForTheTimeoutAndNoLonger(_ role: Heartbeat.Role) {
        var heartbeat = Heartbeat(role: role, settings: Self.settings, at: Self.at(0))
        heartbeat.heardPeer(at: Self.at(4))
        var next = Self.at(5)
        var closedAt: NIODeadline?
        for _ in 0..<20 where closedAt == nil {
            switch heartbeat.timerFired(at: next) {
            case .wait(let until), .ping(let until): next = until
            case .close: closedAt = next
            }
        }
        #expect(closedAt == Self.at(19))
    }
}
