import CastWire
import CastwayTestSupport
import GatewayApp
import GatewayFixtures
import Testing

@testable import CastSender

@Suite(.timeLimit(.minutes(2))) struct RemoteDeviceTests {
    private static let url = "http://192.0.2.9/one.mp4"

    private static func withHall(_ body: @escaping @Sendable (RemoteDevice) async throws -> Void) async throws {
        try await RunningGateway.with(.hallAndOffice) { gateway in
            let device = try await RemoteDevice.connect(host: "127.0.0.1", port: gateway.ports["hall"] ?? 0)
            try await body(device)
            await device.close()
        }
    }

    @Test func aLoadIsPausedSoughtAndStopped() async throws {
        try await Self.withHall { device in
            let app = try await device.run(.defaultMediaReceiver)
            let loaded = try await app.load(
                LoadRequest(url: Self.url, contentType: "video/mp4", title: "One"))
            #expect(loaded.status?.media?.contentID == Self.url)
            #expect(loaded.status?.media?.metadata?.title == "One")
            var pause = MediaRequest()
            pause.type = .pause
            #expect(try await app.command(pause).status?.playerState == .paused)
            var seek = MediaRequest()
            seek.type = .seek
            seek.currentTime = 42
            #expect(try await app.command(seek).status?.currentTime == 42)
            var stop = MediaRequest()
            stop.type = .stop
            try await app.command(stop)
            await #expect(throws: SenderError.nothingLoaded) { try await app.command(pause) }
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
            await #expect(throws: SenderError.noMediaApp) { try await device.joinMediaApp() }
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
            await #expect(throws: SenderError.launchRefused(app: "00000001", reason: "USER_NOT_ALLOWED")) {
                try await device.launch("00000001")
            }
            await #expect(throws: SenderError.launchRefused(app: "FFFFFFFF", reason: "NOT_FOUND")) {
                try await device.launch("FFFFFFFF")
            }
            let app = try await device.run(.defaultMediaReceiver)
            let failure = SenderError.loadFailed(code: .mediaSourceNotSupported, reason: nil)
            await #expect(throws: failure) {
                try await app.load(LoadRequest(url: "http://192.0.2.9/broken.mp4", contentType: "video/mp4"))
            }
            #expect(failure.description == "the app cannot play this: MEDIA_SRC_NOT_SUPPORTED (104)")
        }
    }

    @Test func anAnswerThatNeverComesIsATimeout() async throws {
        try await RunningGateway.with(.hallAndOffice) { gateway in
            let timeout = Duration.milliseconds(50)
            let device = try await RemoteDevice.connect(
                host: "127.0.0.1", port: gateway.ports["hall"] ?? 0, options: SenderOptions(startTimeout: timeout))
            await #expect(throws: SenderError.timedOut(request: "LAUNCH", after: timeout)) {
                try await device.launch("00000002")
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
            await #expect(throws: SenderError.connectionClosed("nowhere")) {
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
            await #expect(throws: SenderError.disconnected(reason: "the sender is done")) {
                try await device.status()
            }
        }
    }

    @Test func whatDoesNotFitIsNotSent() async throws {
        try await Self.withHall { device in
            let payload = CastMessage.Payload.text(String(repeating: "a", count: 65_000))
            await #expect(throws: SenderError.messageTooLong(bytes: 65_000)) {
                try await device.send(payload, in: .receiver, to: .platformReceiver)
            }
        }
    }

    @Test func nobodyThereIsUnreachable() async throws {
        let port = try FreePort.next()
        await #expect(
            throws: SenderError.unreachable(address: "127.0.0.1:\(port)", reason: "Connection refused")
        ) {
            try await RemoteDevice.connect(host: "127.0.0.1", port: port)
        }
        await #expect(throws: SenderError.self) {
            try await RemoteDevice.connect(host: "nobody.invalid", port: port)
        }
    }
}
