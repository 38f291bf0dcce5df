import CastClient
import CastWire
import CastwayTestSupport
import Foundation
import GatewayCore
import GatewayFixtures
import GatewayOperations
import Glibc
import Testing

@testable import DeviceControl
@testable import GatewayApp

/// The real program is killed while a session of its own plays on another gateway.
@Suite(.timeLimit(.minutes(3))) struct SessionKillTests {
    /// Hears the loads and stops that reach a gateway.
    private struct PlaybackObserver: MessageHandler {
        let name = "playback-observer"
        let claims = [Claim(.exact(.media), phase: .observe)]
        let types = Inbox<String>()

        func handle(_ message: RoutedMessage, in context: HandlerContext) -> Verdict {
            if let type = PayloadSummary(peeking: message.message.payload).type { self.types.put(type) }
            return .pass
        }
    }

    let folder: TemporaryFolder
    let admin: UnixAdminClient

    init() throws {
        self.folder = try TemporaryFolder(withStateOf: "foyer")
        self.admin = UnixAdminClient(path: self.folder.file("state/admin.sock"))
    }

    private func start(relayingTo port: Int, app: String? = nil) async throws -> CastwayProcess {
        try self.folder.write(
            """
            version: 1
            gateway: {state_directory: state}
            discovery:
              mdns: {enabled: false}
              \(app.map { "receiver_app: \($0)" } ?? "# no app")
              static:
                - {name: wall, address: "127.0.0.1:\(port)"}
            virtual_devices:
              - {name: foyer, listen: "127.0.0.1:0", target: {device: wall}}

            """, to: "gateway.yaml")
        let process = try CastwayProcess(["run"], folder: self.folder.path)
        _ = await process.wait(for: "castway-root.pem\n")
        return process
    }

    private func playback(of app: RemoteApp) async throws -> (session: Int?, state: String?, media: String?) {
        let answer = try await app.device.request(["type": "GET_STATUS"], in: .media, to: app.transportID)
        let status = answer.payload.jsonObject?.array("status")?.first?.objectValue
        return (
            status?.int("mediaSessionId"), status?.string("playerState"), status?.object("media")?.string("contentId")
        )
    }

    @Test func theNextRunTakesItUpAndPlaybackGoesOn() async throws {
        let url = "http://192.0.2.1/film.mp4"
        try await RunningGateway.with(.hallAndOffice) { hall in
            let first = try await self.start(relayingTo: hall.port("hall"))
            let started = try await self.admin("POST /api/v1/sessions", ["device": "wall", "app": "CC1AD845"])
            #expect(started.status == 201)
            #expect(started.json.string("state") == "connected")
            #expect(StartSession.result.faults(of: started.json) == [])
            let sessionID = try #require(started.json.string("session_id"))
            let witness = try await RemoteDevice.connect(host: "127.0.0.1", port: hall.port("hall"))
            let app = try await witness.run(.defaultMediaReceiver)
            #expect(app.application.sessionID == sessionID)
            try await app.play(url)
            let before = try await self.playback(of: app)
            #expect(before.state == "PLAYING" && before.media == url && before.session != nil)

            let observer = PlaybackObserver()
            try hall.gateway.registry.register(observer)
            Glibc.kill(first.id, SIGKILL)
            #expect(await first.result().status == 128 + SIGKILL)
            let second = try await self.start(relayingTo: hall.port("hall"))
            let log = await second.waitForErrors("Session resumed")
            #expect(log.contains(sessionID))
            // The media client asks the app how it plays as soon as the session is there, and asks for nothing else.
            #expect(await observer.types.next { $0 } == "GET_STATUS")
            let listed = try await self.admin("GET /api/v1/sessions")
            let session = try #require(listed.json.array("sessions")?.first?.objectValue)
            #expect(session.string("session_id") == sessionID)
            #expect(session.string("device") == "wall" && session.string("state") == "connected")

            let after = try await self.playback(of: app)
            #expect(after == before)
            #expect(await observer.types.next { $0 } == "GET_STATUS", "the witness's own")
            let id = try #require(session.int("id"))
            let ended = try await self.admin("DELETE /api/v1/sessions/\(id)?stop=true")
            #expect(ended.status == 200 && ended.json.string("state") == "disconnected")
            #expect(EndSession.result.faults(of: ended.json) == [] && ListSessions.result.faults(of: listed.json) == [])
            let status = try await witness.status()
            #expect(status.status?.application(.defaultMediaReceiver) == nil)
            let again = try await self.admin("DELETE /api/v1/sessions/\(id)")
            // Once more does no harm.
            #expect(again.status == 200 && again.json.object("ended")?.int("at") != nil, "\(again)")
            await witness.close()
            second.terminate()
            #expect(await second.result().status == 0)
        }
        withExtendedLifetime(self.folder) {}
    }

    @Test func aSessionWithoutAnAppLaunchesTheConfiguredOne() async throws {
        try await RunningGateway.with(.hallAndOffice) { hall in
            let process = try await self.start(relayingTo: hall.port("hall"), app: "ABCD1234")
            let started = try await self.admin("POST /api/v1/sessions", ["device": "wall"])
            #expect(started.status == 201)
            #expect(started.json.string("app") == "ABCD1234")
            process.terminate()
            #expect(await process.result().status == 0)
        }
        withExtendedLifetime(self.folder) {}
    }

    @Test func refusalsSayWhy() async throws {
        try await RunningGateway.with(.hallAndOffice) { hall in
            let process = try await self.start(relayingTo: hall.port("hall"))
            let nowhere = try await self.admin("POST /api/v1/sessions", ["device": "attic", "app": "CC1AD845"])
            #expect(nowhere.status == 404)
            #expect(nowhere.json.string("code") == "unknown_device")
            let appless = try await self.admin("POST /api/v1/sessions", ["device": "wall"])
            #expect(appless.status == 422)
            #expect(appless.json.string("code") == "app_missing")
            let refused = try await self.admin("POST /api/v1/sessions", ["device": "wall", "app": "00000001"])
            #expect(refused.status == 403)
            #expect(refused.json.string("code") == "not_allowed")
            #expect(refused.json.string("reason") == "USER_NOT_ALLOWED")
            let listed = try await self.admin("GET /api/v1/sessions")
            #expect(listed.json.array("sessions")?.isEmpty == true)
            _ = try await self.admin("POST /api/v1/sessions", ["device": "wall", "app": "CC1AD845"])
            let another = try await self.admin("POST /api/v1/sessions", ["device": "wall", "app": "ABCD1234"])
            // A device runs one app, so the session with the other one has ended.
            #expect(another.status == 201)
            let left = try await self.admin("GET /api/v1/sessions")
            #expect(left.json.array("sessions")?.compactMap { $0.objectValue?.string("app") } == ["ABCD1234"])
            process.terminate()
            #expect(await process.result().status == 0)
        }
        withExtendedLifetime(self.folder) {}
    }
}
