import BuiltInReceiver
import CastClient
import CastWire
import CastwayTestSupport
import DeviceSessions
import GatewayApp
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewaySettings
import Testing
import VirtualDevices

/// Playback that moves to another device, or makes way for an announcement, through real channels: one gateway has the
/// sessions, others are the devices.
@Suite(.timeLimit(.minutes(2))) struct PlaybackMoveTests {
    private static let film = "http://192.0.2.1/film.mp4"
    private static let gong = "http://192.0.2.1/gong.mp3"

    /// Runs a gateway that knows each of these as a device.
    private func with(
        _ devices: [(name: String, port: Int)], body: (RunningGateway) async throws -> Void
    ) async throws {
        var configuration = GatewayConfiguration { $0.virtualDevices = [] }
        configuration.discovery.staticDevices = devices.map {
            StaticDevice(name: $0.name, address: DialAddress(host: "127.0.0.1", port: $0.port))
        }
        try await RunningGateway.with(configuration, body: body)
    }

    /// A film of ten minutes and another one behind it, from its thirtieth second.
    private var evening: LoadRequest {
        let items: [JSONValue] = [Self.film, "http://192.0.2.1/second.mp4"].map { url in
            ["media": ["contentId": .string(url), "contentType": "video/mp4", "duration": 600]]
        }
        return LoadRequest(json: ["queueData": ["items": .array(items)], "currentTime": 30, "autoplay": true])
    }

    /// What a sender of the device's own sees playing.
    private func playing(at port: Int) async throws -> (media: String?, state: String?, time: Double, items: Int)? {
        try await TestSender.connect(to: port) { sender in
            guard let transport = try await sender.connectPlatform().applications.first?.transportID else { return nil }
            try await sender.send(["type": "CONNECT"], in: .connection, to: transport)
            try await sender.send(["type": "GET_STATUS", "requestId": 9], in: .media, to: transport)
            let status = try await sender.answer(to: 9)?.array("status")?.first?.objectValue
            return (
                status?.object("media")?.string("contentId"), status?.string("playerState"),
                status?.double("currentTime") ?? 0, status?.array("items")?.count ?? 0
            )
        }
    }

    @Test func playbackMovesToAnotherDevice() async throws {
        try await RunningGateway.with(.hallAndOffice) { wall in
            try await RunningGateway.with(.hallAndOffice) { tower in
                try await self.with([("wall", wall.port("hall")), ("tower", tower.port("hall"))]) { near in
                    let session = try await near.gateway.startSession(device: "wall", app: .defaultMediaReceiver)
                    try await session.media.perform(.load(self.evening))
                    let (there, result) = try await near.gateway.deviceSessions.transfer(session, to: "tower")
                    #expect(result.way == .resumed && result.isStateOfApp && result.isOriginStopped)
                    #expect(there.device == "tower")
                    #expect(try await there.facts.state == .connected)
                    #expect(try await session.facts.state == .disconnected)
                    let seen = try #require(try await self.playing(at: tower.port("hall")))
                    #expect(seen.media == Self.film && seen.state == "PLAYING" && seen.items == 2)
                    #expect(seen.time >= 30 && seen.time < 600)
                    #expect(try await self.playing(at: wall.port("hall")) == nil)
                    #expect(await near.gateway.deviceSessions.currentSession(device: "wall") == nil)
                }
            }
        }
    }

    /// A device that cannot play it leaves everything where it was.
    @Test func playbackStaysWhereTheOtherDeviceCannotPlay() async throws {
        var unable = GatewayConfiguration.hallAndOffice
        var app = VirtualAppConfiguration(id: "CC1AD845") { $0.player = .simulated }
        app.options.failures = [SimulatedFailure(match: Glob("*film*")) { $0.detailedErrorCode = 104 }]
        unable.virtualDevices[0].apps = [app]
        try await RunningGateway.with(.hallAndOffice) { wall in
            try await RunningGateway.with(unable) { tower in
                try await self.with([("wall", wall.port("hall")), ("tower", tower.port("hall"))]) { near in
                    let session = try await near.gateway.startSession(device: "wall", app: .defaultMediaReceiver)
                    try await session.media.perform(.load(self.evening))
                    let before = session.media.snapshot.mediaSessionID
                    let failure = await #expect(throws: TransferFailure.self) {
                        try await near.gateway.deviceSessions.transfer(session, to: "tower")
                    }
                    #expect(failure?.reason == .playback)
                    #expect(try await session.facts.state == .connected)
                    let seen = try #require(try await self.playing(at: wall.port("hall")))
                    #expect(seen.media == Self.film && seen.state == "PLAYING" && seen.items == 2)
                    #expect(session.media.snapshot.mediaSessionID == before)
                    #expect(await near.gateway.deviceSessions.currentSession(device: "tower") == nil)
                }
            }
        }
    }

    @Test func anAnnouncementGivesBackWhatPlayed() async throws {
        try await RunningGateway.with(.hallAndOffice) { wall in
            try await self.with([("wall", wall.port("hall"))]) { near in
                let session = try await near.gateway.startSession(device: "wall", app: .defaultMediaReceiver)
                try await session.setVolume(0.25)
                try await session.media.perform(.load(self.evening))
                // A session that follows the queue has all of it to give back.
                let events = session.media.events()
                await session.media.followQueue()
                if session.media.queue.count != 2 {
                    for await _ in events where session.media.queue.count == 2 { break }
                }
                try await TestSender.connect(to: wall.port("hall")) { witness in
                    let transport = try #require(try await witness.connectPlatform().applications.first?.transportID)
                    try await witness.send(["type": "CONNECT"], in: .connection, to: transport)
                    let gong = MediaInformation(json: [
                        "contentId": .string(Self.gong), "contentType": "audio/mpeg", "duration": 0.2,
                    ])
                    async let announcing = session.announce(gong, level: 0.75)
                    // The device's own senders see it come, louder, and go.
                    let louder = try await witness.receive {
                        ReceiverStatusPayload($0.payload)?.status?.volume?.level == 0.75
                    }
                    #expect(louder != nil)
                    for url in [Self.gong, Self.film] {
                        let told = try await witness.receive { message in
                            let status = message.payload.jsonObject?.array("status")?.first?.objectValue
                            return status?.object("media")?.string("contentId") == url
                        }
                        #expect(told != nil)
                    }
                    let result = await announcing
                    #expect(result.end == .played && result.isMediaRestored && result.isVolumeRestored)
                    #expect(result.limits.isEmpty && result.failures.isEmpty)
                }
                let seen = try #require(try await self.playing(at: wall.port("hall")))
                #expect(seen.media == Self.film && seen.state == "PLAYING" && seen.items == 2)
                #expect(seen.time >= 30 && seen.time < 600)
                #expect(try await session.deviceStatus?.volume?.level == 0.25)
            }
        }
    }
}
