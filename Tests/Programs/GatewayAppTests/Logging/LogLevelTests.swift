import GatewayConfig
import Logging
import Testing

@testable import GatewayLogging
@testable import GatewaySettings

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

    @Test(arguments: LogConfiguration.Level.allCases.filter { $0 != .off })
    func everyLevelOfTheFileIsALevelOfLoggers(level: LogConfiguration.Level) {
        let logger = self.recorder.logger("Gateway", LogConfiguration { $0.level = level })
        #expect(logger.logLevel.rawValue == level.rawValue)
    }

    @Test func offIsSilence() {
        let logger = self.recorder.logger(
            "Gateway",
            LogConfiguration {
                $0.level = .trace
                $0.levels = [LogLevelRule(components: "Gateway", level: .off)]
            })
        for level in Logger.Level.allCases { logger.log(level: level, "x") }
        #expect(self.recorder.lines.isEmpty)
    }

    @Test(arguments: [
        ("GCKDiscoveryManager", "Discovery", true), ("GCKDiscoveryManager", "Gateway", false),
        ("GCKUI*", "API", true), ("GCKUI*", "DeviceSession", false), ("GCK*Session", "DeviceSession", true),
        ("GCKCast?hannel", "Handlers", true), ("NSMutableDictionary", "VirtualDevice", true),
        ("G*", "Gateway", true), ("G*", "Discovery", false), ("gckdiscoverymanager", "Discovery", false),
    ])
    func classesOfTheSDKsStandForComponents(pattern: String, component: String, isMeant: Bool) {
        #expect(Glob(pattern).means(component: component) == isMeant)
    }

    @Test func functionsHaveLevelsBeforeTheirComponents() {
        let logger = self.recorder.logger(
            "Gateway",
            LogConfiguration {
                $0.level = .warning
                $0.functions = [
                    LogFunctionRule(functions: "LogLevelTests.quiet", level: .off),
                    LogFunctionRule(functions: "loud", level: .trace),
                ]
            })
        func log(_ message: Logger.Message, _ level: Logger.Level, in function: String) {
            logger.log(level: level, message, function: function)
        }
        log("1", .trace, in: "loud(_:)")
        log("2", .info, in: "other()")
        log("3", .warning, in: "other()")
        log("4", .critical, in: "quiet(in:)")
        #expect(self.recorder.lines.map { $0.contains(#""msg":"1""#) } == [true, false])
        #expect(self.recorder.lines.last?.contains(#""msg":"3""#) == true)
    }

    @Test func messagesArePickedByExpressions() {
        func lines(_ patterns: [LogPattern]) -> Int {
            let recorder = LineRecorder()
            let logger = recorder.logger("Gateway", LogConfiguration { $0.patterns = patterns })
            for message in ["Launch of CC1AD845", "launch refused", "Heartbeat"] { logger.info("\(message)") }
            return recorder.lines.count
        }
        var launch = LogPattern(regex: "^Launch")
        #expect(lines([]) == 3)
        #expect(lines([launch]) == 1)
        launch.ignoresCase = true
        #expect(lines([launch]) == 2)
        #expect(lines([launch, LogPattern(regex: "beat$")]) == 3)
        var refused = LogPattern(regex: "refused")
        refused.isExcluding = true
        #expect(lines([refused]) == 2)
        #expect(lines([launch, refused]) == 1)
    }

    @Test func aListOfNamesIsShortForDebug() throws {
        let result = GatewayConfiguration.load(
            path: "gateway.yaml",
            fileSystem: .memory(["gateway.yaml": "version: 1\nlog: {level: off, levels: [\"GCKUI*\", Discovery]}\n"]),
            environment: [:])
        let log = try #require(result.configuration).log
        #expect(log.level == .off)
        #expect(
            log.levels == [
                LogLevelRule(components: "GCKUI*", level: .debug), LogLevelRule(components: "Discovery", level: .debug),
            ])
    }
}
