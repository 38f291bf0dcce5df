import CastWire
import CastwayTestSupport
import Foundation
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewayOperations
import Glibc
import NIOCore
import Testing

@testable import GatewayApp

/// Keys of the machine, read from FIFOs that have the records of event devices.
@Suite(.timeLimit(.minutes(1))) struct HostKeysTests {
    /// A FIFO, written by the test.
    private struct Keyboard: ~Copyable {
        let path: String
        private let descriptor: CInt

        init(_ folder: TemporaryFolder, _ name: String = "event0") throws {
            let path = folder.file(name)
            try #require(mkfifo(path, 0o600) == 0)
            let descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
            try #require(descriptor >= 0)
            self.path = path
            self.descriptor = descriptor
        }

        deinit { close(self.descriptor) }

        /// Presses keys, and lets them go.
        func press(_ codes: UInt16...) throws {
            var bytes = ByteBuffer()
            for code in codes {
                bytes.writeImmutableBuffer(
                    InputEventDecoderTests.records([(1, code, 1), (0, 0, 0), (1, code, 0), (0, 0, 0)]))
            }
            let count = bytes.withUnsafeReadableBytes { write(self.descriptor, $0.baseAddress, $0.count) }
            try #require(count == bytes.readableBytes)
        }
    }

    /// The feature with operations that a test sees, and pauses that it ends.
    private static func with(
        _ keys: [HostKeysConfiguration], devices: InputDevices = InputDevices(),
        answers: @escaping @Sendable (OperationName) -> Result<JSONObject, OperationProblem> = { _ in .success([:]) },
        _ body: (HostKeysFeature, Inbox<String>, AsyncStream<Void>.Continuation, GatewayContext) async throws -> Void
    ) async throws {
        var configuration = GatewayConfiguration()
        configuration.hostKeys = keys
        let context = GatewayContext.test(configuration)
        let (pauses, end) = AsyncStream.makeStream(of: Void.self)
        let feature = HostKeysFeature(context, devices: devices) {
            for await _ in pauses { return }
            throw CancellationError()
        }
        let calls = Inbox<String>()
        feature.use(
            KeyActions { name, input in
                calls.put("\(name.rawValue) \(JSONValue.object(input).text)")
                return answers(name)
            })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await feature.run() }
            try await body(feature, calls, end, context)
            end.finish()
            group.cancelAll()
        }
    }

    /// As a reload calls it.
    private static func prepare(
        _ feature: any GatewayFeature, _ change: inout ConfigurationChange
    ) async throws -> PreparedChange? { try await feature.prepare(&change) }

    @Test func keysActOnTheirDevice() async throws {
        try await TemporaryFolder.with { folder in
            let keyboard = try Keyboard(folder)
            try keyboard.press(115)
            let keys = HostKeysConfiguration(input: keyboard.path, device: "hall", step: 0.25)
            try await Self.with([keys]) { feature, calls, _, _ in
                #expect(await calls.next() == #"volume.set {"device":"hall","by":0.25}"#)
                try keyboard.press(113)
                #expect(await calls.next() == #"volume.set {"device":"hall","muted":"toggle"}"#)
                for (code, operation) in [
                    (207, "media.play"), (201, "media.pause"), (166, "media.stop"), (163, "queue.next"),
                    (165, "queue.previous"),
                ] {
                    try keyboard.press(UInt16(code))
                    #expect(await calls.next() == "\(operation) {\"device\":\"hall\"}")
                }
                #expect(await feature.warnings.isEmpty)
            }
        }
    }

    @Test(arguments: [
        ("playing", "media.pause"), ("buffering", "media.pause"), ("paused", "media.play"), ("idle", "media.play"),
    ])
    func oneKeyPlaysAndPauses(state: String, operation: String) async throws {
        try await TemporaryFolder.with { folder in
            let keyboard = try Keyboard(folder)
            try keyboard.press(164)
            let status: @Sendable (OperationName) -> Result<JSONObject, OperationProblem> = { _ in
                .success(["player_state": .string(state)])
            }
            let keys = HostKeysConfiguration(input: keyboard.path, device: "hall")
            try await Self.with([keys], answers: status) { _, calls, _, _ in
                #expect(await calls.next() == #"media.status {"device":"hall"}"#)
                #expect(await calls.next() == "\(operation) {\"device\":\"hall\"}")
            }
        }
    }

    @Test func aRefusalLosesNothingElse() async throws {
        try await TemporaryFolder.with { folder in
            let keyboard = try Keyboard(folder)
            try keyboard.press(163, 165)
            let keys = HostKeysConfiguration(input: keyboard.path, device: "hall")
            let refusing: @Sendable (OperationName) -> Result<JSONObject, OperationProblem> = { _ in
                .failure(.missing("unknown_device", "there is no device 'hall'"))
            }
            try await Self.with([keys], answers: refusing) { _, calls, _, _ in
                #expect(await calls.next() == #"queue.next {"device":"hall"}"#)
                #expect(await calls.next() == #"queue.previous {"device":"hall"}"#)
            }
        }
    }

    @Test func aKeyboardThatIsNotThereIsLookedFor() async throws {
        try await TemporaryFolder.with { folder in
            let keys = HostKeysConfiguration(input: folder.file("event0"), device: "hall")
            try await Self.with([keys]) { feature, calls, pauses, _ in
                let keyboard = try Keyboard(folder)
                try keyboard.press(163)
                // It may have been there at the first look; then nothing is wrong with a second one.
                pauses.yield()
                #expect(await calls.next() == #"queue.next {"device":"hall"}"#)
            }
        }
    }

    @Test func anotherConfigurationEndsTheOld() async throws {
        try await TemporaryFolder.with { folder in
            let first = try Keyboard(folder)
            let second = try Keyboard(folder, "event1")
            let old = HostKeysConfiguration(input: first.path, device: "hall")
            let new = HostKeysConfiguration(input: second.path, device: "office")
            try await Self.with([old]) { feature, calls, pauses, context in
                try first.press(163)
                #expect(await calls.next() == #"queue.next {"device":"hall"}"#)
                var configuration = context.configuration.current
                configuration.hostKeys = [new]
                var change = ConfigurationChange(from: context.configuration.current, to: configuration)
                let prepared = try #require(try await Self.prepare(feature, &change))
                try await prepared.commit()
                try second.press(165)
                pauses.yield()
                #expect(await calls.next() == #"queue.previous {"device":"office"}"#)
                var same = ConfigurationChange(from: configuration, to: configuration)
                let none = try await Self.prepare(feature, &same)
                if none != nil { Issue.record("nothing has changed for the keys") }
            }
        }
    }

    @Test func devicesAreFoundByName() throws {
        let folder = try TemporaryFolder()
        for (entry, name) in [
            ("event2", "Remote"), ("event10", "Remote"), ("event3", "Keyboard"), ("mouse0", "Remote"),
        ] {
            let place = folder.file("sys/class/input/\(entry)/device")
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            try folder.write("\(name)\n", to: "sys/class/input/\(entry)/device/name")
        }
        let devices = InputDevices(root: folder.path)
        let paths = try devices.paths(of: HostKeysConfiguration(name: Glob("Rem*"), device: "hall"))
        #expect(paths == ["event2", "event10"].map { "\(folder.path)/dev/input/\($0)" })
        #expect(throws: InputDevices.Fault.missing("input device called 'Other'")) {
            try devices.paths(of: HostKeysConfiguration(name: Glob("Other"), device: "hall"))
        }
        withExtendedLifetime(folder) {}
    }

    @Test func whatIsNoEventDeviceIsRefused() throws {
        let folder = try TemporaryFolder()
        try folder.write("text", to: "file")
        let devices = InputDevices()
        #expect(throws: InputDevices.Fault.missing(folder.file("nothing"))) { try devices.open(folder.file("nothing")) }
        #expect(throws: InputDevices.Fault.unfit("\(folder.file("file")) is no event device, and no FIFO")) {
            try devices.open(folder.file("file"))
        }
        // No event loop can wait for these.
        for path in ["/dev/null", "/dev/zero"] {
            #expect(throws: InputDevices.Fault.unfit("\(path) is no event device, and no FIFO")) {
                try devices.open(path)
            }
        }
        withExtendedLifetime(folder) {}
    }

    @Test func whatCannotBeReadIsAWarning() async throws {
        let keys = HostKeysConfiguration(name: Glob("No such remote"), device: "hall")
        var configuration = GatewayConfiguration()
        configuration.hostKeys = [keys]
        // Nothing is looked for a second time.
        let folder = try TemporaryFolder()
        let feature = HostKeysFeature(.test(configuration), devices: InputDevices(root: folder.path)) {
            throw CancellationError()
        }
        await feature.run()
        let warnings = await feature.warnings
        #expect(warnings.map(\.code) == [.keysUnusable])
        #expect(
            warnings.first?.text
                == "keys for 'hall' are not read: there is no input device called 'No such remote'")
        withExtendedLifetime(folder) {}
    }

    @Test func keysChangeTheVolumeOfAVirtualDevice() async throws {
        try await TemporaryFolder.with { folder in
            let keyboard = try Keyboard(folder)
            var configuration = GatewayConfiguration.hallAndOffice
            configuration.hostKeys = [HostKeysConfiguration(input: keyboard.path, device: "hall", step: 0.25)]
            try await RunningGateway.with(configuration) { running in
                let events = running.gateway.events.subscribe(seesMessages: false) {
                    if case .receiverStatus("hall", _) = $0 { true } else { false }
                }
                try keyboard.press(113)
                var isMuted: Bool?
                for await event in events.events {
                    guard case .receiverStatus(_, let status) = event else { continue }
                    isMuted = status.object("volume")?.bool("muted")
                    if isMuted == true { break }
                }
                #expect(isMuted == true)
            }
        }
    }
}
