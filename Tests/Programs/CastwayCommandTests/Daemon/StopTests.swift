import CastClient
import CastWire
import CastwayTestSupport
import Foundation
import GatewayFixtures
import Glibc
import Testing

/// What signals do to the program.
@Suite(.timeLimit(.minutes(3))) struct StopTests {
    let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder(withStateOf: "hall", "kitchen", "relay")
    }

    /// Starts it and waits until senders can connect.
    private func start(_ folder: TemporaryFolder) async throws -> (process: CastwayProcess, port: Int) {
        let process = try CastwayProcess(["run"], folder: folder.path)
        let summary = await process.wait(for: "castway-root.pem\n")
        let port = try #require(summary.firstMatch(of: #/castway cast 127\.0\.0\.1:(\d+) status/#)?.1)
        return (process, try #require(Int(port)))
    }

    @Test func sigtermLetsSendersGoWithAReasonAndEnds() async throws {
        try self.folder.writeConfiguration(adding: "shutdown: {drain: 2s, total: 10s}")
        let (process, port) = try await self.start(self.folder)
        let sender = try await RemoteDevice.connect(host: "127.0.0.1", port: port)
        try await sender.status()
        let begin = ContinuousClock.now
        process.terminate()
        await #expect(throws: RequestError.self) { for try await _ in sender.messages {} }
        let result = await process.result()
        #expect(result.status == 0)
        // Nothing was deferred, and the sender hung up.
        #expect(ContinuousClock.now - begin < .seconds(10))
        #expect(result.errors.contains(#""msg":"Stopping""#))
        let end = result.errorLines.first { $0.contains("Sender disconnected") }
        #expect(end?.contains("the gateway stops") == true)
        await #expect(throws: RequestError.self) { try await RemoteDevice.connect(host: "127.0.0.1", port: port) }
    }

    /// The device behind a relay plays on.
    @Test func mediaPlaysOnWhereItPlays() async throws {
        let deviceFolder = try TemporaryFolder(withStateOf: "hall", "kitchen", "relay")
        try deviceFolder.writeConfiguration()
        let (device, devicePort) = try await self.start(deviceFolder)
        try self.folder.write(
            """
            version: 1
            gateway: {state_directory: state}
            discovery: {static: [{name: real, address: "127.0.0.1:\(devicePort)"}]}
            virtual_devices: [{name: relay, listen: "127.0.0.1:0", target: {device: real}}]
            """, to: "gateway.yaml")
        let (relay, relayPort) = try await self.start(self.folder)
        _ = await relay.errorLine(with: "Device online")
        let sender = try await RemoteDevice.connect(host: "127.0.0.1", port: relayPort)
        let app = try await sender.run(.defaultMediaReceiver)
        try await app.play("http://192.0.2.9/one.mp4")
        relay.terminate()
        #expect(await relay.result().status == 0)
        let watcher = try await RemoteDevice.connect(host: "127.0.0.1", port: devicePort)
        #expect(try await watcher.status().status?.application(.defaultMediaReceiver) != nil)
        await watcher.close()
        device.terminate()
        #expect(await device.result().status == 0)
    }

    @Test func aSecondSignalEndsAtOnce() async throws {
        try self.folder.writeConfiguration(adding: "shutdown: {drain: 60s, total: 120s}")
        let (process, port) = try await self.start(self.folder)
        // A sender that is asleep does not hang up, which the gateway gives a moment to.
        let sender = try CastwayProcess(["cast", "127.0.0.1:\(port)", "watch"])
        _ = await sender.wait(for: "volume")
        sender.signal(SIGSTOP)
        // Both signals are there before the program can look.
        process.signal(SIGSTOP)
        process.signal(SIGTERM)
        process.signal(SIGINT)
        process.signal(SIGCONT)
        let result = await process.result()
        #expect(result.status == 130)
        #expect(result.errors.contains("since a second signal came"))
        sender.signal(SIGKILL)
    }

    @Test func sigquitWritesTheStateAndGoesOn() async throws {
        try self.folder.writeConfiguration()
        let (process, port) = try await self.start(self.folder)
        let sender = try await RemoteDevice.connect(host: "127.0.0.1", port: port)
        _ = try await sender.run(.defaultMediaReceiver)
        process.signal(SIGQUIT)
        let line = try #require(await process.errorLine(with: #""msg":"State","#))
        let whole = try #require(try JSONReader.read(line).objectValue)
        #expect(whole.int("virtual_devices") == 2)
        #expect(whole.int("senders") == 1)
        #expect(whole.int("sessions") == 1)
        #expect(whole.int("devices") == 1)
        #expect(whole.int("devices_online") == 0)
        #expect(whole.int("silent_loops") == 0)
        let descriptors = try #require(whole.int("descriptors"))
        #expect(descriptors > 5 && descriptors < 200)
        #expect((whole.int("descriptor_limit") ?? 0) >= descriptors)
        let hall = try #require(await process.errorLine(with: "State of a virtual device"))
        #expect(try JSONReader.read(hall).objectValue?.string("device") == "hall")
        #expect(try JSONReader.read(hall).objectValue?.int("senders") == 1)
        #expect(await process.errorLine(with: "State of a device")?.contains("projector") == true)
        try await sender.status()
        process.signal(SIGQUIT)
        #expect(await process.errorLine(with: #""msg":"State","#) != nil)
        process.terminate()
        #expect(await process.result().status == 0)
    }
}
