import CastTransport
import NIOCore
import Testing

@Suite struct AdmissionTests {
    private let now = NIODeadline.uptimeNanoseconds(1_000_000_000_000)

    @Test func noKindTakesWhatIsAnothers() throws {
        let admission = Admission(
            senders: ConnectionLimits(total: 2, perAddress: 2), setup: ConnectionLimits(total: 1, perAddress: 1),
            admin: ConnectionLimits(total: 1, perAddress: 1))
        func admit(_ kind: ListenerKind) throws -> ConnectionAdmission {
            let made = try admission.admit("192.0.2.7", to: kind, at: self.now, evict: {})
            made.secured()
            return made
        }
        let setup = try admit(.setup)
        for _ in 0..<9 { #expect(throws: ConnectionLimiter.Refusal.tooManyFromAddress) { try admit(.setup) } }
        let senders = [try admit(.senders), try admit(.senders)]
        #expect(throws: ConnectionLimiter.Refusal.self) { try admit(.senders) }
        _ = try admit(.admin)
        #expect(ListenerKind.allCases.map { admission.count(of: $0) } == [2, 1, 1, 0, 0, 0])
        setup.release()
        setup.release()
        for sender in senders { sender.release() }
        #expect(ListenerKind.allCases.map { admission.count(of: $0) } == [0, 0, 1, 0, 0, 0])
    }

    @Test func whoIsNotAllowedIsNotCounted() throws {
        let limits = ConnectionLimits(total: 1, perAddress: 1, newPerSecond: 1)
        let admission = Admission(senders: limits, setup: limits, admin: limits)
        for _ in 0..<9 {
            let error = #expect(throws: Admission.NotAllowed.self) {
                try admission.admit("192.0.2.7", to: .setup, obstacle: "not here", at: self.now, evict: {})
            }
            #expect(error.map(Admission.reason(of:)) == "not here")
        }
        #expect(throws: Never.self) { try admission.admit("192.0.2.7", to: .setup, at: self.now, evict: {}) }
    }

    @Test func limitsChangeForOneKind() throws {
        let limits = ConnectionLimits(total: 1, perAddress: 1)
        let admission = Admission(senders: limits, setup: limits, admin: limits)
        admission.limit(.setup, to: ConnectionLimits(total: 3, perAddress: 3, newPerSecond: 2000), at: self.now)
        let held = try (0..<3).map { _ in
            try admission.admit("192.0.2.7", to: .setup, at: self.now) {}
        }
        for one in held { one.secured() }
        #expect(admission.count(of: .setup) == 3)
        #expect(admission.acceptsPerSecond(.setup) == 4000)
        #expect(admission.acceptsPerSecond(.senders) == nil)
        #expect(admission.acceptsPerSecond(.admin) == 1000)
    }

    @Test func aConnectionThatIsIdleAgainGivesWay() throws {
        let limits = ConnectionLimits(total: 2, perAddress: 2)
        let admission = Admission(senders: limits, setup: limits, admin: limits)
        let (evictions, input) = AsyncStream.makeStream(of: String.self)
        let first = try admission.admit("a", to: .setup, at: self.now) { input.yield("first") }
        first.secured()
        let second = try admission.admit("c", to: .setup, at: self.now) { input.yield("second") }
        second.secured()
        #expect(throws: ConnectionLimiter.Refusal.self) { try admission.admit("b", to: .setup, at: self.now) {} }
        first.idle()
        _ = try admission.admit("b", to: .setup, at: self.now) {}
        input.finish()
        first.release()
        second.release()
        #expect(admission.count(of: .setup) == 1)
        // Idle after its end, or without ever having been of use: nothing happens.
        first.idle()
        #expect(admission.count(of: .setup) == 1)
        withExtendedLifetime(evictions) {}
    }
}
