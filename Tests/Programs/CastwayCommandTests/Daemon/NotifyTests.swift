import CastClient
import CastwayTestSupport
import Foundation
import GatewayApp
import GatewayFixtures
import Glibc
import Testing

/// What the program tells a service manager, over a real socket.
@Suite(.timeLimit(.minutes(2))) struct NotifyTests {
    let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder(withStateOf: "hall", "kitchen")
    }

    @Test(arguments: [false, true]) func readyWhenAllDevicesListenAndStoppingAtTheEnd(isAbstract: Bool) async throws {
        try self.folder.writeConfiguration()
        let socket = try NotifySocket(
            isAbstract ? "@castway-\(UUID().uuidString)" : self.folder.file("notify"))
        let process = try CastwayProcess(
            ["run"], environment: ["NOTIFY_SOCKET": socket.name], folder: self.folder.path)
        let ready = try #require(await socket.next())
        #expect(ready["READY"] == "1")
        #expect(ready["STATUS"] == "2 virtual devices, 0 senders, 0 of 1 device online")
        let summary = await process.wait(for: "castway-root.pem\n")
        let address = try #require(summary.firstMatch(of: #/castway cast (127\.0\.0\.1:\d+) status/#)).1
        #expect(try await CastwayProcess.run("cast", String(address), "status").status == 0)
        process.terminate()
        let stopping = try #require(await socket.next("STOPPING"))
        #expect(stopping["STATUS"]?.hasPrefix("Stopping: 2 virtual devices") == true)
        let extended = try #require(stopping["EXTEND_TIMEOUT_USEC"].flatMap { Int($0) })
        #expect(extended > 20_000_000)
        #expect(await process.result().status == 0)
    }

    @Test func whoCannotListenIsNeverReady() async throws {
        try await RunningGateway.with(.hallAndOffice) { gateway in
            try self.folder.writeConfiguration(port: gateway.port("hall"))
            let socket = try NotifySocket(self.folder.file("notify"))
            let result = try await CastwayProcess.run(
                "run", environment: ["NOTIFY_SOCKET": socket.name], folder: self.folder.path)
            #expect(result.status == 98)
            // The first that is heard is what this test says itself.
            ServiceNotifier(environment: ["NOTIFY_SOCKET": socket.name])?.send(.status("over"))
            #expect(await socket.next() == ["STATUS": "over"])
        }
    }

    @Test func theWatchdogIsFedAndTheStatusFollows() async throws {
        try self.folder.writeConfiguration()
        let socket = try NotifySocket(self.folder.file("notify"))
        let process = try CastwayProcess(
            ["run"], environment: ["NOTIFY_SOCKET": socket.name, "WATCHDOG_USEC": "200000"], folder: self.folder.path)
        _ = try #require(await socket.next("READY"))
        let summary = await process.wait(for: "castway-root.pem\n")
        let port = try #require(summary.firstMatch(of: #/castway cast 127\.0\.0\.1:(\d+) status/#)?.1)
        for _ in 0..<3 { #expect(await socket.next("WATCHDOG") == ["WATCHDOG": "1"]) }
        let sender = try await RemoteDevice.connect(host: "127.0.0.1", port: try #require(Int(port)))
        while let status = await socket.next("STATUS")?["STATUS"], !status.contains("1 sender,") {}
        await sender.close()
        while let status = await socket.next("STATUS")?["STATUS"], !status.contains("0 senders,") {}
        process.terminate()
        #expect(await process.result().status == 0)
    }

    @Test func theWatchdogOfAnotherProcessIsNotFed() async throws {
        try self.folder.writeConfiguration()
        let socket = try NotifySocket(self.folder.file("notify"))
        let process = try CastwayProcess(
            ["run"],
            environment: ["NOTIFY_SOCKET": socket.name, "WATCHDOG_USEC": "20000", "WATCHDOG_PID": "1"],
            folder: self.folder.path)
        _ = try #require(await socket.next("READY"))
        _ = await process.wait(for: "castway-root.pem\n")
        // Long enough for many signs of life, if there were any: two commands from start to end.
        for _ in 0..<2 { _ = try await CastwayProcess.run("check", folder: self.folder.path) }
        process.terminate()
        let next = try #require(await socket.next())
        #expect(next["WATCHDOG"] == nil)
        #expect(next["STOPPING"] == "1")
        #expect(await process.result().status == 0)
    }

    @Test(arguments: ["", "relative", "/", "/nonexistent/notify", "@\(String(repeating: "x", count: 200))"])
    func aManagerThatIsNotThereIsNoTrouble(name: String) async throws {
        try self.folder.writeConfiguration()
        let process = try CastwayProcess(["run"], environment: ["NOTIFY_SOCKET": name], folder: self.folder.path)
        #expect(await process.wait(for: "castway-root.pem\n").contains("Great hall"))
        process.terminate()
        #expect(await process.result().status == 0)
    }

    @Test func theManagerSeesReloadsBeginAndEnd() async throws {
        try self.folder.writeConfiguration()
        let socket = try NotifySocket(self.folder.file("notify"))
        let process = try CastwayProcess(
            ["run"], environment: ["NOTIFY_SOCKET": socket.name], folder: self.folder.path)
        _ = try #require(await socket.next("READY"))
        _ = await process.wait(for: "castway-root.pem\n")
        let text = try self.folder.read("gateway.yaml")
        try self.folder.write(
            text.replacing(
                "virtual_devices:\n",
                with: "virtual_devices:\n  - {name: annex, listen: \"127.0.0.1:0\", target: local}\n"),
            to: "gateway.yaml")
        process.hangUp()
        let begin = try #require(await socket.next("RELOADING"))
        #expect(begin["MONOTONIC_USEC"].flatMap { UInt64($0) } != nil)
        #expect(begin["READY"] == nil)
        let end = try #require(await socket.next("READY"))
        #expect(end["STATUS"]?.hasPrefix("3 virtual devices, ") == true)
        // The new device runs as the others do.
        process.signal(SIGQUIT)
        #expect(await process.errorLine(with: #""msg":"State","#)?.contains(#""virtual_devices":3"#) == true)
        try self.folder.write("version: [", to: "gateway.yaml")
        process.hangUp()
        _ = try #require(await socket.next("RELOADING"))
        let failure = try #require(await socket.next("READY"))
        #expect(failure["STATUS"]?.hasPrefix("Reload failed, the old configuration stays: ") == true)
        process.terminate()
        #expect(await socket.next("STOPPING") != nil)
        #expect(await process.result().status == 0)
    }

    @Test func aReloadIsToldWithItsTime() async throws {
        let socket = try NotifySocket(self.folder.file("notify"))
        let notifier = try #require(ServiceNotifier(environment: ["NOTIFY_SOCKET": socket.name]))
        notifier.reloading("Reading\nREADY=0 the configuration")
        let begin = try #require(await socket.next())
        #expect(begin["RELOADING"] == "1")
        #expect(begin["READY"] == nil)
        let told = try #require(begin["MONOTONIC_USEC"].flatMap { UInt64($0) })
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let here = UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1000
        #expect(told <= here && here - told < 60_000_000)
        notifier.reloaded("2 virtual devices")
        #expect(await socket.next() == ["READY": "1", "STATUS": "2 virtual devices"])
    }
}
