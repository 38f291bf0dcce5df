import GatewayCore
import NIOCore
import Testing

@testable import PluginHosting

/// When a plugin is started, stopped and started again.
@Suite struct PluginStateMachineTests {
    private var machine = PluginStateMachine(policy: PluginRestart())
    private var now = NIODeadline.uptimeNanoseconds(1_000_000_000)

    private mutating func handle(_ event: PluginStateMachine.Event) -> [PluginStateMachine.Action] {
        self.machine.handle(event, at: self.now)
    }

    private mutating func crash(_ random: Double = 0) -> [PluginStateMachine.Action] {
        self.handle(.ended(.signalled(9), lines: ["last"], random: random))
    }

    /// Starts the plugin, or ends the pause that it is in.
    private mutating func begin(_ actions: [PluginStateMachine.Action]) {
        for case .pause(_, let number) in actions { #expect(self.handle(.pauseEnded(number)) == [.launch]) }
    }

    private static func pause(_ actions: [PluginStateMachine.Action]) -> Duration? {
        for case .pause(let time, _) in actions { return time }
        return nil
    }

    @Test mutating func itBecomesReadyAndEndsWhenTold() {
        #expect(self.machine.state == .verified)
        #expect(self.handle(.start) == [.launch])
        #expect(self.machine.state == .starting)
        #expect(self.handle(.becameReady(version: "1")) == [.publish(.ready(version: "1"))])
        #expect(self.machine.state == .ready)
        #expect(self.handle(.stop(.stopped)) == [.drain])
        #expect(self.machine.state == .draining)
        #expect(self.handle(.stop(.stopped)) == [])
        let actions = self.handle(.ended(.exited(0), lines: [], random: 0))
        #expect(actions == [.publish(.stopped(reason: "it is not needed any more"))])
        #expect(self.machine.state == .stopped)
    }

    @Test mutating func pausesDoubleUpToTheirMaximum() {
        _ = self.handle(.start)
        var pauses: [Duration] = []
        for _ in 0..<8 {
            let actions = self.crash()
            #expect(self.machine.state == .backoff)
            #expect(actions.first == .publish(.crashed(reason: "signal 9 ended it", lines: ["last"])))
            pauses += [Self.pause(actions) ?? .zero]
            // So far apart that they make no loop.
            self.now = self.now + .minutes(2)
            self.begin(actions)
        }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
    }

    @Test(arguments: [(-1.0, 800), (0.0, 1000), (1.0, 1200), (9.0, 1200)])
    mutating func pausesVary(random: Double, milliseconds: Int) {
        _ = self.handle(.start)
        #expect(Self.pause(self.crash(random)) == .milliseconds(milliseconds))
    }

    @Test mutating func manyCrashesInAShortTimeMakeALoopThatIsNeverGivenUp() {
        _ = self.handle(.start)
        for _ in 0..<8 {
            let actions = self.crash()
            #expect(self.machine.state == .backoff)
            self.begin(actions)
        }
        var actions = self.crash()
        #expect(self.machine.state == .crashlooped)
        #expect(actions.contains(.publish(.crashlooped(reason: "signal 9 ended it"))))
        for _ in 0..<100 {
            #expect(Self.pause(actions) == .seconds(300))
            // It is tried at once after its pause, again and again, and said once.
            self.begin(actions)
            actions = self.crash()
            #expect(!actions.contains(.publish(.crashlooped(reason: "signal 9 ended it"))))
        }
        #expect(self.machine.restartCount == 108)
    }

    @Test mutating func aLoopEndsWhenCrashesAreFarApart() {
        _ = self.handle(.start)
        var actions: [PluginStateMachine.Action] = []
        for _ in 0..<9 {
            actions = self.crash()
            self.begin(actions)
        }
        #expect(self.machine.state == .starting)
        _ = self.handle(.becameReady(version: "1"))
        self.now = self.now + .minutes(11)
        actions = self.crash()
        #expect(self.machine.state == .backoff)
        #expect(Self.pause(actions) == .seconds(1))
    }

    @Test mutating func healthDecaysTheBackoff() {
        _ = self.handle(.start)
        for _ in 0..<4 {
            let actions = self.crash()
            self.now = self.now + .minutes(3)
            self.begin(actions)
        }
        _ = self.handle(.becameReady(version: "1"))
        self.now = self.now + .minutes(9)
        var actions = self.crash()
        #expect(Self.pause(actions) == .seconds(16))
        self.begin(actions)
        _ = self.handle(.becameReady(version: "1"))
        self.now = self.now + .minutes(10)
        actions = self.crash()
        #expect(Self.pause(actions) == .seconds(1))
    }

    @Test mutating func statusZeroIsAnEndUnlessToldOtherwise() {
        _ = self.handle(.start)
        #expect(
            self.handle(.ended(.exited(0), lines: [], random: 0)) == [.publish(.stopped(reason: "it ended by itself"))])
        #expect(self.machine.state == .stopped)
        var policy = PluginRestart()
        policy.policy = .always
        self.machine = PluginStateMachine(policy: policy)
        _ = self.handle(.start)
        _ = self.handle(.ended(.exited(0), lines: [], random: 0))
        #expect(self.machine.state == .backoff)
    }

    @Test(arguments: [PluginEnd.exited(78), .badConfiguration("no")])
    mutating func aBadConfigurationWaitsForAnother(end: PluginEnd) {
        _ = self.handle(.start)
        let actions = self.handle(.ended(end, lines: [], random: 0))
        #expect(Self.pause(actions) == nil)
        #expect(self.machine.state == .stopped)
        #expect(self.machine.reason == end.description)
        #expect(self.handle(.reconfigured) == [.launch])
    }

    @Test mutating func whatIsDisabledStaysSoUntilEnabled() {
        _ = self.handle(.start)
        _ = self.handle(.becameReady(version: "1"))
        #expect(self.handle(.stop(.disabled)) == [.drain])
        _ = self.handle(.ended(.exited(0), lines: [], random: 0))
        #expect(self.machine.state == .disabled)
        #expect(self.handle(.reconfigured) == [])
        #expect(self.handle(.start) == [.launch])
    }

    @Test mutating func disablingEndsAPause() {
        _ = self.handle(.start)
        let actions = self.crash()
        #expect(self.handle(.stop(.disabled)) == [.publish(.stopped(reason: "it was switched off"))])
        for case .pause(_, let number) in actions { #expect(self.handle(.pauseEnded(number)) == []) }
        #expect(self.machine.state == .disabled)
    }

    @Test mutating func restartingDrainsFirstAndForgetsCrashes() {
        _ = self.handle(.start)
        #expect(self.handle(.restart) == [.drain])
        #expect(self.handle(.ended(.signalled(15), lines: [], random: 0)) == [.launch])
        for _ in 0..<9 { self.begin(self.crash()) }
        let actions = self.crash()
        #expect(self.machine.state == .crashlooped)
        #expect(self.handle(.restart) == [.launch])
        for case .pause(_, let number) in actions { #expect(self.handle(.pauseEnded(number)) == []) }
        #expect(Self.pause(self.crash()) == .seconds(1))
    }

    @Test mutating func enablingWhileItDrainsRunsItAnew() {
        _ = self.handle(.start)
        _ = self.handle(.stop(.disabled))
        #expect(self.handle(.start) == [])
        #expect(self.handle(.ended(.exited(0), lines: [], random: 0)) == [.launch])
    }

    @Test mutating func feelingsAreToldWhenTheyChange() {
        _ = self.handle(.start)
        #expect(self.handle(.healthChanged("early")) == [])
        _ = self.handle(.becameReady(version: "1"))
        #expect(self.handle(.healthChanged(nil)) == [])
        #expect(self.handle(.healthChanged("slow")) == [.publish(.degraded(reason: "slow"))])
        #expect(self.machine.state == .degraded)
        #expect(self.handle(.healthChanged("slower")) == [])
        #expect(self.machine.reason == "slower")
        #expect(self.handle(.healthChanged(nil)) == [.publish(.degraded(reason: nil))])
        #expect(self.machine.state == .ready)
    }

    @Test mutating func whatComesTwiceOrLateDoesNothing() {
        #expect(self.crash() == [])
        #expect(self.handle(.becameReady(version: "1")) == [])
        #expect(self.handle(.pauseEnded(1)) == [])
        _ = self.handle(.start)
        #expect(self.handle(.start) == [])
        #expect(self.handle(.pauseEnded(0)) == [])
        _ = self.crash()
        #expect(self.crash() == [])
    }

    @Test mutating func aTriedOutProcessTakesThePlace() {
        _ = self.handle(.start)
        _ = self.handle(.becameReady(version: "1"))
        #expect(self.handle(.swapped(version: "2")) == [.publish(.ready(version: "2"))])
        #expect(self.machine.state == .ready)
        // The new one's end counts.
        #expect(Self.pause(self.crash()) == .seconds(1))
    }
}
