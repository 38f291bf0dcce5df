import GatewayConfig
import Logging
import NIOCore
import Testing

@testable import GatewayLogging

@Suite struct LogLevelsStateMachineTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000)
    private let debug = [LogLevelRule(components: Glob("Device*"), level: .debug)]

    private var file: LogConfiguration {
        var log = LogConfiguration()
        log.levels = [LogLevelRule(components: Glob("DeviceSession"), level: .error)]
        return log
    }

    @Test func whatIsSetHoldsForItsTime() {
        var machine = LogLevelsStateMachine(self.file)
        let end = self.start + .seconds(10)
        let actions = machine.handle(.set(self.debug, until: end))
        #expect(actions == [.apply(machine.effective), .wake(at: end)])
        #expect(machine.effective.level(of: "DeviceSession") == .debug)
        #expect(machine.handle(.timePassed(end - .nanoseconds(1))) == [])
        #expect(machine.handle(.timePassed(end)) == [.apply(self.file), .rest])
        #expect(machine.handle(.timePassed(end)) == [])
        #expect(machine.override == nil)
    }

    @Test func aReloadKeepsWhatIsSet() {
        var machine = LogLevelsStateMachine(self.file)
        let end = self.start + .seconds(10)
        _ = machine.handle(.set(self.debug, until: end))
        var other = LogConfiguration()
        other.level = .warning
        #expect(machine.handle(.configured(other)) == [.apply(machine.effective)])
        #expect(machine.effective.level(of: "DeviceSession") == .debug)
        #expect(machine.effective.level(of: "Gateway") == .warning)
        #expect(machine.handle(.timePassed(end)) == [.apply(other), .rest])
    }

    @Test func whatIsSetAnewTakesThePlaceOfTheOld() {
        var machine = LogLevelsStateMachine(self.file)
        _ = machine.handle(.set(self.debug, until: self.start + .seconds(10)))
        let all = [LogLevelRule(components: Glob("*"), level: .trace)]
        _ = machine.handle(.set(all, until: self.start + .seconds(20)))
        // The timer of the first may have fired already.
        #expect(machine.handle(.timePassed(self.start + .seconds(10))) == [])
        #expect(machine.effective.level(of: "Gateway") == .trace)
        #expect(machine.handle(.set([], until: self.start)) == [.apply(self.file), .rest])
    }
}
