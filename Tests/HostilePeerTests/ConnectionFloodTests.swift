import CastTransport
import CastWire
import CastwayTestSupport
import Foundation
import GatewayConfig
import GatewayCore
import Logging
import NIOCore
import NIOPosix
import Testing
import VirtualDevices

/// Connections without end, and connections that do nothing.
@Suite(.timeLimit(.minutes(3))) struct ConnectionFloodTests {
    /// Opens TCP connections from the hostile address.
    private static func connections(_ count: Int, to port: Int) async throws -> [any Channel] {
        var channels: [any Channel] = []
        for _ in 0..<count {
            channels.append(
                try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .bind(to: SocketAddress(ipAddress: RawPeer.hostileAddress, port: 0))
                    .connect(host: "127.0.0.1", port: port).get())
        }
        return channels
    }

    private static func refusal(_ event: GatewayEvent) -> String? {
        if case .senderRefused("hall", RawPeer.hostileAddress, let reason, _) = event { reason } else { nil }
    }

    @Test func thoseWithoutTLSDoNotKeepOthersOut() async throws {
        try await HostileStage.with(
            SenderLimits {
                $0.connections.total = 1024
                $0.connections.perAddress = 64
            }
        ) { stage in
            let channels = try await Self.connections(80, to: stage.port)
            #expect(await stage.next(Self.refusal) == "too many unfinished handshakes from this address")
            try await RawPeer.connect(to: stage.port, from: "127.0.0.1") { try await $0.connectPlatform() }
            for channel in channels { try? await channel.close() }
            #expect(stage.log.entries(atLeast: .notice).count { $0.message == "Sender turned away" } == 1)
        }
    }

    @Test func theOldestWithoutTLSGivesWay() async throws {
        // Eight in all: the neighbour and up to four without TLS; a fifth ends the first.
        try await HostileStage.with(SenderLimits { $0.connections.total = 8 }) { stage in
            let channels = try await Self.connections(6, to: stage.port)
            try await channels[0].closeFuture.get()
            try await channels[1].closeFuture.get()
            try await RawPeer.connect(to: stage.port, from: "127.0.0.1") { try await $0.connectPlatform() }
            for channel in channels { try? await channel.close() }
            #expect(stage.faults.prefix(2) == ["handshake_gave_way", "handshake_gave_way"])
        }
    }

    @Test func churnIsRefusedBeforeTLS() async throws {
        try await HostileStage.with(SenderLimits { $0.connections.newPerSecond = 5 }) { stage in
            var served = 0
            var turnedAway = 0
            for _ in 0..<30 {
                do {
                    try await RawPeer.connect(to: stage.port) { try await $0.connectPlatform() }
                    served += 1
                } catch {
                    turnedAway += 1
                }
            }
            #expect(served >= 10)
            #expect(turnedAway > 0)
            #expect(await stage.next(Self.refusal) == "too many new connections a second from this address")
            // Others are not concerned.
            try await RawPeer.connect(to: stage.port, from: "127.0.0.3") { try await $0.connectPlatform() }
        }
    }

    @Test func thousandsFromOneAddressAreRefused() async throws {
        // The neighbour answers no PING while the test opens connections, which takes a busy machine longer than the heartbeat
        // would wait for it.
        try await HostileStage.with(SenderLimits { $0.heartbeat.timeout = .seconds(300) }) { stage in
            let channels = try await Self.connections(2000, to: stage.port)
            #expect(await stage.next(Self.refusal) != nil)
            try await RawPeer.connect(to: stage.port, from: "127.0.0.3") { try await $0.connectPlatform() }
            try await stage.neighbourIsServed(from: 100)
            for channel in channels { try? await channel.close() }
            #expect(stage.log.entries(atLeast: .info).count < 300)
        }
    }

    @Test func whoNeverReadsWhileStatusIsBroadcastIsClosed() async throws {
        try await HostileStage.with(
            SenderLimits {
                $0.heartbeat.timeout = .seconds(300)
                $0.messagesPerSecond = nil
            }
        ) { stage in
            let neighbour = stage.neighbour
            try await RawPeer.connect(to: stage.port) { peer in
                try await peer.connectPlatform()
                try await peer.goDeaf()
                var id = 10
                while !stage.faults.contains("slow_reader"), id < 60_000 {
                    // Every change is told to all who are connected.
                    let changes = (id + 1...id + 200).map { id in
                        CastMessage(
                            source: .platformSender, destination: .platformReceiver, namespace: .receiver,
                            json: [
                                "type": "SET_VOLUME", "requestId": .number(id),
                                "volume": ["level": id % 2 == 0 ? 0.25 : 0.75],
                            ])
                    }
                    id += 200
                    try await neighbour.send(raw: CastMessage.frames(changes))
                    _ = try await neighbour.receive { PayloadSummary(peeking: $0.payload).requestID == RequestID(id) }
                }
                #expect(stage.faults == ["slow_reader"])
            }
        }
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")))
    func renegotiationIsRefused() async throws {
        try await HostileStage.with { stage in
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/openssl")
            process.arguments = ["s_client", "-tls1_2", "-connect", "127.0.0.1:\(stage.port)"]
            let (input, output) = (Pipe(), Pipe())
            process.standardInput = input
            process.standardOutput = output
            process.standardError = output
            let (ends, end) = AsyncStream.makeStream(of: Int32.self)
            process.terminationHandler = { process in
                end.yield(process.terminationStatus)
                end.finish()
            }
            try process.run()
            // The R is a command once TLS stands; before, it would be lost.
            let connection = await stage.next { event -> ConnectionID? in
                if case .senderConnected(_, let connection, _) = event { connection } else { nil }
            }
            #expect(connection != nil)
            try input.fileHandleForWriting.write(contentsOf: Data("R\n".utf8))
            _ = await stage.nextDisconnection()
            for await status in ends { #expect(status != 0) }
            #expect(stage.faults == ["tls_failed"])
        }
    }
}
