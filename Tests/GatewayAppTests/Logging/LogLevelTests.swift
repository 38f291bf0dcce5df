import GatewayConfig
import Logging
import Testing

@testable import GatewayApp

@Suite struct LogLevelTests {
    let recorder = LineRecorder()

    @Test(arguments: [
        ("DeviceSession", Logger.Level.debug), ("VirtualDevice", .error), ("Gateway", .warning),
        ("DeviceSession.kitchen", .trace),
    ])
    func theFirstRuleThatMatchesDecides(component: String, level: Logger.Level) {
        let configuration = LogConfiguration {
            $0.level = .warning
            $0.levels = [
                LogLevelRule(components: Glob("DeviceSession"), level: .debug),
                LogLevelRule(components: Glob("DeviceSession*"), level: .trace),
                LogLevelRule(components: Glob("V*"), level: .error),
                LogLevelRule(components: Glob("VirtualDevice"), level: .trace),
            ]
        }
        #expect(self.recorder.logger(component, configuration).logLevel == level)
    }

    @Test func belowTheLevelNothingIsEvaluated() {
        let logger = self.recorder.logger("Gateway", LogConfiguration { $0.level = .notice })
        var evaluations = 0
        func costly() -> Logger.Message {
            evaluations += 1
            return "costly"
        }
        logger.info(costly())
        logger.notice(costly())
        #expect(evaluations == 1)
        #expect(self.recorder.lines.count == 1)
    }

    @Test(arguments: LogConfiguration.Level.allCases)
    func everyLevelOfTheFileIsALevelOfLoggers(level: LogConfiguration.Level) {
        #expect(LogConfiguration { $0.level = level }.level(of: "Gateway").rawValue == level.rawValue)
    }
}
