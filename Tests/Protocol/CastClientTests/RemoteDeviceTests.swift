import CastWire
import CastwayTestSupport
import GatewayApp
import GatewayCore
import GatewayFixtures
import Synchronization
import Testing

@testable import CastClient

@Suite(.timeLimit(.minutes(2))) struct RemoteDeviceTests {
    private static func withHall(_ body: @escaping @Sendable (RemoteDevice) async throws -> Void) async throws {
        try await RunningGateway.with(.hallAndOffice) { gateway in
            let device = try await RemoteDevice.connect(host: "127.0.0.1", port: gateway.ports["hall"] ?? 0)
            try await body(device)
            await device.close()
        }
    }

    /// What the media client of the outline in ``RemoteDevice`` does.
    @Test func aFilmIsLoadedWaitedForAndStopped() async throws {
        try await Self.withHall { device in
            let app = try await device.run(.defaultMediaReceiver)
            let media = try await app.media()
            var film = MediaInformation()
            film.contentURL = "http://192.0.2.9/film.mp4"
            film.contentType = "video/mp4"
            film.duration = 600
            try await media.perform(.load(film))
            let playing = try await media.wait(for: .seconds(20)) { $0.playerState == .playing }
            #expect(playing.media?.contentURL == "http://192.0.2.9/film.mp4")
            let error = await #expect(throws: RequestError.self) {
                try await media.wait(for: .milliseconds(10)) { $0.playerState == .paused }
            }
            #expect(error?.code == .timeout)
            try await media.perform(.stop())
            try await app.stop()
            #expect(await app.end().code == .applicationNotRunning)
            let gone = await #expect(throws: RequestError.self) { try await media.perform(.play()) }
            #expect(gone?.code == .applicationNotRunning)
            let ended = await #expect(throws: RequestError.self) { try await app.media() }
            #expect(ended?.code == .applicationNotRunning)
            let never = await #expect(throws: RequestError.self) {
                try await media.wait(for: .seconds(600)) { $0.playerState == .playing }
            }
            #expect(never?.code == .sessionNotActive)
        }
    }

    @Test func anAppsOwnMessagesAreRead() async throws {
        try await Self.withHall { device in
            let app = try await device.run(.defaultMediaReceiver)
            let said = await app.messages(in: .media)
            try await app.send(.json(["type": "GET_STATUS", "requestId": 77]), in: .media)
            var types: [String?] = []
            for await message in said {
                types.append(PayloadSummary(peeking: message.payload).type)
                break
            }
            #expect(types == ["MEDIA_STATUS"])
            try await app.stop()
            #expect(await app.end().code == .applicationNotRunning)
            let none = await app.messages(in: .media)
            for await _ in none { Issue.record("the app is gone") }
        }
    }

    @Test func theEndOfTheChannelIsThatOfItsApps() async throws {
        try await Self.withHall { device in
            let app = try await device.run(.defaultMediaReceiver)
            await device.close()
            #expect(await app.end() == .disconnected("the sender is done"))
            let error = await #expect(throws: RequestError.self) { try await app.media() }
            #expect(error?.code == .disconnected)
        }
    }

    /// The task that waits for an answer ends the wait.
    @Test func aRequestEndsWithItsTask() async throws {
        try await Self.withHall { device in
            let code = await withTaskGroup(of: CastErrorCode?.self) { group in
                group.addTask {
                    do throws(RequestError) {
                        // The device leaves the launch of this app unanswered.
                        _ = try await device.request(
                            ["type": "LAUNCH", "appId": "00000002"], in: .receiver, to: .platformReceiver)
                        return nil
                    } catch {
                        return error.code
                    }
                }
                group.cancelAll()
                return await group.next() ?? nil
            }
            #expect(code == .cancelled)
        }
    }

    /// Tells of each launch that reaches the device.
    private final class LaunchWitness: MessageHandler {
        let name = "witness"
        let claims = [Claim(.exact(.receiver), phase: .filter, types: ["LAUNCH"])]
        let launches = Inbox<String>()

        func handle(_ message: RoutedMessage, in context: HandlerContext) -> Verdict {
            self.launches.put("LAUNCH")
            return .pass
        }
    }

    @Test func aStartEndsWithItsTask() async throws {
        try await RunningGateway.with(.hallAndOffice) { gateway in
            let witness = LaunchWitness()
            try gateway.gateway.registry.register(witness)
            let device = try await RemoteDevice.connect(host: "127.0.0.1", port: gateway.port("hall"))
            let launch = Task { () -> CastErrorCode? in
                do throws(RequestError) {
                    // The device leaves the launch of this app unanswered.
                    _ = try await device.run("00000002")
                    return nil
                } catch {
                    return error.code
                }
            }
            #expect(await witness.launches.next() == "LAUNCH")
            launch.cancel()
            #expect(await launch.value == .cancelled)
            // The device goes on.
            #expect(try await device.run(.defaultMediaReceiver).application.appID == .defaultMediaReceiver)
            await device.close()
        }
    }

    /// Cancels the first launches that it hears of, as devices do that are just leaving another app.
    private final class Canceller: MessageHandler {
        let name = "canceller"
        let claims = [Claim(.exact(.receiver), phase: .filter, types: ["LAUNCH"])]
        private let left: Mutex<Int>

        init(count: Int) {
            self.left = Mutex(count)
        }

        func handle(_ message: RoutedMessage, in context: HandlerContext) -> Verdict {
            let isCancelled = self.left.withLock { left in
                left -= 1
                return left >= 0
            }
            return isCancelled ? .reject(Rejection(reason: "CANCELLED")) : .pass
        }
    }

    @Test(arguments: [1, 2])
    func aCancelledLaunchIsTriedOnceMore(count: Int) async throws {
        try await RunningGateway.with(.hallAndOffice) { gateway in
            try gateway.gateway.registry.register(Canceller(count: count))
            let device = try await RemoteDevice.connect(
                host: "127.0.0.1", port: gateway.port("hall"), options: SenderOptions(relaunchPause: .milliseconds(1)))
            if count == 1 {
                let app = try await device.run(.defaultMediaReceiver)
                #expect(app.application.appID == .defaultMediaReceiver)
            } else {
                let error = await #expect(throws: RequestError.self) { try await device.run(.defaultMediaReceiver) }
                #expect(error?.code == .launchCancelled)
                #expect(error?.message == "the device does not launch app CC1AD845: CANCELLED")
            }
            await device.close()
        }
    }

    @Test func anAppThatRunsIsJoined() async throws {
        try await Self.withHall { device in
            let first = try await device.run(.defaultMediaReceiver)
            let second = try await device.run(.defaultMediaReceiver)
            #expect(first.transportID == second.transportID)
            let joined = try await device.joinMediaApp()
            #expect(joined.transportID == first.transportID)
            #expect(try await device.stop(sessionID: first.application.sessionID).status?.applications == [])
            await #expect(throws: RequestError.noMediaApp) { try await device.joinMediaApp() }
        }
    }

    @Test func volumeChanges() async throws {
        try await Self.withHall { device in
            let louder = try await device.setVolume(ReceiverVolume(level: 0.25))
            #expect(louder.status?.volume?.level == 0.25)
            #expect(try await device.setVolume(ReceiverVolume(muted: true)).status?.volume?.muted == true)
        }
    }

    @Test func refusalsHaveTheDevicesWords() async throws {
        try await Self.withHall { device in
            let notAllowed = await #expect(throws: RequestError.self) { try await device.run("00000001") }
            #expect(notAllowed?.message == "the device does not launch app 00000001: USER_NOT_ALLOWED")
            #expect(notAllowed?.code == .notAllowed && notAllowed?.reason == "USER_NOT_ALLOWED")
            let unknown = await #expect(throws: RequestError.self) { try await device.run("FFFFFFFF") }
            #expect(unknown?.message == "the device does not launch app FFFFFFFF: NOT_FOUND")
            #expect(unknown?.code == .applicationNotFound)
        }
    }

    @Test func anAnswerThatNeverComesIsATimeout() async throws {
        try await RunningGateway.with(.hallAndOffice) { gateway in
            let timeout = Duration.milliseconds(50)
            let device = try await RemoteDevice.connect(
                host: "127.0.0.1", port: gateway.ports["hall"] ?? 0, options: SenderOptions(startTimeout: timeout))
            await #expect(throws: RequestError.timedOut("LAUNCH", after: timeout)) {
                try await device.run("00000002")
            }
            await device.close()
        }
    }

    @Test func customMessagesComeBack() async throws {
        try await Self.withHall { device in
            let app = try await device.run("ABCD1234")
            let answer = try await device.exchange(
                .text(#"{"hello":1}"#), in: "urn:x-cast:com.example.echo", to: app.transportID)
            #expect(answer.payload.text == #"{"hello":1}"#)
        }
    }

    @Test func anEndThatIsNotThereClosesTheConnection() async throws {
        try await Self.withHall { device in
            await device.open("nowhere")
            await #expect(throws: RequestError.connectionClosed("nowhere")) {
                try await device.request(["type": "GET_STATUS"], in: .media, to: "nowhere")
            }
        }
    }

    @Test func whatOthersDoIsHeard() async throws {
        try await RunningGateway.with(.hallAndOffice) { gateway in
            let port = gateway.ports["hall"] ?? 0
            let listener = try await RemoteDevice.connect(host: "127.0.0.1", port: port)
            try await listener.status()
            let other = try await RemoteDevice.connect(host: "127.0.0.1", port: port)
            try await other.setVolume(ReceiverVolume(level: 0.125))
            for try await message in listener.messages {
                if ReceiverStatusPayload(message.payload)?.status?.volume?.level == 0.125 { break }
            }
            await other.close()
            await listener.close()
        }
    }

    @Test func afterTheEndNothingIsAnswered() async throws {
        try await Self.withHall { device in
            await device.close()
            await #expect(throws: RequestError.disconnected("the sender is done")) {
                try await device.status()
            }
        }
    }

    @Test func whatDoesNotFitIsNotSent() async throws {
        try await Self.withHall { device in
            let payload = CastMessage.Payload.text(String(repeating: "a", count: 65_000))
            await #expect(throws: RequestError.messageTooLong(bytes: 65_000)) {
                try await device.send(payload, in: .receiver, to: .platformReceiver)
            }
        }
    }

    @Test func nobodyThereIsUnreachable() async throws {
        let port = try FreePort.next()
        await #expect(
            throws: RequestError.unreachable("127.0.0.1:\(port)", reason: "Connection refused")
        ) {
            try await RemoteDevice.connect(host: "127.0.0.1", port: port)
        }
        await #expect(throws: RequestError.self) {
            try await RemoteDevice.connect(host: "nobody.invalid", port: port)
        }
    }
}
