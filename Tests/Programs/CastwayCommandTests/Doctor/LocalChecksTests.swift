import CastIdentity
import CastTransport
import CastwayTestSupport
import DeviceSessions
import Foundation
import GatewayApp
import GatewayConfig
import GatewaySettings
import SystemPrimitives
import Testing
import VirtualDevices

@testable import castway

/// Checks of what is on this machine: configuration, state directory, clock, descriptors.
@Suite(.timeLimit(.minutes(1))) struct LocalChecksTests {
    let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    // MARK: Configuration

    @Test func configurationsAreJudged() async throws {
        let right = try await self.configuration("version: 1\n")
        #expect(right == [.ok("g", "readable and right")])
        let warned = try await self.configuration("version: 1\ninclude: [conf.d/*.yaml]\n")
        #expect(warned.map(\.level) == [.warn])
        let wrong = try #require(try await self.configuration("version: 1\nloging: {}\nadmn: {}\n").first)
        #expect(wrong.level == .fail)
        #expect(wrong.seen.hasPrefix("CW1001 at g:2:1: unknown key 'loging'") && wrong.seen.hasSuffix(", and 1 more"))
        #expect(wrong.advice.hasPrefix("castway check g"))
    }

    private func configuration(_ text: String) async throws -> [DoctorFinding] {
        let result = GatewayConfiguration.load(path: "g", fileSystem: .memory(["g": text]), environment: [:])
        return await ConfigurationCheck(path: "g", report: result.report).findings()
    }

    // MARK: State directory

    @Test func aStateDirectoryIsWritableAndHasRoom() async {
        let path = self.folder.path
        let findings = await StateDirectoryCheck(path: path, freeSpace: { _ in 1 << 30 }).findings()
        #expect(findings == [.ok(path, "writable"), .ok("disk space", "1024 MiB free")])
        #expect((StateDirectoryCheck.freeSpace(at: path) ?? 0) > 0)
        #expect(StateDirectoryCheck.freeSpace(at: path + "/none") == nil)
    }

    @Test(arguments: [(UInt64(15 << 20), DoctorFinding.Level.fail), (255 << 20, .warn), (256 << 20, .ok)])
    func spaceIsJudged(_ free: UInt64, _ level: DoctorFinding.Level) async {
        let findings = await StateDirectoryCheck(path: self.folder.path, freeSpace: { _ in free }).findings()
        #expect(findings.last?.level == level)
        #expect(findings.last?.subject == "disk space")
    }

    @Test func whatIsNoStateDirectoryIsTold() async throws {
        let missing = self.folder.file("a/b")
        let later = await StateDirectoryCheck(path: missing, freeSpace: { _ in nil }).findings()
        #expect(later == [.ok(missing, "not there yet; the first run makes it")])
        let file = try self.folder.write("x", to: "file")
        let wrong = await StateDirectoryCheck(path: file, freeSpace: { _ in nil }).findings()
        #expect(wrong.map(\.level) == [.fail] && wrong.first?.seen == "it is not a folder")
        let below = await StateDirectoryCheck(path: file + "/state", freeSpace: { _ in nil }).findings()
        #expect(below.map(\.level) == [.fail])
        #expect(chmod(self.folder.path, 0o755) == 0)
        let open = await StateDirectoryCheck(path: self.folder.path, freeSpace: { _ in nil }).findings()
        #expect(open.map(\.level) == [.warn] && open.first?.advice.contains("chmod o-rwx") == true)
    }

    // MARK: Clock

    @Test func clocksAreJudged() async {
        let good: Int64 = 1_800_000_000
        let cases: [(Int64, Bool?, DoctorFinding.Level)] = [
            (good, true, .ok), (good, nil, .ok), (good, false, .warn), (0, true, .fail), (3_000_000_000, true, .fail),
        ]
        for (now, isSynchronised, level) in cases {
            let findings = await ClockCheck(now: { now }, isSynchronised: { isSynchronised }).findings()
            #expect(findings.map(\.level) == [level])
            #expect((level == .ok) == (findings.first?.advice.isEmpty ?? false))
        }
        #expect(await ClockCheck(now: { 0 }).findings().first?.seen == "today would be 1970-01-01")
    }

    @Test func whoeverKeepsTheClockIsFoundByTheirFiles() throws {
        let root = self.folder.path
        let make = { (path: String) in
            try FileManager.default.createDirectory(atPath: root + path, withIntermediateDirectories: true)
        }
        #expect(WallClock.isKept(in: root) == nil)
        try make("/run/systemd/system")
        #expect(WallClock.isKept(in: root) == false)
        try make("/run/chrony")
        #expect(WallClock.isKept(in: root) == nil)
        try make("/run/systemd/timesync")
        try self.folder.write("", to: "run/systemd/timesync/synchronized")
        #expect(WallClock.isKept(in: root) == true)
    }

    // MARK: Descriptors

    @Test func descriptorsAreJudged() async {
        var configuration = GatewayConfiguration()
        configuration.senders.connections.total = 1000
        let need = DescriptorNeed(configuration).total
        let cases: [(Int, DoctorFinding.Level)] = [(need, .ok), (need - 1, .warn), (need - 1000, .fail)]
        for (hard, level) in cases {
            let check = DescriptorCheck(
                configuration: configuration, limit: hard)
            #expect(await check.findings().map(\.level) == [level])
        }
        let short = DescriptorCheck(
            configuration: configuration, limit: need - 1)
        let finding = await short.findings().first
        #expect(finding?.seen.hasSuffix("999 senders fit") == true)
        #expect(finding?.advice.contains("LimitNOFILE=\(need)") == true)
    }

    // MARK: Certificates

    @Test func certificatesAreJudgedByTheClock() async throws {
        var configuration = GatewayConfiguration()
        configuration.gateway.stateDirectory = self.folder.path
        configuration.virtualDevices = [
            .init(name: "hall", listen: ListenAddress(host: "127.0.0.1", port: 0), target: .local)
        ]
        let before = await CertificateCheck(configuration: configuration).findings()
        #expect(before == [.ok("root", "not made yet; the first run makes it")])

        let now: Int64 = 1_800_000_000
        let day: Int64 = 86_400
        let store = try IdentityStore.open(stateDirectory: self.folder.path)
        let identity = try store.loadOrCreate(device: "hall", now: now)
        _ = try store.currentLeaf(for: identity, now: now)
        let root = try store.root(now: now)
        let levels = { (now: Int64) in
            await CertificateCheck(configuration: configuration, now: { now }).findings().map(\.level)
        }
        #expect(await levels(now) == [.ok, .ok])
        // The next run renews a leaf that has ended.
        #expect(await levels(now + 3 * day) == [.ok, .ok])
        // A leaf that begins later is renewed once the clock is right.
        #expect(await levels(now - day) == [.fail, .ok])
        #expect(await levels(root.notAfter - 30 * day) == [.warn, .ok])
        #expect(await levels(root.notAfter + 1) == [.fail, .ok])
        #expect(try store.list().count == 1)
    }

    @Test func anchorsAndDamagedStatesAreTold() async throws {
        var configuration = GatewayConfiguration()
        configuration.gateway.stateDirectory = self.folder.path
        let store = try IdentityStore.open(stateDirectory: self.folder.path)
        let anchor = try self.folder.write(try store.root(now: WallClock.secondsSince1970).pem, to: "anchor.pem")
        configuration.connections.trustAnchors = [anchor, self.folder.file("none.pem")]
        let findings = await CertificateCheck(configuration: configuration).findings()
        #expect(findings.suffix(2).map(\.level) == [.ok, .fail])
        #expect(findings.suffix(2).first == .ok(anchor, "1 trust anchor"))
        #expect(findings.last?.seen.hasSuffix("none.pem: there is no such file") == true)

        let other = try TemporaryFolder()
        try other.write("this is no database, and long enough to be looked at", to: StateDatabase.fileName)
        configuration.gateway.stateDirectory = other.path
        configuration.connections.trustAnchors = []
        let damaged = await CertificateCheck(configuration: configuration).findings()
        #expect(damaged.map(\.level) == [.fail] && damaged.first?.seen.contains("is damaged") == true)
    }
}
