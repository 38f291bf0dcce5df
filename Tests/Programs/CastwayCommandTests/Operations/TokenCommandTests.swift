import CastWire
import CastwayTestSupport
import GatewayFixtures
import Testing

/// `castway token` against the built program.
@Suite(.timeLimit(.minutes(2))) struct TokenCommandTests {
    @Test func scopesAreListedOrRepeated() async throws {
        let folder = try TemporaryFolder(withStateOf: "lobby")
        try folder.write(
            """
            version: 1
            gateway: {state_directory: state}
            discovery: {mdns: {enabled: false}}
            virtual_devices:
              - {name: lobby, listen: "127.0.0.1:0", target: local}

            """, to: "gateway.yaml")
        let gateway = try CastwayProcess(["run"], folder: folder.path)
        _ = await gateway.wait(for: "castway-root.pem\n")
        for (name, scopes) in [
            ("listed", ["--scope", "control,read"]), ("repeated", ["--scope", "read", "--scope", "control"]),
            ("both", ["--scope", "control", "--scope", "read,control"]),
        ] {
            let made = try await CastwayProcess(["token", "create", name, "--json"] + scopes, folder: folder.path)
                .result()
            #expect(made.status == 0, "\(made)")
            let token = try #require(try JSONReader.read(made.output).objectValue)
            #expect(token.array("scopes")?.compactMap(\.stringValue) == ["read", "control"], "\(name): \(token)")
        }
        for wrong in ["read,", "read,writ", ",", "read control"] {
            let refused = try await CastwayProcess(["token", "create", "x", "--scope", wrong], folder: folder.path)
                .result()
            #expect(refused.status == 64 && refused.errors.contains("is no scope"), "\(refused)")
        }
        gateway.terminate()
        #expect(await gateway.result().status == 0)
        withExtendedLifetime(folder) {}
    }
}
