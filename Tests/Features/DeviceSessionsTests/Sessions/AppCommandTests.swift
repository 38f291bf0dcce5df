import CastClient
import CastWire
import CastwayTestSupport
import GatewayCore
import Synchronization
import SystemPrimitives
import Testing

@testable import DeviceSessions

/// Commands to the app on a device, which find their session, are sent and are answered in one call.
@Suite(.timeLimit(.minutes(1))) struct AppCommandTests {
    private static let film = MediaCommand.load(LoadRequest(json: ["media": ["contentId": "film"]]))
    private static let quiz: Namespace = "urn:x-cast:com.example.quiz"

    private let bench = CastSessionTests()

    private func next(_ type: String, _ device: FakeDevice) async throws -> CastMessage {
        try #require(
            await device.events.next {
                if case .message(_, let message) = $0, message.type == type { message } else { nil }
            })
    }

    private func failure(_ body: () async throws -> Void) async -> AppCommandFailure? {
        do {
            try await body()
            return nil
        } catch {
            return error as? AppCommandFailure
        }
    }

    @Test func aCommandJoinsTheAppAndIsAnsweredWithTheMediaAsItIsThen() async throws {
        try await self.bench.with(.usual(.playing)) { directory, device, _ in
            let sent = Mutex(false)
            let trace = CommandTrace(
                request: "r1", onDevice: { _ in }, onSent: { sent.withLock { $0 = true } },
                isSent: { sent.withLock { $0 } })
            async let outcome = CommandTrace.$current.withValue(trace) {
                try await directory.perform(Self.film, on: "tv")
            }
            let load = try await self.next("LOAD", device)
            #expect(load.destination == "web-1")
            #expect(sent.withLock { $0 })
            try await device.say(
                load.reply(json: [
                    "type": "MEDIA_STATUS", "requestId": load.requestID?.json ?? 0,
                    "status": [["mediaSessionId": 7, "playerState": "PLAYING", "media": ["contentId": "film"]]],
                ]))
            let (reply, media) = try await outcome
            #expect(reply.string("type") == "MEDIA_STATUS")
            #expect(media.mediaSessionID == 7)
            #expect(await directory.currentSession(device: "tv")?.number == 1)
        }
    }

    @Test func aCommandThatIsTakenBackEndsAtOnceAndItsSessionStays() async throws {
        try await self.bench.with(.usual(.playing)) { directory, device, _ in
            await withTaskGroup(of: AppCommandFailure?.self) { group in
                group.addTask { await self.failure { _ = try await directory.perform(Self.film, on: "tv") } }
                _ = try? await self.next("LOAD", device)
                group.cancelAll()
                guard case .request(let error)?? = await group.next() else {
                    Issue.record("it was not taken back")
                    return
                }
                #expect(error.code == .cancelled)
            }
            #expect(await directory.currentSession(device: "tv")?.number == 1)
        }
    }

    /// The device may launch the app all the same; the session ends.
    @Test func aStartThatIsTakenBackEndsItsSession() async throws {
        try await self.bench.with(.usual(.idle)) { directory, device, _ in
            await withTaskGroup(of: CastErrorCode?.self) { group in
                group.addTask {
                    do throws(SessionFailure) {
                        _ = try await directory.openSession(
                            device: "tv", .app(.defaultMediaReceiver, LaunchOptions()))
                        return nil
                    } catch {
                        return error.code
                    }
                }
                _ = try? await self.next("LAUNCH", device)
                group.cancelAll()
                #expect(await group.next() == .cancelled)
            }
            #expect(await directory.currentSession(device: "tv") == nil)
        }
    }

    @Test func aMessageIsRefusedInANamespaceThatTheAppDoesNotList() async throws {
        try await self.bench.with(.usual(.playing)) { directory, _, _ in
            let refused = await self.failure {
                _ = try await directory.send(
                    .json(["type": "HELLO"]), in: Self.quiz, to: "tv", from: MessageOrigin("api-test", from: .api),
                    wait: nil)
            }
            guard case .gateway(let error) = refused else {
                Issue.record("it was not refused")
                return
            }
            #expect(error.code == .unsupportedNamespace)
        }
    }

    @Test func aDeviceThatIsNotKnownIsNotReached() async throws {
        try await self.bench.with(.usual(.playing)) { directory, _, _ in
            let unknown = await self.failure { _ = try await directory.perform(Self.film, on: "nowhere") }
            guard case .session(let failure) = unknown else {
                Issue.record("it was reached")
                return
            }
            #expect(failure.code == .deviceNotConnected)
            #expect(failure.message == "it is not known where nowhere is")
        }
    }
}
