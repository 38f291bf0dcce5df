import CastClient
import CastWire
import CastwayTestSupport
import GatewayConfig
import GatewayCore
import NIOCore
import Testing

@testable import DeviceSessions

/// What callers find when others start, suspend and end sessions with the same device.
@Suite(.timeLimit(.minutes(1))) struct SessionTargetTests {
    private static let player = SessionTarget.app(.defaultMediaReceiver, LaunchOptions())
    private static let quiz = ReceiverStatus(
        application: ReceiverApplication(
            appID: "ABCD1234", displayName: "Quiz", sessionID: "session-7", transportID: "web-7",
            namespaces: [.media]),
        volume: ReceiverVolume(level: 0.5, muted: false))

    private let bench = CastSessionTests()

    private func launch(_ device: FakeDevice) async throws -> CastMessage {
        try #require(
            await device.events.next {
                if case .message(_, let message) = $0, message.type == "LAUNCH" { message } else { nil }
            })
    }

    /// Has the player run.
    private func start(_ device: FakeDevice, _ launch: CastMessage, on channel: Int = 0) async throws {
        try await device.say(
            .status(.playing),
            launch.reply(ReceiverStatusPayload(.playing, requestID: launch.requestID ?? 0).payload), on: channel)
    }

    private func code(_ body: () async throws -> Void) async -> CastErrorCode? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? SessionFailure)?.code
        }
    }

    // MARK: Sessions that are wanted

    @Test func twoCallersThatWantTheSameAppGetTheSameSession() async throws {
        try await self.bench.with(.usual(.idle)) { directory, device, _ in
            async let first = directory.openSession(device: "tv", Self.player)
            let launch = try await self.launch(device)
            async let second = directory.openSession(device: "tv", Self.player)
            async let control = directory.controlSession(device: "tv")
            // The device is asked behind what the two others do first.
            _ = try await directory.ask(["type": "GET_STATUS"], in: .receiver, of: "tv")
            try await self.start(device, launch)
            let sessions = try await [first.number, second.number, control.number]
            #expect(sessions == [1, 1, 1])
        }
    }

    @Test func anotherAppTakesThePlaceOfOneThatIsBeingStarted() async throws {
        try await self.bench.with(.usual(.idle)) { directory, device, _ in
            async let first = self.code { _ = try await directory.openSession(device: "tv", Self.player) }
            _ = try await self.launch(device)
            async let second = directory.openSession(device: "tv", .app("ABCD1234", LaunchOptions()))
            let launch = try await self.launch(device)
            try await device.say(
                .status(Self.quiz),
                launch.reply(ReceiverStatusPayload(Self.quiz, requestID: launch.requestID ?? 0).payload))
            #expect(try await second.facts.sessionID == "session-7")
            #expect(await first == .cancelled)
        }
    }

    @Test func aSessionWhoseDeviceIsAwayForAMomentIsResumed() async throws {
        try await self.bench.with(.usual(.playing)) { directory, device, events in
            let session = try await directory.startSession(device: "tv", app: .defaultMediaReceiver)
            try await device.hangUp()
            for await event in events.events { if case .deviceOffline = event { break } }
            let again = try await directory.openSession(device: "tv", Self.player)
            #expect(again.number == session.number)
            #expect(try await again.facts.state == .connected)
        }
    }

    @Test func aSuspendedSessionIsResumedAndStaysForWhatCannotBeJoined() async throws {
        try await self.bench.with(.usual(.playing)) { directory, device, _ in
            let session = try await directory.startSession(device: "tv", app: .defaultMediaReceiver)
            try await session.suspend()
            #expect(try await directory.openSession(device: "tv", Self.player).number == session.number)
            try await session.suspend()
            // The device says to the question that something else runs.
            let joined = await self.code {
                _ = try await directory.openSession(device: "tv", .session("session-7"))
            }
            #expect(joined == .joinSessionMismatch)
            #expect(await directory.currentSession(device: "tv")?.number == session.number)
            #expect(try await session.facts.suspendReason == .appBackgrounded)
        }
    }

    @Test func aSessionStaysForOneThatDoesNotRun() async throws {
        try await self.bench.with(.usual(.playing)) { directory, _, _ in
            let session = try await directory.startSession(device: "tv", app: .defaultMediaReceiver)
            let joined = await self.code {
                _ = try await directory.openSession(device: "tv", .session("session-7"))
            }
            #expect(joined == .joinSessionMismatch)
            #expect(try await session.facts.state == .connected)
            // By its own id it is there already.
            #expect(try await directory.openSession(device: "tv", .session("session-1")).number == session.number)
        }
    }

    // MARK: Sessions that are controlled

    @Test func aSuspendedSessionIsNotControlledAndGoesWithItsApp() async throws {
        try await self.bench.with(.usual(Self.quiz)) { directory, device, _ in
            async let starting = directory.openSession(device: "tv", Self.player)
            try await self.start(device, try await self.launch(device))
            let session = try await starting
            try await session.suspend()
            let refused = await self.code { _ = try await directory.controlSession(device: "tv") }
            #expect(refused == .appDidEnterBackground)
            // By now something else runs.
            _ = try await directory.ask(["type": "GET_STATUS"], in: .receiver, of: "tv")
            let next = try await directory.controlSession(device: "tv")
            #expect(next.number != session.number)
            #expect(try await next.facts.sessionID == "session-7")
        }
    }

    // MARK: Ends

    @Test func aResumeOfASessionWhoseDeviceIsAwayEnds() async throws {
        try await self.bench.with(.usual(.playing)) { directory, device, events in
            let session = try await directory.startSession(device: "tv", app: .defaultMediaReceiver)
            try await session.suspend()
            try await device.hangUpFromNowOn()
            for await event in events.events { if case .deviceOffline = event { break } }
            #expect(await self.code { try await session.resume(within: .zero) } == .deviceNotConnected)
            await withTaskGroup(of: CastErrorCode?.self) { group in
                group.addTask { await self.code { try await session.resume(within: .seconds(3600)) } }
                group.cancelAll()
                #expect(await group.next() == .cancelled)
            }
        }
    }

    @Test func theAppOfASuspendedSessionIsStopped() async throws {
        try await self.bench.with(.usual(.playing)) { directory, device, _ in
            let session = try await directory.startSession(device: "tv", app: .defaultMediaReceiver)
            try await session.suspend()
            async let end: Void = session.end(.stop)
            let stop = try #require(
                await device.events.next {
                    if case .message(_, let message) = $0, message.type == "STOP" { message } else { nil }
                })
            #expect(stop.payload.jsonObject?.string("sessionId") == "session-1")
            try await device.say(
                stop.reply(ReceiverStatusPayload(.idle, requestID: stop.requestID ?? 0).payload))
            try await end
            #expect(await directory.currentSession(device: "tv") == nil)
        }
    }

    @Test func whatIsNoSessionYetOrAnyMoreIsNotSuspended() async throws {
        try await self.bench.with(.usual(.idle)) { directory, device, _ in
            async let starting = self.code { _ = try await directory.openSession(device: "tv", Self.player) }
            _ = try await self.launch(device)
            let session = try #require(await directory.currentSession(device: "tv"))
            #expect(await self.code { try await session.suspend() } == .sessionNotActive)
            try await session.end(.leave)
            #expect(await starting == .cancelled)
            #expect(await self.code { try await session.suspend() } == .sessionNotActive)
        }
    }

    // MARK: Devices that are here for a session alone

    /// A device is hung up when the last that it is here for goes; a caller that comes at that moment gets it dialled anew.
    @Test func aCallerGetsNoDeviceThatIsHungUpForGood() async throws {
        try await self.bench.with(.usual(.playing), isConfigured: false) { directory, _, _ in
            let session = try await directory.startSession(device: "radio", app: .defaultMediaReceiver)
            let entry = try #require(directory.entry("radio"))
            #expect(try await entry.submit { $0.hold() })
            try await session.end(.leave)
            #expect(directory.entry("radio") != nil)
            // The end of the device and the start of the next session are in the event loop's queue together.
            entry.execute { $0.release() }
            let next = try await directory.startSession(device: "radio", app: .defaultMediaReceiver)
            #expect(try await next.facts.state == .connected)
            #expect(try await entry.submit { $0.hold() } == false)
        }
    }

    /// The channel stays between the end of one session and the start of the next.
    @Test func oneDialServesACallerThatPutsAnotherSessionInThePlaceOfTheFirst() async throws {
        try await self.bench.with(.usual(.playing), isConfigured: false) { directory, device, _ in
            _ = try await directory.startSession(device: "radio", app: .defaultMediaReceiver)
            let options = LaunchOptions(relaunchesIfRunning: true)
            async let opening = directory.openSession(device: "radio", .app(.defaultMediaReceiver, options))
            let (channel, launch) = try #require(
                await device.events.next {
                    if case .message(let number, let message) = $0, message.type == "LAUNCH" {
                        (number, message)
                    } else {
                        nil
                    }
                })
            #expect(channel == 0)
            try await self.start(device, launch, on: channel)
            #expect(try await opening.facts.state == .connected)
        }
    }
}
