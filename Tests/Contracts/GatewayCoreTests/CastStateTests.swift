import CastWire
import NIOCore
import Testing

@testable import GatewayCore

/// How casting stands as a whole, and which sessions have ended a short while ago.
@Suite struct CastStateTests {
    private static func facts(_ number: Int, _ state: SessionConnectionState) -> CastSessionFacts {
        CastSessionFacts(number: number, device: "tv\(number)", appID: "CC1AD845", state: state)
    }

    @Test func theFurthestSessionCounts() {
        #expect(CastState(hasDevices: false, sessions: []) == .noDevicesAvailable)
        #expect(CastState(hasDevices: true, sessions: [.disconnected, .disconnecting]) == .notConnected)
        #expect(CastState(hasDevices: true, sessions: [.disconnected, .connecting]) == .connecting)
        #expect(CastState(hasDevices: true, sessions: [.connected, .connecting]) == .connected)
        #expect(CastState(hasDevices: false, sessions: [.connecting, .connected]) == .connected)
    }

    @Test func changesAreToldOnceAndInTheirOrder() async {
        let bus = EventBus()
        let subscription = bus.subscribe { if case .castState = $0 { true } else { false } }
        // Nothing is told before it begins.
        bus.publish(.deviceListDidUpdate(count: 3))
        bus.castState.begin(deviceCount: 0)
        bus.publish(.deviceListDidUpdate(count: 1))
        bus.publish(.deviceListDidUpdate(count: 2))
        bus.publish(.castSession(Self.facts(1, .connecting), .willStart))
        bus.publish(.castSession(Self.facts(1, .connected), .didStart))
        bus.publish(.castSession(Self.facts(2, .connecting), .willStart))
        bus.publish(.castSession(Self.facts(2, .disconnected), .didFailToStart(SessionFailure(.timeout, "late"))))
        bus.publish(.castSession(Self.facts(1, .disconnected), .didEnd(nil)))
        bus.publish(.deviceListDidUpdate(count: 0))
        let expected: [(CastState, CastState?)] = [
            (.noDevicesAvailable, nil), (.notConnected, .noDevicesAvailable), (.connecting, .notConnected),
            (.connected, .connecting), (.notConnected, .connected), (.noDevicesAvailable, .notConnected),
        ]
        var events = subscription.events.makeAsyncIterator()
        for (state, previous) in expected {
            guard case .castState(let told, let before)? = await events.next() else {
                Issue.record("not told: \(state)")
                return
            }
            #expect(told == state && before == previous)
        }
    }

    @Test func sessionsThatHaveEndedAreKnownForTenMinutes() {
        let book = EndedSessionCache()
        let start = NIODeadline.uptimeNanoseconds(0)
        book.note(.castSession(Self.facts(1, .connected), .didStart), at: start)
        #expect(book.recent(at: start).isEmpty)
        book.note(.castSession(Self.facts(1, .disconnected), .didEnd(nil)), at: start)
        book.note(
            .castSession(Self.facts(2, .disconnected), .didEnd(SessionFailure(.replaced, "gone"))),
            at: start + .minutes(5))
        #expect(book.recent(at: start + .minutes(6)).map(\.facts.number) == [2, 1])
        #expect(book.recent(at: start + .minutes(11)).map(\.facts.number) == [2])
        #expect(book.recent(at: start + .minutes(11)).first?.failure?.code == .replaced)
        #expect(book.recent(at: start + .minutes(16)).isEmpty)
        for number in 0..<200 {
            book.note(.castSession(Self.facts(number, .disconnected), .didEnd(nil)), at: start + .minutes(20))
        }
        #expect(book.recent(at: start + .minutes(20)).count == EndedSessionCache.maximumCount)
    }
}
