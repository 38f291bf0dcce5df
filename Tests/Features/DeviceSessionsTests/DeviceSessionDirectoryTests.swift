import CastClient
import CastWire
import CastwayTestSupport
import GatewayCore
import GatewayTesting
import Logging
import NIOCore
import NIOPosix
import Testing

@testable import DeviceSessions

@Suite(.timeLimit(.minutes(1))) struct DeviceSessionDirectoryTests {
    @Test func keepsChannelsWhileItRuns() async throws {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let device = try await FakeDevice(on: eventLoop)
        let bus = EventBus()
        let events = bus.subscribe()
        let directory = try await DeviceSessionDirectory(
            devices: ["tv": [DeviceAddress(host: "127.0.0.1", port: device.port)]],
            configuration: ConnectionsConfiguration(), events: bus, eventLoops: MultiThreadedEventLoopGroup.singleton,
            stopsApps: false, logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
        #expect(directory.eventLoop(for: "radio") == nil)
        #expect(!directory.isOnline("tv"))
        let home = try #require(directory.eventLoop(for: "tv"))
        let found = try await home.submit {
            let facts = DeviceFacts.test(name: "lobby", target: "tv")
            return [
                directory.makeTarget(for: "tv", virtualDevice: facts) != nil,
                directory.makeTarget(for: "radio", virtualDevice: facts) != nil,
            ]
        }.get()
        #expect(found == [true, false])
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await directory.run() }
            for await event in events.events where event == .deviceOnline(target: "tv") { break }
            #expect(directory.isOnline("tv"))
            #expect(!directory.isOnline("radio"))
            group.cancelAll()
            try await group.waitForAll()
        }
        let closed = await device.events.next { if case .closed = $0 { true } else { nil } }
        #expect(closed == true)
        try await device.stop()
    }
}
