import Testing

@testable import PluginHosting

@Suite struct PluginRunStateMachineTests {
    private typealias Action = PluginRunStateMachine.Action
    private typealias Event = PluginRunStateMachine.Event

    /// A machine after these events.
    private static func machine(_ events: [Event]) -> PluginRunStateMachine {
        var machine = PluginRunStateMachine()
        for event in events { _ = machine.handle(event) }
        return machine
    }

    @Test func aPluginIsInitializedAdmittedAndStarted() {
        var machine = Self.machine([.opened(.process), .opened(.wire)])
        #expect(machine.handle(.initialized) == [.reach(.initialized)])
        #expect(!machine.mayAsk)
        #expect(machine.handle(.admitted) == [.reach(.admitted)])
        #expect(machine.mayAsk)
        #expect(!machine.wasReady)
        #expect(machine.handle(.started) == [.reach(.ready), .announceReady])
        #expect(machine.wasReady)
    }

    @Test func admissionMayComeFirst() {
        var machine = Self.machine([.admitted])
        #expect(!machine.mayAsk)
        _ = machine.handle(.initialized)
        #expect(machine.mayAsk)
    }

    @Test func theEndAnswersAllWhoWait() {
        var machine = Self.machine([.opened(.process), .opened(.wire), .initialized])
        let end = PluginEnd.exited(3)
        #expect(
            machine.handle(.closed(end)) == [
                .closeWire, .miss(.admitted, reason: end.description), .miss(.ready, reason: end.description),
                .reach(.disconnected), .reach(.ended), .announceEnd(end),
            ])
    }

    @Test func aProcessWhoseWireIsCutIsKilled() {
        var machine = Self.machine([.opened(.process), .opened(.wire)])
        #expect(
            machine.handle(.disconnected(reason: "cut"))
                == [.killProcess, .reach(.disconnected)]
                + [.initialized, .admitted, .ready].map { .miss($0, reason: "cut") })
        var socket = Self.machine([.opened(.listener), .opened(.wire), .initialized, .admitted])
        #expect(
            socket.handle(.disconnected(reason: "cut")) == [.reach(.disconnected), .miss(.ready, reason: "cut")])
        // What was answered before the cut makes it ready no more.
        #expect(socket.handle(.started) == [])
    }

    @Test func theFirstReasonOfTheGatewayCountsAndThenTheLaunchers() {
        var machine = Self.machine([.opened(.process), .reported(.killed("too much memory")), .reported(.signalled(9))])
        #expect(machine.end == .failed("it was killed: too much memory"))
        let reason = "a flood"
        #expect(
            machine.handle(.failed(.failed(reason))) == [
                .killProcess, .closeListener, .miss(.initialized, reason: reason), .miss(.admitted, reason: reason),
                .miss(.ready, reason: reason),
            ])
        _ = machine.handle(.failed(.failed("later")))
        #expect(machine.end == .failed("a flood"))
    }

    @Test func aPluginThatIsGivenUpIsNotReadyAnyMore() {
        var machine = Self.machine([.opened(.process), .initialized, .admitted, .failed(.failed("too late"))])
        #expect(machine.handle(.started) == [])
        #expect(!machine.wasReady)
    }

    @Test(arguments: [
        (LauncherReport.exited(2), PluginEnd.exited(2)), (.signalled(11), .signalled(11)),
        (.failed("no memory"), .failed("it cannot be started: no memory")),
    ])
    func theLauncherSaysHowItEnded(_ report: LauncherReport, _ end: PluginEnd) {
        #expect(Self.machine([.opened(.process), .reported(report)]).end == end)
    }

    @Test func aRunWithoutAProcessEndsWithItsWire() {
        var machine = Self.machine([.opened(.listener), .opened(.wire), .initialized, .admitted])
        #expect(
            machine.handle(.endRequested)
                == [.closeWire, .closeListener, .miss(.ready, reason: "it was ended")])
        #expect(machine.handle(.opened(.listener)) == [.closeListener])
    }
}
