import CastWire
import CastwayTestSupport
import GatewayConfig
import GatewayCore
import Logging
import NIOCore
import Testing
import VirtualDevices

/// More of what is allowed than any honest sender sends.
@Suite(.timeLimit(.minutes(1))) struct FloodTests {
    struct Flood: CustomTestStringConvertible, Sendable {
        let name: String
        let namespace: Namespace
        let payload: CastMessage.Payload
        let fault: String

        var testDescription: String { self.name }
    }

    private static let challenge = DeviceAuthMessage(
        challenge: AuthChallenge(senderNonce: nil, hashAlgorithm: .sha256, signatureAlgorithm: .rsassaPKCS1v15))

    static let floods = [
        Flood(name: "PING", namespace: .heartbeat, payload: .text(#"{"type":"PING"}"#), fault: "heartbeat_flood"),
        Flood(name: "CONNECT", namespace: .connection, payload: .text(#"{"type":"CONNECT"}"#), fault: "connect_flood"),
        Flood(name: "CLOSE", namespace: .connection, payload: .text(#"{"type":"CLOSE"}"#), fault: "connect_flood"),
        Flood(name: "challenge", namespace: .deviceAuth, payload: challenge.payload, fault: "challenge_flood"),
    ]

    private static func frames(_ message: CastMessage, _ count: Int) throws -> ByteBuffer {
        try CastMessage.frames(Array(repeating: message, count: count))
    }

    @Test(arguments: floods) func endTheConnection(_ flood: Flood) async throws {
        try await HostileStage.with { stage in
            try await RawPeer.connect(to: stage.port) { peer in
                let message = CastMessage(
                    source: .platformSender, destination: .platformReceiver, namespace: flood.namespace,
                    payload: flood.payload)
                for _ in 0..<20 { await peer.sendRegardless(try Self.frames(message, 100)) }
                await peer.closed()
            }
            _ = await stage.nextDisconnection()
            #expect(stage.faults == [flood.fault])
        }
    }

    @Test func requestsBeyondTheBudgetWaitAndAreAnsweredInOrder() async throws {
        try await HostileStage.with(SenderLimits { $0.messagesPerSecond = 400 }) { stage in
            try await RawPeer.connect(to: stage.port) { peer in
                try await peer.connectPlatform()
                let requests = (2..<502).map { CastMessage.request("GET_STATUS", id: $0) }
                try await peer.send(raw: CastMessage.frames(requests))
                let count = await stage.next { event -> String? in
                    if case .senderThrottled("hall", let address, _) = event { address } else { nil }
                }
                #expect(count == RawPeer.hostileAddress)
                try await stage.neighbourIsServed(from: 100)
                for id in 2..<502 { #expect(try await peer.nextAnswer()?.id == id) }
            }
            let lines = stage.log.entries(atLeast: .notice).filter { $0.metadata["reason"] == "throttled" }
            #expect(lines.count == 1)
            #expect(stage.faults.isEmpty)
        }
    }

    @Test func speakingWithoutConnectIsAnsweredWithCloseWithinTheBudget() async throws {
        try await HostileStage.with(SenderLimits { $0.messagesPerSecond = 400 }) { stage in
            try await RawPeer.connect(to: stage.port) { peer in
                let requests = (0..<300).map { CastMessage.request("GET_STATUS", id: $0) }
                try await peer.send(raw: CastMessage.frames(requests))
                for _ in 0..<300 { #expect(try await peer.receive()?.namespace == .connection) }
            }
            #expect(stage.log.entries(atLeast: .notice).contains { $0.metadata["reason"] == "throttled" })
        }
    }

    @Test func launchesBeyondTheBudgetAreRefused() async throws {
        try await HostileStage.with { stage in
            try await RawPeer.connect(to: stage.port) { peer in
                try await peer.connectPlatform()
                let launches = (2..<102).map { id in
                    CastMessage(
                        source: .platformSender, destination: .platformReceiver, namespace: .receiver,
                        json: ["type": "LAUNCH", "requestId": .number(id), "appId": "00000001"])
                }
                try await peer.send(raw: CastMessage.frames(launches))
                var refused = 0
                _ = try await peer.receive { message in
                    guard let json = message.payload.jsonObject, json.string("error") == "too many launches" else {
                        return false
                    }
                    #expect(json.string("type") == "LAUNCH_ERROR")
                    refused += 1
                    return json.int("requestId") == 101
                }
                #expect((70...80).contains(refused))
            }
            #expect(stage.log.entries(atLeast: .info).count { $0.message == "Launch refused" } <= 60)
        }
    }

    @Test func rejectionsDoNotFillTheLog() async throws {
        try await HostileStage.with { stage in
            try await RawPeer.connect(to: stage.port) { peer in
                try await peer.connectPlatform()
                let requests = (2..<302).map { CastMessage.request("NONSENSE", id: $0, in: .setup) }
                try await peer.send(raw: CastMessage.frames(requests))
                for id in 2..<302 { #expect(try await peer.nextAnswer()?.id ?? id == id) }
            }
            #expect(stage.log.entries(atLeast: .info).count < 100)
        }
    }
}
