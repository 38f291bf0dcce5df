import Testing

@testable import CastDiscovery

struct ConnectionLifecycleTests {
    private static let absent = "the Avahi daemon does not run"

    @Test func aDaemonThatIsThereIsUsedAtOnce() {
        var lifecycle = ConnectionLifecycle()
        #expect(lifecycle.handle(.start) == [.open])
        #expect(lifecycle.handle(.daemonRegistering) == [.tellConnected])
        #expect(lifecycle.handle(.daemonRunning) == [.tellRunning])
        #expect(lifecycle.state == .running)
    }

    @Test func aDaemonThatComesLaterIsWaitedFor() {
        var lifecycle = ConnectionLifecycle()
        _ = lifecycle.handle(.start)
        #expect(lifecycle.handle(.daemonAbsent) == [.tellBlocked(reason: Self.absent)])
        #expect(lifecycle.handle(.daemonRunning) == [.tellConnected, .tellRunning])
    }

    @Test func aDaemonThatGoesTakesItsClientWithIt() {
        var lifecycle = ConnectionLifecycle()
        _ = lifecycle.handle(.start)
        _ = lifecycle.handle(.daemonRunning)
        #expect(
            lifecycle.handle(.failed(reason: "gone"))
                == [.tellBlocked(reason: "gone"), .discard, .wait(milliseconds: 250)])
        #expect(lifecycle.handle(.timer) == [.open])
        // Said already.
        #expect(lifecycle.handle(.daemonAbsent) == [])
        #expect(lifecycle.handle(.daemonRunning) == [.tellConnected, .tellRunning])
    }

    @Test func withoutABusItIsTriedAgainEverLongerAndSaidOnce() {
        var lifecycle = ConnectionLifecycle()
        _ = lifecycle.handle(.start)
        #expect(
            lifecycle.handle(.notOpened(reason: "no bus")) == [
                .tellBlocked(reason: "no bus"), .wait(milliseconds: 250),
            ])
        for pause in [500, 1000, 2000, 4000, 5000, 5000] {
            #expect(lifecycle.handle(.timer) == [.open])
            #expect(lifecycle.handle(.notOpened(reason: "no bus")) == [.wait(milliseconds: pause)])
        }
        _ = lifecycle.handle(.timer)
        _ = lifecycle.handle(.daemonRunning)
        #expect(
            lifecycle.handle(.failed(reason: "gone"))
                == [.tellBlocked(reason: "gone"), .discard, .wait(milliseconds: 250)])
    }

    @Test func aHostThatLosesItsNameGetsAnother() {
        var lifecycle = ConnectionLifecycle()
        _ = lifecycle.handle(.start)
        _ = lifecycle.handle(.daemonRunning)
        #expect(lifecycle.handle(.daemonRegistering) == [.tellUnnamed])
        #expect(lifecycle.handle(.daemonRunning) == [.tellRunning])
    }

    @Test func afterTheEndNothingHappens() {
        var lifecycle = ConnectionLifecycle()
        _ = lifecycle.handle(.start)
        #expect(lifecycle.handle(.stop) == [.discard])
        for event: ConnectionLifecycle.Event in [.timer, .daemonRunning, .failed(reason: ""), .start, .stop] {
            #expect(lifecycle.handle(event) == [])
        }
    }
}
