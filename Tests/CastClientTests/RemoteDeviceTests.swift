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

    @Test func anAppIsSpokenToOnTheChannelsLoop() async throws {
        try await Self.withHall { device in
            let app = try await device.run(.defaultMediaReceiver)
            let said = Inbox<String>()
            let ended = Inbox<SenderError>()
            try await app.withChannel { channel in
                channel.onMessage = { said.put(PayloadSummary(peeking: $0.payload).type ?? "") }
                channel.onEnd = { ended.put($0) }
                channel.send(.json(["type": "GET_STATUS", "requestId": 77]), in: .media)
            }
            #expect(await said.next() == "MEDIA_STATUS")
            try await device.stop(sessionID: app.application.sessionID)
            #expect(await ended.next() == .connectionClosed(app.transportID))
            let again = try await device.run(.defaultMediaReceiver)
            try await again.withChannel { channel in channel.onEnd = { ended.put($0) } }
            await device.close()
            #expect(await ended.next() == .disconnected(reason: "the sender is done"))
            await #expect(throws: SenderError.disconnected(reason: "the channel is gone")) {
                try await again.withChannel { _ in }
            }
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
                let app = try await device.launch(.defaultMediaReceiver)
                #expect(app.application.appID == .defaultMediaReceiver)
            } else {
                await #expect(throws: SenderError.launchRefused(app: .defaultMediaReceiver, reason: "CANCELLED")) {
                    try await device.launch(.defaultMediaReceiver)
                }
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
