import CastWire
import CastwayTestSupport
import Foundation
import GatewayFixtures
import Glibc
import Testing

/// The real program: `castway handler`.
@Suite(.timeLimit(.minutes(3))) struct HandlerCommandTests {
    let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder(withStateOf: "hall")
        try self.folder.write(
            """
            version: 1
            gateway: {state_directory: state}
            discovery: {mdns: {enabled: false}}
            launch: {credentials: {default: {credentials: who, apply_to_load: true}}}
            channels: [{namespace: "urn:x-cast:com.example.echo", handler: echo}]
            routing: {rules: [{name: quiet, when: {type: SET_VOLUME}, action: reject}]}
            virtual_devices:
              - {name: hall, listen: "127.0.0.1:0", target: local}

            """, to: "gateway.yaml")
    }

    private func start() async throws -> CastwayProcess {
        let process = try CastwayProcess(["run"], folder: self.folder.path)
        _ = await process.wait(for: "castway-root.pem\n")
        return process
    }

    private func handler(_ arguments: String...) async throws -> CastwayProcess.Result {
        try await CastwayProcess(["handler"] + arguments, folder: self.folder.path).result()
    }

    private func list() async throws -> [String: JSONObject] {
        let result = try await self.handler("list", "--json")
        let json = try #require(try JSONReader.read(result.output).objectValue)
        let handlers = (json.array("handlers") ?? []).compactMap(\.objectValue)
        #expect(handlers.compactMap { $0.int("position") } == Array(1...handlers.count))
        return Dictionary(
            handlers.map { ($0.string("name") ?? "", $0) }, uniquingKeysWith: { first, _ in first })
    }

    @Test func handlersAreListedAndSwitched() async throws {
        let gateway = try await self.start()
        let all = try await self.list()
        #expect(
            Set(all.keys).isSuperset(of: [
                "rules", "launch-credentials", "receiver", "media", "multizone", "setup",
                "channel urn:x-cast:com.example.echo",
            ]), "\(all.keys.sorted())")
        #expect(all.values.allSatisfy { $0.bool("enabled") == true && $0.bool("switched") == false })
        let text = try await self.handler("list")
        #expect(text.output.contains(#/\n +\d+ +media +on +all +- +\S+ +handle urn:x-cast:com\.google\.cast\.media/#))

        let off = try await self.handler("disable", "media")
        #expect(off.status == 0, "\(off.errors)")
        #expect(
            off.output == "media is off by command\nmessages that 'media' would handle go on as they came\n")
        #expect(try await self.list()["media"]?.bool("switched") == true)
        let rules = try await self.handler("disable", "rules")
        #expect(rules.output.contains("what rules forbid goes through"))
        let credentials = try await self.handler("disable", "launch-credentials", "--json")
        let json = try #require(try JSONReader.read(credentials.output).objectValue)
        #expect(json.array("handlers")?.compactMap { $0.objectValue?.string("name") } == ["launch-credentials"])
        let channel = try await self.handler("disable", "urn:x-cast:com.example.echo")
        #expect(channel.output == "channel urn:x-cast:com.example.echo is off by command\n")

        let wrong = try await self.handler("disable", "medai")
        #expect(wrong.status == 76)
        #expect(wrong.errors.hasSuffix("castway: there is no handler 'medai'; did you mean 'media'?\n"))
        let unknown = try await self.handler("enable", "something-else")
        #expect(unknown.errors.hasSuffix("there is no handler 'something-else'; 'castway handler list' lists them\n"))

        let reset = try await self.handler("reset", "media")
        #expect(reset.output == "media is on\n")
        gateway.terminate()
        #expect(await gateway.result().status == 0)
        withExtendedLifetime(self.folder) {}
    }

    @Test func whatIsKeptOutlivesAKill() async throws {
        let first = try await self.start()
        let kept = try await self.handler("disable", "media", "--keep")
        #expect(kept.output.hasPrefix("media is off by command, kept\n"), "\(kept.errors)")
        #expect(try await self.handler("disable", "setup").status == 0)
        first.kill()
        #expect(await first.result().status == 128 + SIGKILL)

        let second = try await self.start()
        let log = await second.waitForErrors("off by command, kept")
        #expect(log.contains("media"))
        let all = try await self.list()
        #expect(all["media"]?.bool("enabled") == false && all["media"]?.bool("kept") == false)
        #expect(all["setup"]?.bool("enabled") == true)
        #expect(try await self.handler("reset", "media").output == "media is on\n")
        second.kill()
        _ = await second.result()

        let third = try await self.start()
        #expect(try await self.list()["media"]?.bool("enabled") == true)
        third.terminate()
        #expect(await third.result().status == 0)
        withExtendedLifetime(self.folder) {}
    }

    @Test func aReloadThatSaysNothingAboutItLeavesACommand() async throws {
        let gateway = try await self.start()
        #expect(try await self.handler("disable", "media").status == 0)
        let file = try self.folder.read("gateway.yaml")
        try self.folder.write(file.replacing("who", with: "another"), to: "gateway.yaml")
        #expect(try await CastwayProcess(["reload"], folder: self.folder.path).result().status == 0)
        #expect(try await self.list()["media"]?.bool("enabled") == false)
        gateway.terminate()
        #expect(await gateway.result().status == 0)
        withExtendedLifetime(self.folder) {}
    }
}
