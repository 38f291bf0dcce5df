import CastWire
import ControlAPI
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewayOperations
import NIOCore
import NamespaceHandlers
import Testing
import VirtualDevices

@testable import GatewayApp
@testable import GatewaySettings

/// What happens to the channels of the gateway's own session reaches readers over HTTP and WebSocket.
@Suite(.timeLimit(.minutes(2))) struct OwnChannelEventTests {
    private static let echo = "urn:x-cast:com.example.echo"
    private static let types = ["channel.connected", "channel.message", "channel.writable", "channel.disconnected"]

    private static func with(_ body: (RunningGateway, _ far: RunningGateway) async throws -> Void) async throws {
        try await RunningGateway.with(.hallAndOffice) { far in
            var configuration = GatewayConfiguration { $0.virtualDevices = [] }
            configuration.discovery.staticDevices = [
                StaticDevice(name: "wall", address: DialAddress(host: "127.0.0.1", port: far.port("hall")))
            ]
            configuration.api.listen = ListenAddress(host: "127.0.0.1", port: 0)
            configuration.api.tokens = APIBench.tokens
            configuration.channels = [ChannelConfiguration(namespace: Self.echo) { $0.legs = [.own] }]
            try await RunningGateway.with(configuration) { try await body($0, far) }
        }
    }

    /// Has each thing happen that may happen to a channel.
    private static func happen(_ near: RunningGateway, _ far: RunningGateway) async throws {
        let operations = near.gateway.operations
        let session = try await operations.call(
            "session.start", ["device": "wall", "app": "ABCD1234"], for: .admin
        ).get().body
        let number = try #require(session.int("id"))
        let subscription = near.gateway.events.subscribe { if case .channelMessage = $0 { true } else { false } }
        _ = try await far.gateway.operations.call(
            "message.broadcast", ["device": "hall", "namespace": .string(Self.echo), "text": "from the app"],
            for: .admin
        ).get()
        for await _ in subscription.events { break }
        near.gateway.events.channels.note(isWritable: false, ofSession: number)
        _ = try await operations.call("session.end", ["session": .number(number)], for: .admin).get()
    }

    @Test func serverSentEventsTellThem() async throws {
        try await Self.with { near, far in
            var told = ""
            try await HTTPPeer.connect(to: try #require(near.gateway.apiPort)) { peer in
                let path = "/api/v1/events?type=channel.*&namespace=\(Self.echo.replacing(":", with: "%3A"))"
                peer.send(APIBench.request("GET \(path)", token: APIBench.operatorToken, isLast: false))
                told = await peer.read(until: "event: synced")
                try await Self.happen(near, far)
                told += await peer.read(until: "channel.disconnected")
            }
            for type in Self.types { #expect(told.contains("\"type\":\"\(type)\""), "\(type) \(told)") }
            #expect(told.contains("\"via\":\"own\""))
        }
    }

    @Test func theSocketTellsThem() async throws {
        try await Self.with { near, far in
            var told = ""
            try await HTTPPeer.connect(to: try #require(near.gateway.apiPort)) { peer in
                let socket = WebSocketPeer(peer)
                let answer = await socket.open(
                    SocketRoutes.path, ["Host": "127.0.0.1", "Authorization": "Bearer \(APIBench.operatorToken)"])
                #expect(answer.hasPrefix("HTTP/1.1 101"), "\(answer)")
                socket.send(
                    text: #"{"id":1,"subscribe":{"topics":[{"type":"channel.*","namespace":"\#(Self.echo)"}]}}"#)
                var isSynced = false
                while let frame = await socket.next() {
                    told += frame.text
                    if !isSynced, frame.text.contains("\"synced\"") {
                        isSynced = true
                        try await Self.happen(near, far)
                    }
                    if frame.text.contains("channel.disconnected") { break }
                }
            }
            for type in Self.types { #expect(told.contains("\"\(type)\""), "\(type) \(told)") }
            #expect(told.contains("\"via\":\"own\""))
        }
    }
}
