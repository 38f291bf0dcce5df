import CastTransport
import CastwayTestSupport
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewaySettings
import Logging
import NIOCore
import Testing
import VirtualDevices

/// HTTP of the set-up service in the hands of those who mean harm.
@Suite(.timeLimit(.minutes(2))) struct SetupFloodTests {
    private static let slowPost = "POST /setup/eureka_info HTTP/1.1\r\nHost: a\r\nContent-Length: 900\r\n\r\n"

    private static func stage(
        _ limits: SetupLimits, allow: [AddressRange] = [], body: (HostileStage) async throws -> Void
    ) async throws {
        let anywhere = ListenAddress(host: "127.0.0.1", port: 0)
        try await HostileStage.with(
            change: {
                $0.virtualDevices[0].setup = SetupConfiguration {
                    $0.http = anywhere
                    $0.https = anywhere
                }
                $0.virtualDevices[0].allowedSenders = allow
                $0.setupLimits = limits
            }, body: body)
    }

    @Test(arguments: [false, true]) func drippingBodiesAreCutOffAndCounted(tls: Bool) async throws {
        let limits = SetupLimits {
            $0.connections.total = 8
            $0.connections.perAddress = 4
            $0.requestTimeout = .milliseconds(300)
        }
        try await Self.stage(limits) { stage in
            let port = try #require(tls ? stage.endpoints?.setupHTTPSPort : stage.endpoints?.setupHTTPPort)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<12 {
                    group.addTask {
                        // Those beyond the fourth are refused before TLS.
                        try? await RawPeer.connect(to: port, tls: tls) { peer in
                            await peer.sendRegardless(ByteBuffer(string: Self.slowPost))
                            peer.drip()
                            await peer.closed()
                        }
                    }
                }
                try await stage.neighbourIsServed(from: 2000)
                try await group.waitForAll()
            }
            let refusal = await stage.next { event -> String? in
                if case .senderRefused(_, let address, let reason, _) = event { "\(address): \(reason)" } else { nil }
            }
            #expect(refusal == "127.0.0.2: too many connections from this address")
            let line = stage.log.entries.first { $0.message == "Sender turned away" }
            #expect(line?.metadata["listener"] == "setup")
            // Another address is served meanwhile and afterwards.
            let answer = try await RawPeer.connect(to: port, from: "127.0.0.1", tls: tls) { peer in
                await peer.sendRegardless(
                    ByteBuffer(string: "GET /setup/eureka_info HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))
                return await peer.readToEnd()
            }
            #expect(answer.hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test func whoIsNotAllowedToCastIsNotAnsweredHereEither() async throws {
        let range = try #require(AddressRange("127.0.0.1/32"))
        try await Self.stage(SetupLimits(), allow: [range]) { stage in
            let port = try #require(stage.endpoints?.setupHTTPPort)
            for (address, isAnswered) in [("127.0.0.1", true), (RawPeer.hostileAddress, false)] {
                let answer = try await RawPeer.connect(to: port, from: address, tls: false) { peer in
                    await peer.sendRegardless(
                        ByteBuffer(
                            string: "GET /setup/eureka_info HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))
                    return await peer.readToEnd()
                }
                #expect(answer.hasPrefix("HTTP/1.1 200") == isAnswered, "\(answer)")
            }
        }
    }

    @Test func aHandshakeThatIsNotFinishedIsGivenUp() async throws {
        try await Self.stage(
            SetupLimits {
                $0.handshakeTimeout = .milliseconds(200)
                $0.idleTimeout = .seconds(3600)
            }
        ) { stage in
            let port = try #require(stage.endpoints?.setupHTTPSPort)
            try await RawPeer.connect(to: port, tls: false) { peer in
                peer.drip()
                await peer.closed()
            }
            try await RawPeer.connect(to: port, tls: false) { await $0.closed() }
        }
    }
}
