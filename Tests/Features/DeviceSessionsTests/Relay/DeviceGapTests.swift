import CastWire
import CastwayTestSupport
import GatewayCore
import NIOCore
import Testing

@testable import DeviceSessions

private let c1 = ConnectionID(rawValue: 1)

/// What senders hear of a device that is out of reach for a short time: nothing, while they wait for nothing.
@Suite(.timeLimit(.minutes(1))) struct DeviceGapTests {
    private static let patience = Duration.seconds(600)

    /// Two senders at the app, and one request to the platform and one to the app that the device never answers.
    private func lose(_ bench: RelayBench) async throws {
        try await bench.goOnline()
        try await bench.onRelay { relay in
            relay.connect(.connect("sender-0"), from: c1)
            relay.connect(.connect("client-5", to: "web-1"), from: c1)
            relay.receive(.request("SET_VOLUME", id: 5), from: c1)
            relay.receive(.request("PAUSE", id: 6, from: "client-5", to: "web-1", in: .media), from: c1)
        }
        for _ in 0..<4 { _ = await bench.device.nextSendersMessage() }
        try await bench.device.hangUp()
    }

    private func nextSent(_ bench: RelayBench) async -> CastMessage? {
        await bench.relays[0].heard.next { if case .sent(let message, c1) = $0 { message } else { nil } }
    }

    @Test func whoWaitsIsAnsweredOnceAndTheOthersGoOn() async throws {
        try await RelayBench.with(behaviour: .usual(.playing), suspendAfter: Self.patience) { bench in
            try await self.lose(bench)
            let heard = bench.relays[0].heard
            // The volume has not changed, and the app still runs as far as the gateway knows.
            #expect(await heard.next() == .sent(.status(.playing, id: 5, to: "sender-0"), c1))
            let pause = await self.nextSent(bench)
            #expect(pause?.type == "INVALID_REQUEST")
            #expect(pause?.requestID == 6)
            #expect(pause?.destination == "client-5")
            #expect(pause?.source == "web-1")
            // Back: the same session, so the only thing that is heard is how things stand.
            #expect(await heard.next() == .broadcast(.status(.playing)))
            var opened: [CastMessage] = []
            for _ in 0..<3 { opened.append(try #require(await bench.device.nextSendersMessage())) }
            #expect(opened.map(\.type) == ["CONNECT", "CONNECT", "GET_STATUS"])
            #expect(opened.map(\.destination) == ["receiver-0", "web-1", "web-1"])
            // What the app tells is for all senders, and answers none of their requests.
            let media = opened[2].reply(json: [
                "type": "MEDIA_STATUS", "requestId": opened[2].requestID?.json ?? 0, "status": [],
            ])
            try await bench.device.say(media, on: 1)
            let told = await heard.next { if case .broadcast(let message) = $0 { message } else { nil } }
            #expect(told?.source == "web-1")
            #expect(told?.requestID == .spontaneous)
            // The sender's end is the same one as before, and works.
            try await bench.onRelay {
                $0.receive(.request("PLAY", id: 7, from: "client-5", to: "web-1", in: .media), from: c1)
            }
            #expect(await bench.device.nextSendersMessage()?.source == opened[1].source)
        }
    }

    @Test func whileItLastsNothingSeemsToHaveChanged() async throws {
        try await RelayBench.with(behaviour: .usual(.playing), suspendAfter: Self.patience) { bench in
            try await self.lose(bench)
            for _ in 0..<2 { _ = await self.nextSent(bench) }
            // It is dialled at once, so what follows is said in the same turn in which it is lost again.
            _ = await bench.device.nextSendersMessage()
            let accepts = try await bench.onSession { session in
                session.link.attempt?.abandon("a fault")
                session.link.channelClosed(nil)
                let relay = bench.relays[0].relay.value
                relay.receive(.request("GET_STATUS", id: 8), from: c1)
                relay.receive(.request("LAUNCH", id: 9), from: c1)
                relay.receive(.request("PAUSE", id: 10, from: "client-5", to: "web-1", in: .media), from: c1)
                return [relay.accepts(.platformReceiver), relay.accepts("web-1"), relay.accepts("web-2")]
            }
            #expect(accepts == [true, true, false])
            let status = await self.nextSent(bench)
            #expect(status?.requestID == 8)
            #expect(ReceiverStatusPayload(status?.payload ?? .text(""))?.status == .playing)
            #expect(await self.nextSent(bench)?.type == "LAUNCH_ERROR")
            #expect(await self.nextSent(bench)?.type == "INVALID_REQUEST")
        }
    }

    @Test(arguments: [ReceiverStatus.idle, ReceiverStatus.relaunched])
    func anotherSessionEndsWhatWas(after: ReceiverStatus) async throws {
        try await RelayBench.with(behaviour: .heartbeatsOnly, suspendAfter: Self.patience) { bench in
            try await bench.onSession { $0.start() }
            _ = await bench.device.nextMessage()
            try await bench.device.say(.status(.playing))
            await bench.waitForOnline()
            try await bench.onRelay { $0.connect(.connect("client-5", to: "web-1"), from: c1) }
            _ = await bench.device.nextSendersMessage()
            try await bench.device.hangUp()
            let opened = await bench.device.events.next { if case .opened(1) = $0 { true } else { nil } }
            #expect(opened == true)
            _ = await bench.device.nextMessage()
            try await bench.device.say(.status(after), on: 1)
            let heard = bench.relays[0].heard
            #expect(await heard.next() == .closedAll("web-1"))
            #expect(await heard.next() == .broadcast(.status(after)))
            #expect(try await bench.onSession { $0.senders.endCount } == 0)
            var names: [String] = []
            while names.last != "device.online" {
                names.append(try #require(await bench.nextEvent { $0.name == "device.status" ? nil : $0.name }))
            }
            #expect(names.prefix(2) == ["device.offline", "session.ended"])
        }
    }

    @Test func whoIsAwayForLongIsGone() async throws {
        try await RelayBench.with(behaviour: .heartbeatsOnly, suspendAfter: .milliseconds(50)) { bench in
            try await bench.onSession { $0.start() }
            _ = await bench.device.nextMessage()
            try await bench.device.say(.status(.playing))
            await bench.waitForOnline()
            try await bench.onRelay { $0.connect(.connect("client-5", to: "web-1"), from: c1) }
            _ = await bench.device.nextSendersMessage()
            try await bench.device.hangUp()
            let heard = bench.relays[0].heard
            // It takes the next call, and never says what runs.
            #expect(await heard.next() == .closedAll("web-1"))
            #expect(await heard.next() == .broadcast(.status(OfflineAnswers(lastKnown: .playing).status)))
        }
    }

    @Test func aSleepOfTheHostIsFollowedByAQuestion() async throws {
        try await RelayBench.with(behaviour: .usual(.playing), suspendAfter: Self.patience) { bench in
            try await bench.goOnline()
            _ = await bench.device.nextMessage()
            _ = await bench.device.nextMessage()
            try await bench.onSession { $0.link.hostSlept() }
            let question = await bench.device.nextMessage()
            #expect(question?.type == "GET_STATUS")
            #expect(question?.source == .platformSender)
        }
    }
}
