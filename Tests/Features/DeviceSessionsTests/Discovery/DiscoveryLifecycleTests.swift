import Testing

@testable import DeviceSessions

struct DiscoveryLifecycleTests {
    @Test func itStartsAndStops() {
        var lifecycle = DiscoveryLifecycle()
        #expect(lifecycle.handle(.browsing) == [])
        #expect(lifecycle.handle(.start) == [.open])
        #expect(lifecycle.handle(.start) == [])
        #expect(lifecycle.handle(.browsing) == [.tellStarted])
        #expect(lifecycle.handle(.browsing) == [])
        #expect(lifecycle.handle(.stop) == [.close, .tellStopped])
        #expect(lifecycle.handle(.stop) == [])
        #expect(lifecycle.state == .stopped)
    }

    @Test func whatBlocksItIsToldOnceAndPasses() {
        var lifecycle = DiscoveryLifecycle()
        _ = lifecycle.handle(.start)
        #expect(lifecycle.handle(.blocked(reason: "a")) == [.tellBlocked(reason: "a")])
        #expect(lifecycle.handle(.blocked(reason: "a")) == [])
        #expect(lifecycle.handle(.blocked(reason: "b")) == [.tellBlocked(reason: "b")])
        #expect(lifecycle.state == .blocked(reason: "b"))
        #expect(lifecycle.handle(.browsing) == [.tellStarted])
        #expect(lifecycle.handle(.blocked(reason: "b")) == [.tellBlocked(reason: "b")])
        #expect(lifecycle.handle(.stop) == [.close, .tellStopped])
        #expect(lifecycle.handle(.blocked(reason: "c")) == [])
    }
}
