import CastWire
import CastwayTestSupport
import GatewayApp
import GatewayCore
import GatewayFixtures
import GatewaySettings
import Testing
import VirtualDevices

/// An internal sender speaks to the built-in receiver and to a real device alike.
@Suite(.timeLimit(.minutes(3))) struct InternalSenderGatewayTests {
    private static let speaker = MessageOrigin("speaker")

    @Test(arguments: ["hall", "foyer"])
    func anInternalSenderLaunchesPlaysAndHears(device: String) async throws {
        try await ReloadBench.with { _, bench in
            let senders = bench.running.gateway.internalSenders
            let address = AppAddress(device: device)
            let launch = try await Self.ask(
                ["type": "LAUNCH", "appId": "CC1AD845"], in: .receiver, to: address, at: senders)
            #expect(launch.string("type") == "RECEIVER_STATUS")
            let session = try #require(await senders.snapshot().sessions.first { $0.device == device })
            #expect(session.app.appID == "CC1AD845")
            #expect(session.media == nil)
            let inbox = try await senders.listen(
                to: AppAddress(device: device, session: session.app.sessionID), as: Self.speaker, limit: 64)
            let load = try await Self.ask(
                [
                    "type": "LOAD",
                    "media": ["contentId": "http://192.0.2.1/film.mp4", "contentType": "video/mp4", "duration": 60],
                ], in: .media, to: address, at: senders)
            #expect(load.string("type") == "MEDIA_STATUS")
            var isPlaying = false
            for await heard in inbox.messages where heard.message.namespace == .media {
                #expect(heard.session == session.app.sessionID)
                let status = heard.message.payload.jsonObject?.array("status")?.first?.objectValue
                isPlaying = status?.string("playerState") == "PLAYING"
                if isPlaying { break }
            }
            #expect(isPlaying)
            let media = try #require(await senders.snapshot().sessions.first { $0.device == device }?.media)
            #expect(media.string("playerState") == "PLAYING")
            #expect(media.object("media")?.string("contentId") == "http://192.0.2.1/film.mp4")
            // A sender with a socket hears what a sender without one says to all.
            try await TestSender.connect(to: bench.port(device)) { sender in
                _ = try await sender.connectPlatform()
                try await sender.send(["type": "CONNECT"], in: .connection, to: session.app.transportID)
                try await sender.send(["type": "GET_STATUS", "requestId": 2], in: .media, to: session.app.transportID)
                _ = try await sender.answer(to: 2)
                try await senders.broadcast(
                    .text("hello"), namespace: .broadcast, to: address, as: Self.speaker)
                let heard = try await sender.receive { $0.namespace == .broadcast }
                #expect(heard?.payload.text == "hello")
                #expect(heard?.source == session.app.transportID)
            }
            let stop = try await Self.ask(["type": "STOP"], in: .receiver, to: address, at: senders)
            #expect(stop.string("type") == "RECEIVER_STATUS")
            // The inbox ends with the app.
            for await _ in inbox.messages {}
            #expect(await senders.snapshot().sessions.first { $0.device == device } == nil)
        }
    }

    @Test func internalSendersStayThroughReloads() async throws {
        try await ReloadBench.with { _, bench in
            let senders = bench.running.gateway.internalSenders
            let address = AppAddress(device: "foyer")
            let first = try await Self.ask(["type": "GET_STATUS"], in: .receiver, to: address, at: senders)
            #expect(first.string("type") == "RECEIVER_STATUS")
            let index = try bench.index("foyer")
            // The same device with something else behind it, perhaps on another event loop.
            try await bench.reload { $0.virtualDevices[index].target = .local }
            let second = try await Self.ask(["type": "GET_STATUS"], in: .receiver, to: address, at: senders)
            #expect(second.string("type") == "RECEIVER_STATUS")
            let inbox = try await senders.listen(to: address, as: Self.speaker, limit: 8)
            try await bench.reload { $0.virtualDevices.remove(at: index) }
            // It goes when what was under way there is decided.
            for await _ in inbox.messages {}
            await #expect(throws: GatewayError(.unknownDevice, "")) {
                try await Self.ask(["type": "GET_STATUS"], in: .receiver, to: address, at: senders)
            }
            #expect(await senders.snapshot().devices.map(\.name) == ["hall", "office"])
        }
    }

    @Test func whoeverStopsWaitingIsToldAtOnce() async throws {
        try await ReloadBench.with { _, bench in
            let senders = bench.running.gateway.internalSenders
            // The hall never answers the launch of this app.
            let waiting = Task {
                try await Self.ask(
                    ["type": "LAUNCH", "appId": "00000002"], in: .receiver, to: AppAddress(device: "hall"), at: senders,
                    wait: .seconds(600))
            }
            waiting.cancel()
            await #expect(throws: GatewayError(.init(.cancelled), "")) { try await waiting.value }
        }
    }

    @discardableResult
    private static func ask(
        _ json: JSONObject, in namespace: Namespace, to address: AppAddress, at senders: any InternalSenders,
        wait: Duration = .seconds(30)
    ) async throws -> JSONObject {
        let answer = try await senders.send(
            .json(json), namespace: namespace, to: address, as: Self.speaker, wait: wait)
        return try #require(answer?.jsonObject)
    }
}
