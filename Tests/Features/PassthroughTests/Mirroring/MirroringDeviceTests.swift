import CastwayTestSupport
import GatewayCore
import MediaRelay
import Testing

@testable import Passthrough

/// Who may mirror to a device that is passed through: those who are connected to it, for as long as they are.
@Suite(.timeLimit(.minutes(1))) struct MirroringDeviceTests {
    private static func streams() -> PassedStreams {
        PassedStreams(events: EventBus(), logger: LogRecorder().logger(), limits: .init()) {
            () throws(MediaRelayError) in throw .unfit("a test has none")
        }
    }

    /// Why the first datagram of an address is dropped; nil when it begins a stream.
    private static func refusal(of host: String, by streams: PassedStreams) throws -> MediaCounts.Drop? {
        let sender = try #require(MediaEndpoint(host: host, port: 50_000))
        let destination = try #require(MediaEndpoint(host: "127.0.0.1", port: try FreePort.next()))
        switch streams.decide(sender, destination) {
        case .pass: return nil
        case .drop(let reason): return reason
        }
    }

    @Test func aSenderMayMirrorAsLongAsItIsConnected() async throws {
        let streams = Self.streams()
        try await RawPeer.listen({ device in _ = try await device.receiveAll() }) { port in
            try await PassthroughBench.with(
                .at(port),
                {
                    $0.isMirrored = true
                    $1.streams = streams
                }
            ) { bench in
                let before = try Self.refusal(of: "127.0.0.7", by: streams)
                #expect(before == .foreignAddress)
                try await RawPeer.connect(to: bench.port, from: "127.0.0.7") { sender in
                    try await sender.send(PassthroughBench.hello)
                    await bench.nextConnection()
                    let overview = await bench.environment.running.overview(of: "room")
                    #expect(overview?.streams.isEmpty == true)
                    let own = try Self.refusal(of: "127.0.0.7", by: streams)
                    let other = try Self.refusal(of: "127.0.0.8", by: streams)
                    #expect(own == nil && other == .foreignAddress)
                    let later = await bench.environment.running.overview(of: "room")
                    #expect(later?.streams.map(\.sender) == ["127.0.0.7"])
                }
                _ = await bench.nextEnd()
                let after = try Self.refusal(of: "127.0.0.7", by: streams)
                #expect(after == .foreignAddress && streams.counts.open == 0)
            }
        }
        #expect(streams.obstacle == "the socket that was handed over cannot be used: a test has none")
    }

    @Test func withoutMirroringNothingPassesAndNothingIsOpened() async throws {
        let streams = Self.streams()
        try await RawPeer.listen({ device in _ = try await device.receiveAll() }) { port in
            try await PassthroughBench.with(.at(port), { $1.streams = streams }) { bench in
                try await RawPeer.connect(to: bench.port, from: "127.0.0.7") { sender in
                    try await sender.send(PassthroughBench.hello)
                    await bench.nextConnection()
                    _ = await bench.environment.running.overview(of: "room")
                    let own = try Self.refusal(of: "127.0.0.7", by: streams)
                    #expect(own == .foreignAddress)
                }
            }
        }
        #expect(streams.obstacle == nil)
    }
}
