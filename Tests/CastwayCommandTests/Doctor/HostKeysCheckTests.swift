import CastwayTestSupport
import GatewayApp
import Glibc
import Testing

@testable import castway

/// What `castway doctor` says of event devices.
@Suite struct HostKeysCheckTests {
    @Test func eachEventDeviceIsLookedAt() async throws {
        let folder = try TemporaryFolder()
        try #require(mkfifo(folder.file("event0"), 0o600) == 0)
        try folder.write("text", to: "file")
        let keys = [
            HostKeysConfiguration(input: folder.file("event0"), device: "hall"),
            HostKeysConfiguration(input: folder.file("nothing"), device: "hall"),
            HostKeysConfiguration(input: folder.file("file"), device: "hall"),
        ]
        let findings = await HostKeysCheck(keys: keys).findings()
        #expect(findings.map(\.level) == [.ok, .warn, .fail])
        #expect(findings.map(\.subject) == ["event0", "nothing", "file"].map { folder.file($0) })
        #expect(findings.first?.seen == "can be read, for hall")
        withExtendedLifetime(folder) {}
    }
}
