import CastWire
import CastwayTestSupport
import GRDB
import GatewayCore
import NIOCore
import NIOPosix
import Testing

@testable import DeviceSessions

/// Sessions while the gateway takes another configuration.
extension CastSessionTests {
    private func prepare(
        _ name: String, at device: FakeDevice, in directory: DeviceSessionDirectory,
        on eventLoops: [String: any EventLoop] = [:]
    ) async throws -> DeviceSessionUpdate {
        try await directory.prepare(
            devices: [name: [DeviceAddress(host: "127.0.0.1", port: device.port)]],
            configuration: ConnectionsConfiguration(), stopsApps: false, eventLoops: eventLoops)
    }

    @Test func aDeviceWhoseSessionEndsMeanwhileIsDialledAllTheSame() async throws {
        try await self.with(.usual(.playing), isConfigured: false) { directory, device, events in
            let session = try await directory.startSession(device: "radio", app: .defaultMediaReceiver)
            for await event in events.events where event == .deviceOnline(target: "radio") { break }
            let update = try await self.prepare("radio", at: device, in: directory)
            try await session.end(.leave)
            #expect(!directory.isOnline("radio"))
            try await directory.commit(update)
            for await event in events.events where event == .deviceOnline(target: "radio") { break }
            #expect(directory.isOnline("radio"))
        }
    }

    @Test func aDeviceThatASessionBringsInMeanwhileKeepsIt() async throws {
        try await self.with(.usual(.playing), isConfigured: false) { directory, device, events in
            let update = try await self.prepare("radio", at: device, in: directory)
            _ = try await directory.startSession(device: "radio", app: .defaultMediaReceiver)
            try await directory.commit(update)
            #expect(await self.change(events, where: { $0 == .didResume(.restart) }) != nil)
            #expect(try await directory.currentSession(device: "radio")?.facts.state == .connected)
        }
    }

    @Test func aDeviceThatIsHereForItsSessionIsReleasedWithIt() async throws {
        try await self.with(.usual(.playing), isConfigured: false) { directory, _, events in
            let session = try await directory.startSession(device: "radio", app: .defaultMediaReceiver)
            try await session.end(.leave)
            for await event in events.events where event == .deviceReleased(target: "radio") { break }
            #expect(!directory.isOnline("radio"))
        }
    }

    @Test func aDeviceThatLeavesTheConfigurationIsReleased() async throws {
        try await self.with(.usual(.playing)) { directory, _, events in
            let update = try await directory.prepare(
                devices: [:], configuration: ConnectionsConfiguration(), stopsApps: false)
            try await directory.commit(update)
            for await event in events.events where event == .deviceReleased(target: "tv") { break }
            #expect(directory.eventLoop(for: "tv") == nil)
        }
    }

    @Test func whoHoldsASessionThatMovedCannotHarmIt() async throws {
        let store = try SessionStore(database: try DatabaseQueue(), logger: LogRecorder().logger())
        try await self.with(.usual(.playing), store: store) { directory, device, events in
            let old = try await directory.startSession(device: "tv", app: .defaultMediaReceiver)
            let home = directory.eventLoop(for: "tv")
            let elsewhere = try #require(
                MultiThreadedEventLoopGroup.singleton.makeIterator().first { $0 !== home })
            try await directory.commit(
                try await self.prepare("tv", at: device, in: directory, on: ["tv": elsewhere]))
            #expect(await self.change(events, where: { $0 == .didResume(.restart) }) != nil)
            do {
                try await old.end(.leave)
                Issue.record("it ended")
            } catch {
                #expect((error as? SessionFailure)?.code == .sessionNotActive)
            }
            await store.settle()
            #expect(try store.load().map(\.device) == ["tv"])
            let new = try #require(await directory.currentSession(device: "tv"))
            #expect(new.number != old.number)
            #expect(try await new.facts.state == .connected)
        }
    }
}
