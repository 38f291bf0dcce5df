import CastIdentity
import CastWire
import CastwayTestSupport
import Testing

/// `castway cast` has devices prove themselves when it is told which roots to trust.
@Suite(.timeLimit(.minutes(3))) struct DeviceProofTests {
    /// Runs a gateway, and hands over its folder, the address of a device of its, and the file of its root.
    private static func withGateway(_ body: (TemporaryFolder, _ address: String) async throws -> Void) async throws {
        try await TemporaryFolder.with { folder in
            try folder.writeConfiguration()
            let process = try CastwayProcess(["run"], folder: folder.path)
            let summary = await process.wait(for: "castway-root.pem\n")
            let address = try #require(summary.firstMatch(of: #/castway cast (127\.0\.0\.1:\d+) status/#)).1
            let exported = try await CastwayProcess.run(
                "identity", "export-root", "--output", "root.pem", folder: folder.path)
            #expect(exported.status == 0)
            let stranger = try IdentityStore.open(stateDirectory: folder.file("stranger"))
            try folder.write(try stranger.root(now: 1_800_000_000).pem, to: "stranger.pem")
            try await body(folder, String(address))
            process.terminate()
            #expect(await process.result().status == 0)
        }
    }

    private static func status(
        _ folder: TemporaryFolder, _ address: String, _ arguments: String...
    ) async throws -> CastwayProcess.Result {
        await (try CastwayProcess(["cast", address, "status"] + arguments, folder: folder.path)).result()
    }

    @Test func theAnchorsOfTheCommandLineDecide() async throws {
        try await Self.withGateway { folder, address in
            let trusted = try await Self.status(folder, address, "--trust-anchors", "root.pem")
            #expect(trusted.status == 0)
            #expect(trusted.errors.isEmpty)
            let stranger = try await Self.status(folder, address, "--trust-anchors", "stranger.pem")
            #expect(stranger.status == 76)
            #expect(stranger.output.isEmpty)
            #expect(stranger.errors.hasPrefix("castway: the device at \(address) did not prove itself: "))
            #expect(stranger.errors.hasSuffix("(device_certificate_not_trusted)\n"))
            let both = try await Self.status(
                folder, address, "--trust-anchors", "stranger.pem", "--trust-anchors", "root.pem")
            #expect(both.status == 0)
            let warned = try await Self.status(
                folder, address, "--trust-anchors", "stranger.pem", "--verify", "warn")
            #expect(warned.status == 0)
            #expect(warned.errors.contains("did not prove itself"))
            let missing = try await Self.status(folder, address, "--trust-anchors", "nowhere.pem")
            #expect(missing.status == 64)
            #expect(missing.errorLines.count == 1)
        }
    }

    @Test func thoseOfTheConfigurationHoldToo() async throws {
        try await Self.withGateway { folder, address in
            try folder.write(
                """
                version: 1
                connections: {verify_device_certificate: require, trust_anchors: [stranger.pem]}

                """, to: "strict.yaml")
            let refused = try await Self.status(folder, address, "--config", "strict.yaml")
            #expect(refused.status == 76)
            let off = try await Self.status(folder, address, "--config", "strict.yaml", "--verify", "off")
            #expect(off.status == 0)
            // A mistake elsewhere in the file switches nothing off.
            try folder.write(try folder.read("strict.yaml") + "nonsense: 1\n", to: "broken.yaml")
            let broken = try await Self.status(folder, address, "--config", "broken.yaml")
            #expect(broken.status == 76)
            // The virtual devices of the file itself have another root than real devices.
            let port = address.split(separator: ":").last ?? ""
            try folder.write(
                try folder.read("strict.yaml")
                    + "virtual_devices: [{name: hall, listen: \"127.0.0.1:\(port)\", target: local}]\n", to: "own.yaml")
            let own = try await Self.status(folder, address, "--config", "own.yaml")
            #expect(own.status == 0)
            let missing = try await Self.status(folder, address, "--config", "nowhere.yaml")
            #expect(missing.status == 1)
        }
    }

    /// A device that answers the challenge with an error.
    @Test func aDeviceWithoutAProofIsRefused() async throws {
        try await TemporaryFolder.with { folder in
            let stranger = try IdentityStore.open(stateDirectory: folder.file("stranger"))
            try folder.write(try stranger.root(now: 1_800_000_000).pem, to: "stranger.pem")
            let script: ScriptedDevice.Script = { message in
                guard message.namespace == .deviceAuth else { return [] }
                let reply = DeviceAuthMessage(error: AuthError(.internalError))
                return [
                    CastMessage(
                        source: .platformReceiver, destination: .platformSender, namespace: .deviceAuth,
                        payload: reply.payload)
                ]
            }
            try await ScriptedDevice.with(script) { device in
                let result = try await Self.status(
                    folder, "127.0.0.1:\(device.port)", "--trust-anchors", "stranger.pem")
                #expect(result.status == 76)
                #expect(result.errors.hasSuffix("(authentication_error_received)\n"))
            }
        }
    }
}
