import BuiltInReceiver
import CastWire
import CastwayTestSupport
import GatewayFixtures
import Testing

@testable import GatewaySettings

/// The real program with a session on another gateway: it goes to the background and comes back, and a caller goes on with what plays.
@Suite(.timeLimit(.minutes(3))) struct SessionUseTests {
    private let folder: TemporaryFolder
    private let admin: UnixAdminClient

    init() throws {
        self.folder = try TemporaryFolder(withStateOf: "foyer")
        self.admin = UnixAdminClient(path: self.folder.file("state/admin.sock"))
    }

    /// Runs the program with the hall of another gateway as the devices `wall` and `tower`.
    private func with(_ body: (CastwayProcess) async throws -> Void) async throws {
        var configuration = GatewayConfiguration.hallAndOffice
        configuration.virtualDevices[1].receiver.apps = configuration.virtualDevices[0].receiver.apps
        try await RunningGateway.with(configuration) { far in
            try self.folder.write(
                """
                version: 1
                gateway: {state_directory: state}
                discovery:
                  mdns: {enabled: false}
                  static:
                    - {name: tower, address: "127.0.0.1:\(far.port("office"))"}
                    - {name: wall, address: "127.0.0.1:\(far.port("hall"))"}
                sessions: {suspend_when_unused: 1s}
                launch: {user_agent: Lobby/2}
                virtual_devices:
                  - {name: foyer, listen: "127.0.0.1:0", target: {device: wall}}

                """, to: "gateway.yaml")
            let process = try CastwayProcess(["run"], folder: self.folder.path)
            _ = await process.wait(for: "castway-root.pem\n")
            try await body(process)
            process.terminate()
            #expect(await process.result().status == 0)
        }
        withExtendedLifetime(self.folder) {}
    }

    /// What `castway call` prints.
    private func call(_ arguments: String..., status: Int32 = 0) async throws -> JSONObject {
        let result = try await CastwayProcess(["call"] + arguments, folder: self.folder.path).result()
        #expect(result.status == status, "\(arguments): \(result)")
        return (try? JSONReader.read(result.output).objectValue) ?? [:]
    }

    @Test func aSessionIsThereForTheNextCallAndACallerGoesOnWithIt() async throws {
        try await self.with { process in
            let loaded = try await self.admin(
                "POST /api/v1/devices/wall/media/load",
                [
                    "app": "CC1AD845", "url": "http://192.0.2.1/film.mp4", "content_type": "video/mp4", "duration": 600,
                    "position": 30,
                ])
            #expect(loaded.status == 200, "\(loaded)")
            #expect(await process.waitForErrors("Session suspended").contains("app_backgrounded"))
            let given = try await self.call("session.hand_over", "session=device:wall")
            #expect(await process.waitForErrors("Session resumed").contains("foreground"))
            let load = given.object("state")?.object("loadRequestData")
            #expect(load?.double("currentTime") ?? 0 >= 30, "\(given)")
            let back = try await self.call("session.handed_over", "session=device:wall", "taken=false")
            #expect(back.bool("stopped") == false)
            let moved = try await self.call("session.transfer", "session=device:wall", "to=tower")
            #expect(moved.string("device") == "tower")
            let ended = try await self.admin("DELETE /api/v1/sessions/device:tower?action=leave")
            #expect(ended.status == 200 && ended.json.object("ended")?.int("at") != nil, "\(ended)")
            let again = try await self.call("session.end", "session=device:tower")
            #expect(again.object("last")?.double("position") ?? 0 >= 30, "\(again)")
            #expect(try await self.call("gateway.get").string("cast_state") == "not_connected")
            let list = try await self.call("devices.list", "sort=list").array("devices")?.compactMap(\.objectValue)
            #expect(list?.compactMap { $0.string("name") } == ["tower", "wall"])
            #expect(list?.compactMap { $0.int("index") } == [0, 1])
            let kept = try await self.call("device.attributes", "device=wall", #"set={"floor": "2"}"#)
            #expect(kept.object("attributes") == ["floor": "2"])
            let found = try await self.call("device.find", "id=wall").object("device")
            #expect(found?.object("attributes") == ["floor": "2"])
        }
    }

    @Test func eventsTellHowASessionMovedAndEnded() async throws {
        try await self.with { _ in
            let events = try CastwayProcess(
                ["events", "--follow", "--json", "--type", "session.*", "--type", "gateway.*"], folder: self.folder.path
            )
            _ = await events.wait(for: "gateway.cast_state")
            _ = try await self.admin("POST /api/v1/sessions", ["device": "wall", "app": "CC1AD845"])
            _ = await events.wait(for: "\"status\":\"started\"")
            _ = try await self.admin(
                "POST /api/v1/devices/wall/media/load",
                ["url": "http://192.0.2.1/film.mp4", "content_type": "video/mp4", "duration": 600])
            _ = try await self.call("session.transfer", "session=device:wall", "to=tower")
            let moved = await events.wait(for: "\"previous_device\":\"wall\"")
            #expect(moved.contains("\"cause\":\"transfer\""))
            _ = try await self.call("session.end", "session=device:tower", "action=stop")
            let told = await events.wait(for: "\"state\":\"not_connected\",\"previous\":\"connected\"")
            #expect(told.contains("\"last\":{\"content_id\""))
            events.terminate()
            _ = await events.result()
        }
    }
}
