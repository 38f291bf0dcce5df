import CastWire
import CastwayTestSupport
import GatewayConfig
import GatewayCore
import Glibc
import Logging
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import GatewayLogging

@Suite struct LogSinkTests {
    private let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    private func settings(_ change: (inout LogConfiguration) -> Void) -> LogSettings {
        LogSettings(LogConfiguration(change), isTerminal: false, isColoured: false) { _ in }
    }

    private func logger(_ settings: LogSettings, _ label: String = "Gateway") -> Logger {
        Logger(label: label, factory: LoggingSetup.factory(settings))
    }

    private func fileSink(
        _ name: String, size: Int = 32 << 10, count: Int = 2, _ change: (inout LogSinkConfiguration) -> Void = { _ in }
    ) -> LogSinkConfiguration {
        LogSinkConfiguration {
            $0.file = LogFileConfiguration(path: self.path(name))
            $0.file?.maximumSize = size
            $0.file?.maximumCount = count
            change(&$0)
        }
    }

    private func path(_ name: String) -> String { "\(self.folder.path)/\(name)" }

    private func text(_ name: String) throws -> String {
        String(decoding: try ConfigFileSystem.disk.read(self.path(name), 1 << 24), as: UTF8.self)
    }

    private func flush(_ settings: LogSettings) {
        for file in settings.files { #expect(file.queue.flush(within: .seconds(30))) }
    }

    // MARK: Whose file it is

    /// A file that another user, or another name, has too is neither appended to nor cut.
    @Test func aFileWithAnotherNameIsLeftAlone() throws {
        try self.folder.write(Array("kept\n".utf8), to: "other")
        #expect(link(self.path("other"), self.path("log")) == 0)
        let check = LogFileCheck().problem(self.path("log"))
        #expect(check?.contains("hard link") == true)
        let settings = self.settings { $0.sinks = [self.fileSink("log")] }
        self.logger(settings).error("Not here")
        self.flush(settings)
        #expect(try self.text("other") == "kept\n")
        var status = stat()
        #expect(stat(self.path("other"), &status) == 0)
        #expect(LogFileCheck.reason(against: status, user: status.st_uid + 1)?.contains("another user") == true)
        status.st_nlink = 1
        #expect(LogFileCheck.reason(against: status, user: status.st_uid) == nil)
    }

    // MARK: Places

    @Test func eachSinkHasALevelAndAShapeOfItsOwn() throws {
        let lines = Mutex<[String]>([])
        let configuration = LogConfiguration {
            $0.level = .debug
            $0.sinks = [
                LogSinkConfiguration {
                    $0.console = true
                    $0.level = .warning
                },
                self.fileSink("all.log") { $0.format = .text },
                self.fileSink("errors.log") {
                    $0.level = .error
                    $0.origin = .location
                },
                self.fileSink("none.log") { $0.level = .off },
            ]
        }
        let settings = LogSettings(configuration, isTerminal: false, isColoured: false) { line in
            lines.withLock { $0.append(line) }
        }
        let logger = self.logger(settings)
        logger.debug("one", metadata: ["token": "s3cret"])
        logger.warning("two")
        logger.error("three")
        logger.trace("never")
        self.flush(settings)
        #expect(lines.withLock { $0.count } == 2)
        let all = try self.text("all.log")
        #expect(all.split(separator: "\n").count == 3)
        #expect(all.contains("debug   Gateway  one  token=«redacted»"))
        let errors = try self.text("errors.log")
        #expect(errors.contains(#""msg":"three""#) && errors.contains(#""location":"LogSinkTests:"#))
        #expect(errors.split(separator: "\n").count == 1)
        #expect(try self.text("none.log").isEmpty)
    }

    @Test func theConsoleCanBeSwitchedOffAndOnAgain() {
        let lines = Mutex(0)
        let settings = LogSettings(
            LogConfiguration { $0.sinks = [LogSinkConfiguration { $0.console = false }] }, isTerminal: false,
            isColoured: false
        ) { _ in lines.withLock { $0 += 1 } }
        let logger = self.logger(settings)
        logger.error("one")
        #expect(lines.withLock { $0 } == 0)
        settings.apply(LogConfiguration())
        logger.info("two")
        #expect(lines.withLock { $0 } == 1)
    }

    // MARK: Files

    @Test func aFullFileIsPutAsideAndTheOldestGoes() throws {
        let settings = self.settings { $0.sinks = [self.fileSink("a.log", count: 3)] }
        let logger = self.logger(settings)
        let filler = String(repeating: "x", count: 900)
        for number in 0..<200 {
            logger.info("\(filler)", metadata: ["n": .stringConvertible(number)])
        }
        self.flush(settings)
        var numbers: [Int] = []
        for name in ["a.log.2", "a.log.1", "a.log"] {
            let text = try self.text(name)
            #expect(text.utf8.count <= 32 << 10)
            #expect(text.hasSuffix("\n"))
            for line in text.split(separator: "\n") {
                let json = try JSONReader.read(String(line))
                numbers.append(try #require(json.objectValue?.int("n")))
            }
        }
        #expect(numbers == Array((200 - numbers.count)..<200))
        #expect(numbers.count > 64)
        #expect(access(self.path("a.log.3"), F_OK) != 0)
        #expect(ConfigFileSystem.disk.permissions(self.path("a.log")) == 0o640)
        // Fewer are kept from now on.
        settings.apply(LogConfiguration { $0.sinks = [self.fileSink("a.log", count: 2)] })
        self.flush(settings)
        #expect(access(self.path("a.log.2"), F_OK) != 0)
        #expect(access(self.path("a.log.1"), F_OK) == 0)
    }

    @Test func applyingTheSameAgainFollowsARename() throws {
        let configuration = LogConfiguration { $0.sinks = [self.fileSink("a.log")] }
        let settings = LogSettings(configuration, isTerminal: false, isColoured: false) { _ in }
        let logger = self.logger(settings)
        logger.info("before")
        self.flush(settings)
        #expect(rename(self.path("a.log"), self.path("old.log")) == 0)
        settings.apply(configuration)
        logger.info("after")
        self.flush(settings)
        #expect(try self.text("old.log").contains("before"))
        let text = try self.text("a.log")
        #expect(text.contains("after") && !text.contains("before"))
    }

    @Test func aFileThatCannotBeWrittenToCostsLinesWhichAreCounted() throws {
        let lines = Mutex<[String]>([])
        #expect(mkdir(self.path("gone"), 0o700) == 0)
        let settings = LogSettings(
            LogConfiguration { $0.sinks = [self.fileSink("gone/a.log")] }, isTerminal: false, isColoured: false
        ) { line in lines.withLock { $0.append(line) } }
        let logger = self.logger(settings)
        logger.info("one")
        self.flush(settings)
        #expect(unlink(self.path("gone/a.log")) == 0)
        #expect(rmdir(self.path("gone")) == 0)
        settings.apply(LogConfiguration { $0.sinks = [self.fileSink("gone/a.log")] })
        for _ in 0..<3 { logger.info("lost") }
        self.flush(settings)
        #expect(settings.files.first?.queue.lostCount == 3)
        // Told once, in the other places.
        #expect(lines.withLock { $0.count { $0.contains("A file of the log cannot be written to") } } == 1)
        #expect(mkdir(self.path("gone"), 0o700) == 0)
        logger.info("again")
        self.flush(settings)
        let text = try self.text("gone/a.log")
        #expect(text.contains(#""msg":"again""#) && text.contains(#""component":"Log","lines":3"#))
        #expect(lines.withLock { $0.count { $0.contains("can be written to again") } } == 1)
    }

    @Test func aLinkAndAPipeAreRefused() throws {
        #expect(symlink("/dev/null", self.path("link.log")) == 0)
        #expect(mkfifo(self.path("pipe.log"), 0o600) == 0)
        for name in ["link.log", "pipe.log"] {
            let settings = self.settings { $0.sinks = [self.fileSink(name)] }
            self.logger(settings).info("x")
            self.flush(settings)
            #expect(settings.files.first?.queue.lostCount == 1, "\(name)")
        }
    }

    @Test func aLineThatAFullDiskRefusesIsCounted() throws {
        let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
        try #require(full >= 0)
        defer { close(full) }
        let queue = LineQueue(descriptor: full)
        queue.write("x\n")
        #expect(queue.flush(within: .seconds(30)))
        #expect(queue.lostCount == 1)
    }

    // MARK: Events

    @Test func recordsBecomeEventsForReadersThatWantThem() {
        let loop = EmbeddedEventLoop()
        let events = Mutex<[GatewayEvent]>([])
        let isWanted = Mutex(false)
        let now = Mutex(NIODeadline.uptimeNanoseconds(10_000_000_000))
        let queue = LogEventQueue(now: { now.withLock { $0 } })
        queue.attach(
            { event in events.withLock { $0.append(event) } }, on: loop, isWanted: { isWanted.withLock { $0 } })
        func write(_ message: String, _ component: String = "Gateway") {
            queue.write(
                LogRecord(
                    instant: LogInstant(seconds: 0, milliseconds: 7), level: .info, component: component,
                    message: message, fields: [("a", 1)]), origin: .none)
        }
        write("unread")
        isWanted.withLock { $0 = true }
        write("one")
        for component in LogEventQueue.silent { write("loop", component) }
        #expect(events.withLock { $0.isEmpty })
        loop.run()
        #expect(
            events.withLock { $0 } == [
                .logRecord([
                    "level": "info", "component": "Gateway", "message": "one", "time": "1970-01-01T00:00:00.007Z",
                    "fields": ["a": 1],
                ])
            ])
        for number in 0..<LogEventQueue.recordsPerSecond + 9 { write("\(number)") }
        loop.run()
        #expect(events.withLock { $0.count } == LogEventQueue.recordsPerSecond)
        now.withLock { $0 = $0 + .seconds(1) }
        write("later")
        loop.run()
        #expect(events.withLock { $0.last }.map { "\($0)".contains("left_out") } == true)
        queue.attach(nil)
        write("off")
        loop.run()
        #expect(events.withLock { $0.count } == LogEventQueue.recordsPerSecond + 1)
    }

    // MARK: Origins

    @Test(arguments: [
        (LogConfiguration.Origin.none, "Gateway  Up"), (.function, "Gateway  run(_:) - Up"),
        (.location, "Gateway  CastSession(Reload):7: run(_:) - Up"),
        (.trailing, "Gateway  run(_:) - Up, CastSession(Reload):7"),
    ])
    func linesSayWhereTheyWereMade(origin: LogConfiguration.Origin, text: String) {
        let recorder = LineRecorder()
        let logger = recorder.logger(
            "Gateway",
            LogConfiguration {
                $0.origin = origin
                $0.format = .text
            })
        logger.log(
            level: .info, "Up", file: "DeviceSessions/CastSession+Reload.swift", function: "run(_:)", line: 7)
        #expect(recorder.lines.first?.hasSuffix("\(text)\n") == true, "\(recorder.lines)")
    }

    @Test func jsonHasTheOriginInMembersThatNothingCanForge() {
        let recorder = LineRecorder()
        let logger = recorder.logger("Gateway", LogConfiguration { $0.origin = .trailing })
        logger.log(
            level: .info, "Up", metadata: ["function": "forged"], file: "GatewayApp/Gateway.swift",
            function: "run()", line: 3)
        #expect(
            recorder.lines.first?.contains(
                #""function":"run()","location":"Gateway:3","meta.function":"forged""#) == true, "\(recorder.lines)")
    }
}
