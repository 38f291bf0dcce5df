import CastClient
import CastWire
import CastwayTestSupport
import Foundation
import GatewayFixtures
import Glibc
import Testing

/// The program with few descriptors.
@Suite(.timeLimit(.minutes(3))) struct DescriptorTests {
    let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder(withStateOf: "hall", "kitchen", "attic")
    }

    private var admin: UnixAdminClient { UnixAdminClient(path: self.folder.file("state/admin.sock")) }

    private static func limited(_ soft: Int, _ hard: Int) -> [String] {
        ["/usr/bin/prlimit", "--nofile=\(soft):\(hard)"]
    }

    private func port(_ process: CastwayProcess) async throws -> Int {
        let summary = await process.wait(for: "castway-root.pem\n")
        let port = try #require(summary.firstMatch(of: #/castway cast 127\.0\.0\.1:(\d+) status/#)?.1)
        return try #require(Int(port))
    }

    @Test func theSoftLimitIsRaisedAndAnImpossiblePromiseIsToldWithFigures() async throws {
        try self.folder.writeConfiguration()
        let process = try CastwayProcess(["run"], folder: self.folder.path, through: Self.limited(64, 300))
        let line = try #require(await process.errorLine(with: "max_total does not fit"))
        let warning = try #require(try JSONReader.read(line).objectValue)
        #expect(warning.string("level") == "warning")
        #expect(warning.int("limit") == 300)
        #expect(warning.int("max_total") == 1024)
        #expect(warning.int("devices") == 1)
        #expect(warning.int("listeners") == 2)
        let reserve = try #require(warning.int("reserve"))
        #expect(warning.int("admin") == 32)
        // The relay of the configuration may carry eight streams of two sockets, and waits for them by one more.
        #expect(warning.int("streams") == 17)
        #expect(warning.int("senders_that_fit") == 300 - 3 - 32 - 17 - reserve)
        process.terminate()
        #expect(await process.result().status == 0)
    }

    /// Event loops cannot be made without any, and a gateway that lets no sender in is none.
    @Test(arguments: [24, 64]) func withTooFewOfThemItDoesNotStart(limit: Int) async throws {
        try self.folder.writeConfiguration()
        let process = try CastwayProcess(["run"], folder: self.folder.path, through: Self.limited(limit, limit))
        let result = await process.result()
        #expect(result.status == 1)
        let match = result.errors.firstMatch(
            of: #/at most (\d+) files and sockets may be open, and this configuration needs at least (\d+)/#)
        let (seen, needed) = (try #require(match?.1), try #require(match?.2))
        #expect(Int(seen) == limit && Int(needed) ?? 0 > limit)
        #expect(result.errors.contains("LimitNOFILE") && result.errors.contains("ulimit -n"))
    }

    @Test func withEnoughOfThemNothingIsSaid() async throws {
        try self.folder.writeConfiguration()
        let process = try CastwayProcess(["run"], folder: self.folder.path, through: Self.limited(1024, 4096))
        _ = try await self.port(process)
        process.terminate()
        #expect(!(await process.result().errors.contains("does not fit")))
    }

    /// As the tracer of the Swift runtime is executed in a crash: it must not hold the ports of a gateway that is gone.
    @Test(.enabled("only root looks into a process that is closed to tracers") { geteuid() == 0 })
    func aProgramThatItExecutesInheritsNoListener() async throws {
        try self.folder.writeConfiguration()
        let process = try CastwayProcess(["run"], folder: self.folder.path)
        _ = try await self.port(process)
        let proc = "/proc/\(process.id)"
        // Listening sockets are in state 0A, with the number of the file in the tenth column.
        let sockets = try ["tcp", "tcp6"].flatMap { table in
            try String(contentsOfFile: "\(proc)/net/\(table)", encoding: .utf8).split(separator: "\n").compactMap {
                let columns = $0.split(separator: " ")
                return columns.count > 9 && columns[3] == "0A" ? "socket:[\(columns[9])]" : nil
            }
        }
        var listeners = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: "\(proc)/fd") {
            let file = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(proc)/fd/\(name)")
            guard let file, sockets.contains(file) else { continue }
            listeners += 1
            let text = try String(contentsOfFile: "\(proc)/fdinfo/\(name)", encoding: .utf8)
            let flags = try #require(text.firstMatch(of: #/flags:\s+(\d+)/#).flatMap { Int32($0.1, radix: 8) })
            #expect(flags & O_CLOEXEC != 0, "descriptor \(name)")
        }
        #expect(listeners >= 1)
        process.terminate()
        #expect(await process.result().status == 0)
    }

    /// Neither senders nor HTTP can take the last descriptor, nor each other's.
    @Test func aFloodLeavesDescriptorsToThoseWhoNeedThem() async throws {
        let setupPort = try FreePort.next()
        try self.folder.writeConfiguration(
            adding: """
                  - {name: attic, listen: "127.0.0.1:0", target: local, setup: {http: "127.0.0.1:\(setupPort)"}}
                connections:
                  senders: {max_per_address: 5000, new_per_second: unlimited, handshake_timeout: 100s}
                  setup: {max_per_address: 5000, new_per_second: unlimited, idle_timeout: 100s}
                """)
        let socket = try NotifySocket(self.folder.file("notify"))
        let process = try CastwayProcess(
            ["run"], environment: ["NOTIFY_SOCKET": socket.name, "WATCHDOG_USEC": "400000"], folder: self.folder.path,
            through: Self.limited(300, 300))
        let port = try await self.port(process)
        let neighbour = try await RemoteDevice.connect(host: "127.0.0.1", port: port)
        try await neighbour.status()
        let flood = try (0..<500).map { try SilentSocket(port: $0 % 2 == 0 ? setupPort : port) }
        // The neighbour talks, plays and changes state; the watchdog is fed.
        let app = try await neighbour.run(.defaultMediaReceiver)
        try await app.play("http://192.0.2.9/one.mp4")
        try await neighbour.setVolume(ReceiverVolume(json: ["level": 0.25]))
        #expect(try await neighbour.status().status?.application(.defaultMediaReceiver) != nil)
        for _ in 0..<3 { #expect(await socket.next("WATCHDOG") != nil) }
        // An honest sender comes while the flood stands, and the admin listener answers.
        let late = try await RemoteDevice.connect(host: "127.0.0.1", port: port)
        try await late.status()
        await late.close()
        #expect(try await self.admin("GET /livez").status == 200)
        process.signal(SIGQUIT)
        let state = try #require(await process.errorLine(with: #""msg":"State","#))
        let descriptors = try #require(try JSONReader.read(state).objectValue?.int("descriptors"))
        #expect(descriptors < 300 - 8)
        for socket in flood { socket.close() }
        await neighbour.close()
        process.terminate()
        let result = await process.result()
        #expect(result.status == 0)
        #expect(!result.errors.contains("cannot be accepted"))
    }

    /// When others have taken every descriptor: who is connected is served, health is told, and when there are some again
    /// all is as before.
    @Test func exhaustionCostsNewSendersOnlyAndPasses() async throws {
        try self.folder.writeConfiguration()
        let process = try CastwayProcess(["run"], folder: self.folder.path, through: Self.limited(512, 512))
        let port = try await self.port(process)
        let neighbour = try await RemoteDevice.connect(host: "127.0.0.1", port: port)
        try await neighbour.status()
        try await process.takeSpareDescriptors(of: 512)
        let flood = try (0..<24).map { _ in try SilentSocket(port: port) }
        let line = try #require(await process.errorLine(with: "cannot be accepted"))
        #expect(line.contains("Too many open files"))
        #expect(line.contains(#""level":"error""#))
        try await neighbour.setVolume(ReceiverVolume(json: ["level": 0.25]))
        #expect(try await self.admin("GET /livez").status == 200)
        #expect(try await self.admin("GET /livez").status == 200)
        try process.limitDescriptors(to: 512, hard: 512)
        for socket in flood { socket.close() }
        let late = try await RemoteDevice.connect(host: "127.0.0.1", port: port)
        try await late.status()
        await late.close()
        let end = try #require(await process.errorLine(with: "accepted again"))
        // One a second, where a listener that does not pause makes thousands.
        let attempts = try #require(try JSONReader.read(end).objectValue?.int("failed_attempts"))
        #expect((1...120).contains(attempts))
        await neighbour.close()
        process.terminate()
        #expect(await process.result().status == 0)
    }
}
