import CastWire
import CastwayTestSupport
import GatewayCore
import Testing

@testable import VirtualDevices

/// Channels of apps that senders of a virtual device have.
@Suite(.timeLimit(.minutes(1))) struct SenderChannelsTests {
    private static let quiz: Namespace = "urn:x-cast:com.example.quiz"

    private static func app(_ namespaces: [Namespace], session: String = "s-1") -> SessionFacts {
        SessionFacts(
            appID: "ABCD1234", sessionID: session, transportID: "web-1", displayName: "Quiz", namespaces: namespaces)
    }

    private static let connect = CastMessage.request("CONNECT", id: 0, from: "sender-0", to: "web-1", in: .connection)
    private static let close = CastMessage.request("CLOSE", id: 0, from: "sender-0", to: "web-1", in: .connection)

    /// Does something with a device whose app lists the quiz, and gives what was told of channels.
    private func told(of body: (DeviceBench) throws -> Void) async throws -> [String] {
        let subscription = try self.run(body)
        var lines: [String] = []
        for await event in subscription.events {
            if event.name == "end" { break }
            guard case .channel(let channel, let change) = event else { continue }
            #expect(channel.device == "test" && channel.namespace == Self.quiz && channel.app == "ABCD1234")
            if case .disconnected(let reason) = change {
                lines.append("disconnected: \(reason)")
            } else {
                lines.append(change.name)
            }
        }
        return lines
    }

    private func run(_ body: (DeviceBench) throws -> Void) throws -> EventSubscription {
        let bench = try DeviceBench()
        bench.target.sessions = [Self.app([Self.quiz])]
        bench.bus.channels.follow([.exact(Self.quiz)], for: "channels")
        let subscription = bench.bus.subscribe()
        try body(bench)
        bench.bus.publish(.custom(name: "end", data: .null))
        return subscription
    }

    @Test func aChannelLivesAsLongAsTheConnection() async throws {
        let lines = try await self.told { try $0.connect(Self.connect, Self.connect, Self.close, Self.close).hangUp() }
        #expect(lines == ["channel.connected", "disconnected: the sender closed the connection"])
    }

    @Test func aChannelEndsWithTheSender() async throws {
        let lines = try await self.told { try $0.connect(Self.connect).hangUp() }
        #expect(lines == ["channel.connected", "disconnected: closed by the sender"])
    }

    @Test func aChannelEndsWithTheApp() async throws {
        let lines = try await self.told { bench in
            let sender = try bench.connect(Self.connect)
            bench.device.closeVirtualConnections(of: "web-1")
            sender.hangUp()
        }
        #expect(lines == ["channel.connected", "disconnected: the app is gone"])
    }

    @Test func thePlatformIsNoApp() async throws {
        let lines = try await self.told {
            try $0.connect(.request("CONNECT", id: 0, from: "sender-0", to: .platformReceiver, in: .connection))
                .hangUp()
        }
        #expect(lines == [])
    }

    /// A device tells the namespaces of an app that starts with a later status.
    @Test func whatAnAppListsLaterIsConnectedThen() async throws {
        let status = CastMessage(
            source: .platformReceiver, destination: "*", namespace: .receiver,
            json: ["type": "RECEIVER_STATUS", "requestId": 0, "status": [:]])
        let lines = try await self.told { bench in
            bench.target.sessions = [Self.app([])]
            let sender = try bench.connect(Self.connect)
            bench.device.broadcast(status)
            bench.target.sessions = [Self.app([Self.quiz])]
            for _ in 0..<2 { bench.device.broadcast(status) }
            bench.target.sessions = [Self.app([.media])]
            bench.device.broadcast(status)
            sender.hangUp()
        }
        #expect(lines == ["channel.connected", "disconnected: the app does not list it any more"])
    }

    /// A channel that is followed leaves messages on their way: no event is made of them.
    @Test func messagesCostNoEvents() throws {
        let bench = try DeviceBench()
        bench.target.sessions = [Self.app([Self.quiz])]
        bench.bus.channels.follow([.exact(Self.quiz)], for: "channels")
        let names = MessageNames(source: "sender-0", destination: "web-1", namespace: Self.quiz)
        #expect(!bench.bus.wantsMessage(names))
    }
}
