import CastWire
import GatewayCore
import NIOCore
import Testing

@testable import Passthrough

/// What the gateway does on a device whose senders are passed through, event by event.
@Suite struct WatchStateMachineTests {
    /// A machine with its clock.
    private struct Bench {
        var machine: WatchStateMachine
        var now = NIODeadline.uptimeNanoseconds(1_000_000_000)

        init(_ change: (inout WatchRules) -> Void) {
            var rules = WatchRules()
            change(&rules)
            self.machine = WatchStateMachine(rules)
            _ = self.machine.handle(.found([], isReachable: true), at: self.now)
        }

        mutating func take(_ event: WatchStateMachine.Event) -> [WatchStateMachine.Action] {
            self.machine.handle(event, at: self.now)
        }

        mutating func connect(_ id: UInt64 = 1, _ address: String = "10.20.0.7") {
            _ = self.take(.connected(ConnectionID(rawValue: id), address: address))
        }

        mutating func disconnect(_ id: UInt64 = 1) {
            _ = self.take(.disconnected(ConnectionID(rawValue: id)))
        }
    }

    private static func app(_ id: AppID, _ session: String) -> SessionFacts {
        SessionFacts(
            appID: id, sessionID: session, transportID: "web-1", displayName: "An app", namespaces: [.media])
    }

    private static let film = app("CC1AD845", "s-1")
    private static let game = app("AAAA0001", "s-2")

    @Test func anAppThatIsNotAllowedIsStoppedOnce() {
        var bench = Bench { $0.allowedApps = ["CC1AD845"] }
        bench.connect()
        let allowed = bench.take(.started(Self.film))
        #expect(allowed == [])
        let stopped = bench.take(.started(Self.game))
        #expect(stopped == [.stop(Self.game, .notAllowed)])
        let again = bench.take(.volume(0.5))
        #expect(again == [])
        let answered = bench.take(.stopAnswered(session: "s-2"))
        #expect(answered == [])
        _ = bench.take(.ended(session: "s-2"))
        bench.now = bench.now + .minutes(1)
        let later = bench.take(.timePassed)
        #expect(later == [] && bench.machine.nextDeadline == nil)
    }

    @Test func anAndroidAppGoesByTheWebAppThatItStandsFor() {
        var bench = Bench { $0.allowedApps = ["CC1AD845"] }
        bench.connect()
        let app = SessionFacts(
            appID: "com.example.film", universalAppID: "CC1AD845", sessionID: "s", transportID: "t", displayName: "",
            namespaces: [])
        let actions = bench.take(.started(app))
        #expect(actions == [])
    }

    @Test func whatRanBeforeIsLetBe() {
        var bench = Bench { $0.allowedApps = [] }
        let alone = bench.take(.started(Self.game))
        #expect(alone == [])
        bench.connect()
        let connected = bench.take(.timePassed)
        #expect(connected == [])
        // The device was out of reach, and has it still.
        _ = bench.take(.ended(session: "s-2"))
        let back = bench.take(.started(Self.game))
        #expect(back == [])
        var late = Bench { $0.allowedApps = [] }
        _ = late.take(.found([], isReachable: false))
        late.connect()
        let told = late.take(.started(Self.game))
        #expect(told == [])
        _ = late.take(.reached)
        let new = late.take(.started(Self.film))
        #expect(new == [.stop(Self.film, .notAllowed)])
    }

    @Test func whatWasStartedBySendersIsJudgedWhenTheyAreGone() {
        var bench = Bench { _ in }
        bench.connect()
        _ = bench.take(.started(Self.game))
        bench.disconnect()
        var rules = WatchRules()
        rules.allowedApps = ["CC1AD845"]
        let actions = bench.take(.rules(rules))
        #expect(actions == [.stop(Self.game, .notAllowed)])
    }

    @Test func anAppThatDoesNotEndIsStoppedAgainAfterAWhile() throws {
        var bench = Bench { $0.allowedApps = [] }
        bench.connect()
        _ = bench.take(.started(Self.game))
        _ = bench.take(.stopAnswered(session: "s-2"))
        let deadline = try #require(bench.machine.nextDeadline)
        #expect(deadline == bench.now + .seconds(10))
        bench.now = deadline
        let actions = bench.take(.timePassed)
        #expect(actions == [.stop(Self.game, .notAllowed)])
    }

    @Test func twoControllersDoNotFight() throws {
        var bench = Bench { $0.allowedApps = [] }
        bench.connect()
        for number in 0..<ActBudget.most {
            let actions = bench.take(.started(Self.app("AAAA0001", "n-\(number)")))
            #expect(actions.count == 1)
            _ = bench.take(.ended(session: "n-\(number)"))
            bench.now = bench.now + .seconds(1)
        }
        let paused = bench.take(.started(Self.game))
        #expect(paused == [.pause(.apps)])
        let silent = bench.take(.volume(0.1))
        #expect(silent == [])
        bench.now = try #require(bench.machine.nextDeadline)
        let free = bench.take(.timePassed)
        #expect(free == [.stop(Self.game, .notAllowed)])
    }

    @Test func theEndOfTheHoursStopsWhatSendersStarted() {
        for stops in [true, false] {
            var bench = Bench { $0.stopsAtEnd = stops }
            _ = bench.take(.started(Self.film))
            bench.connect()
            _ = bench.take(.started(Self.game))
            bench.disconnect()
            let actions = bench.take(.hoursOver)
            #expect(actions == (stops ? [.stop(Self.game, .outsideHours)] : []))
        }
    }

    @Test func theVolumeIsSetBackWhileTheDeviceIsUsed() {
        var bench = Bench { $0.maximumVolume = 0.6 }
        let unused = bench.take(.volume(0.9))
        #expect(unused == [])
        let lowered = bench.take(.connected(ConnectionID(rawValue: 1), address: "10.20.0.7"))
        #expect(lowered == [.lowerVolume(from: 0.9, to: 0.6)])
        // The device says so before the answer, and once more.
        let told = bench.take(.volume(0.6)) + bench.take(.volumeAnswered) + bench.take(.volume(0.6))
        #expect(told == [])
        let louder = bench.take(.volume(0.7))
        #expect(louder == [.lowerVolume(from: 0.7, to: 0.6)])
        let fixed = bench.take(.volumeAnswered) + bench.take(.volume(nil))
        #expect(fixed == [])
    }

    @Test func whatADeviceWithCoarseStepsMakesOfALevelIsLetBe() {
        var bench = Bench { $0.maximumVolume = 0.6 }
        bench.connect()
        _ = bench.take(.volume(1))
        let coarse = bench.take(.volume(0.625)) + bench.take(.volumeAnswered) + bench.take(.volume(0.625))
        #expect(coarse == [])
        let louder = bench.take(.volume(0.75))
        #expect(louder == [.lowerVolume(from: 0.75, to: 0.6)])
    }

    @Test func aDeviceThatStaysLoudIsLetBeForAWhile() {
        var bench = Bench { $0.maximumVolume = 0.5 }
        bench.connect()
        for _ in 0..<ActBudget.most {
            let lowered = bench.take(.volume(1))
            #expect(lowered == [.lowerVolume(from: 1, to: 0.5)])
            _ = bench.take(.volumeAnswered)
        }
        let paused = bench.take(.volume(1))
        #expect(paused == [.pause(.volume)])
        bench.now = bench.now + ActBudget.window
        let free = bench.take(.timePassed)
        #expect(free == [.lowerVolume(from: 1, to: 0.5)])
    }

    @Test func itIsKnownWhoWasThereWhenAnAppStarted() {
        var bench = Bench { _ in }
        bench.connect(1, "10.20.0.7")
        bench.connect(2, "10.20.0.8")
        _ = bench.take(.started(Self.film))
        bench.disconnect(2)
        _ = bench.take(.started(Self.game))
        #expect(bench.machine.sessions(beside: "10.20.0.7") == ["s-1", "s-2"])
        #expect(bench.machine.sessions(beside: "10.20.0.8") == ["s-1"])
        #expect(bench.machine.sessions(beside: "10.20.0.9") == [])
    }

    /// The guest who started it has gone, and another one has stayed with it: it is that one's now.
    @Test func whoCameToAnAppIsKnownToo() {
        var bench = Bench { _ in }
        _ = bench.take(.started(Self.game))
        bench.connect(1, "10.20.0.7")
        _ = bench.take(.started(Self.film))
        bench.connect(2, "10.20.0.8")
        bench.disconnect(1)
        #expect(bench.machine.sessions(beside: "10.20.0.8") == ["s-1"])
        _ = bench.take(.ended(session: "s-1"))
        bench.connect(3, "10.20.0.9")
        #expect(bench.machine.sessions(beside: "10.20.0.9") == [])
    }

    @Test func whatIsKnownIsBounded() {
        var bench = Bench { _ in }
        bench.connect()
        for number in 0..<1000 { _ = bench.take(.started(Self.app("AAAA0001", "n-\(number)"))) }
        #expect(bench.machine.sessions(beside: "10.20.0.7").count == 32)
    }
}
