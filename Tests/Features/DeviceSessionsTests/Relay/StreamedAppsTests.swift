import CastClient
import CastWire
import CastwayTestSupport
import GatewayCore
import NIOCore
import Testing

@testable import DeviceSessions

private let c1 = ConnectionID(rawValue: 1)

/// Apps whose stream cannot pass a relay are not there, whatever the device says.
@Suite(.timeLimit(.minutes(1))) struct StreamedAppsTests {
    private static func question(_ apps: [AppID], id: Int) -> CastMessage {
        CastMessage(
            source: "sender-0", destination: .platformReceiver, namespace: .receiver,
            payload: ReceiverRequest.getAppAvailability(of: apps, requestID: RequestID(id)).payload)
    }

    private static func launch(_ app: String, id: Int) -> CastMessage {
        CastMessage(
            source: "sender-0", destination: .platformReceiver, namespace: .receiver,
            json: ["type": "LAUNCH", "requestId": .number(id), "appId": .string(app)])
    }

    private func nextSent(_ bench: RelayBench) async throws -> CastMessage {
        try #require(
            await bench.relays[0].heard.next { if case .sent(let message, c1) = $0 { message } else { nil } })
    }

    @Test(arguments: AppID.streamingApps.map(\.rawValue) + ["0f5096e8"])
    func aLaunchIsRefusedOnlineAndOffline(app: String) async throws {
        try await RelayBench.with { bench in
            try await bench.onRelay { relay in
                relay.connect(.connect("sender-0"), from: c1)
                relay.receive(Self.launch(app, id: 4), from: c1)
            }
            var refused = try await self.nextSent(bench)
            #expect(refused.type == "LAUNCH_ERROR" && refused.requestID == 4)
            try await bench.goOnline()
            try await bench.onRelay { relay in
                relay.receive(Self.launch(app, id: 5), from: c1)
                relay.receive(Self.launch("CC1AD845", id: 6), from: c1)
            }
            refused = try await self.nextSent(bench)
            #expect(refused.requestID == 5)
            #expect(LaunchError(refused.payload)?.reason == .notFound)
            // The device hears of the other app alone.
            var launched: CastMessage?
            while let message = await bench.device.nextSendersMessage() {
                if message.type == "LAUNCH" {
                    launched = message
                    break
                }
            }
            #expect(launched?.requestID == 6)
        }
    }

    @Test func theyAreNotAvailableThoughTheDeviceSaysSo() async throws {
        try await RelayBench.with { bench in
            try await bench.goOnline()
            try await bench.onRelay { relay in
                relay.connect(.connect("sender-0"), from: c1)
                relay.receive(Self.question(["0F5096E8", "85CDB22F"], id: 2), from: c1)
                relay.receive(Self.question(["0F5096E8", "CC1AD845", "ABCD1234"], id: 3), from: c1)
            }
            // Nothing but such apps: the device is not asked.
            var answer = try #require(AppAvailability(try await self.nextSent(bench).payload))
            #expect(answer.requestID == 2 && answer.unavailableApps == ["0F5096E8", "85CDB22F"])
            _ = await bench.device.nextSendersMessage()
            let asked = try #require(await bench.device.nextSendersMessage())
            #expect(asked.requestID == 3)
            let reply: JSONObject = [
                "responseType": "GET_APP_AVAILABILITY", "requestId": 3,
                "availability": [
                    "0F5096E8": "APP_AVAILABLE", "CC1AD845": "APP_AVAILABLE", "ABCD1234": "APP_UNAVAILABLE",
                ],
            ]
            try await bench.device.say(asked.reply(json: reply))
            answer = try #require(AppAvailability(try await self.nextSent(bench).payload))
            #expect(answer.requestID == 3 && answer.type == AppAvailability.type)
            #expect(answer.availableApps == ["CC1AD845"] && answer.isAvailable("0F5096E8") == false)
            // Some answer to all.
            var toAll = asked.reply(json: reply)
            toAll.destination = .broadcast
            try await bench.device.say(toAll)
            let heard = await bench.relays[0].heard.next {
                if case .broadcast(let message) = $0 { AppAvailability(message.payload) } else { nil }
            }
            #expect(heard?.availableApps == ["CC1AD845"])
        }
    }
}
