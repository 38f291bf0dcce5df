import CastWire
import CastwayTestSupport
import GatewayCore
import NIOCore
import Testing

@testable import DeviceSessions

private let c1 = ConnectionID(rawValue: 1)
private let c2 = ConnectionID(rawValue: 2)

/// Senders that ask while the device is not there, and what they learn when it is.
@Suite(.timeLimit(.minutes(1))) struct WaitingTests {
    private static let long = Duration.seconds(10)

    private static func question(_ apps: [AppID], id: Int) -> CastMessage {
        CastMessage(
            source: "sender-0", destination: .platformReceiver, namespace: .receiver,
            payload: ReceiverRequest.getAppAvailability(of: apps, requestID: RequestID(id)).payload)
    }

    private func nextSent(_ bench: RelayBench) async throws -> (CastMessage, ConnectionID) {
        try #require(
            await bench.relays[0].heard.next { if case .sent(let message, let to) = $0 { (message, to) } else { nil } })
    }

    /// The next question about apps that the device hears, of a sender's or of Castway's own.
    private func nextQuestion(_ bench: RelayBench) async throws -> CastMessage {
        while let message = await bench.device.nextMessage() {
            if message.type == AppAvailability.type { return message }
        }
        throw CancellationError()
    }

    @Test func whatIsAskedTooEarlyTheDeviceAnswers() async throws {
        try await RelayBench.with(behaviour: .usual(.playing), waitForDevice: Self.long) { bench in
            try await bench.onRelay { relay in
                relay.connect(.connect("sender-0"), from: c1)
                relay.receive(Self.question(["CC1AD845"], id: 2), from: c1)
                relay.receive(.request("GET_STATUS", id: 3), from: c1)
                // Only what asks how things stand waits.
                relay.receive(.request("SET_VOLUME", id: 4), from: c1)
            }
            #expect(try await self.nextSent(bench).0.requestID == 4)
            try await bench.goOnline()
            var heard: [RequestID?] = []
            while heard.count < 2, let message = await bench.device.nextSendersMessage() {
                if message.namespace == .receiver { heard.append(message.requestID) }
            }
            #expect(heard == [2, 3])
        }
    }

    @Test func whoHearsThatNothingIsThereAsksAgainWhenItIs() async throws {
        try await RelayBench.with(waitForDevice: .milliseconds(20)) { bench in
            try await bench.onRelay { relay in
                relay.connect(.connect("sender-0"), from: c1)
                relay.connect(.connect("sender-0"), from: c2)
                relay.receive(Self.question(["CC1AD845"], id: 2), from: c1)
                relay.receive(Self.question(["ABCD1234"], id: 2), from: c2)
            }
            for _ in 0..<2 {
                let answer = AppAvailability(try await self.nextSent(bench).0.payload)
                // A sender believes for a while what it is told to be missing.
                #expect(answer?.missingApps.count == 1 && answer?.unavailableApps == [])
            }
            try await bench.goOnline()
            let asked = try await self.nextQuestion(bench)
            #expect(asked.source == .platformSender)
            #expect(ReceiverRequest(asked.payload)?.appIDs == ["ABCD1234", "CC1AD845"])
            try await bench.device.say(
                asked.reply(
                    AppAvailability(of: ["ABCD1234", "CC1AD845"], requestID: try #require(asked.requestID)) {
                        $0 == "CC1AD845"
                    }.payload))
            // The other one was told the truth.
            #expect(await bench.relays[0].heard.next { if case .letGo(let id) = $0 { id } else { nil } } == c1)
            #expect(try await bench.onRelay { $0.notes.outdated.isEmpty })
            #expect(try await bench.onRelay { $0.notes.missingApps } == ["ABCD1234"])
        }
    }

    @Test func whoIsInTheMiddleOfSomethingIsLetGoBehindIt() async throws {
        try await RelayBench.with(behaviour: .usual(.playing)) { bench in
            try await bench.onRelay { relay in
                relay.connect(.connect("sender-0"), from: c1)
                relay.receive(Self.question(["CC1AD845"], id: 2), from: c1)
            }
            _ = try await self.nextSent(bench)
            try await bench.goOnline()
            try await bench.onRelay { $0.connect(.connect("client-5", to: "web-1"), from: c1) }
            let asked = try await self.nextQuestion(bench)
            let answer = AppAvailability(of: ["CC1AD845"], requestID: try #require(asked.requestID)) { _ in true }
            try await bench.device.say(asked.reply(answer.payload), .status(.playing))
            // Behind the answer.
            _ = await bench.relays[0].heard.next { if case .broadcast = $0 { true } else { nil } }
            #expect(try await bench.onRelay { Set($0.notes.outdated) } == [c1])
            try await bench.onRelay { relay in
                relay.closeOutdated()
                relay.disconnect(.close("client-5", to: "web-1"), from: c1)
                relay.closeOutdated()
            }
            #expect(await bench.relays[0].heard.next { if case .letGo(let id) = $0 { id } else { nil } } == c1)
        }
    }

    /// What the device says itself may be wrong the next time too: behind it there may be another gateway.
    @Test func whatTheDeviceSaidIsCheckedWhenItIsBack() async throws {
        try await RelayBench.with { bench in
            try await bench.goOnline()
            try await bench.onRelay { relay in
                relay.connect(.connect("sender-0"), from: c1)
                relay.receive(Self.question(["CC1AD845"], id: 2), from: c1)
            }
            let first = try await self.nextQuestion(bench)
            try await bench.device.say(
                first.reply(AppAvailability(of: ["CC1AD845"], requestID: 2) { _ in false }.payload))
            _ = try await self.nextSent(bench)
            try await bench.device.hangUp()
            let asked = try await self.nextQuestion(bench)
            #expect(asked.source == .platformSender)
            let id = try #require(asked.requestID)
            try await bench.device.say(
                asked.reply(AppAvailability(of: ["CC1AD845"], requestID: id) { _ in true }.payload), on: 1)
            #expect(await bench.relays[0].heard.next { if case .letGo(let id) = $0 { id } else { nil } } == c1)
        }
    }

    @Test(arguments: [(ReceiverStatus.playing, 1), (.idle, 0)])
    func aStatusWaitsOncePerChannelAndOnlyIfSomethingMayRun(status: ReceiverStatus, waiting: Int) async throws {
        try await RelayBench.with(behaviour: .usual(status), waitForDevice: Self.long) { bench in
            try await bench.onRelay { relay in
                relay.connect(.connect("sender-0"), from: c1)
                for id in 2...3 { relay.receive(.request("GET_STATUS", id: id), from: c1) }
            }
            // The second time nothing waits.
            #expect(try await self.nextSent(bench).0.requestID == 3)
            try await bench.goOnline()
            try await bench.onSession { session in
                session.link.attempt?.abandon("a fault")
                session.link.channelClosed(nil)
                bench.relays[0].relay.value.connect(.connect("sender-0"), from: c2)
                bench.relays[0].relay.value.receive(.request("GET_STATUS", id: 7), from: c2)
                #expect(session.senders.outage.queuedCount == waiting)
            }
        }
    }

    @Test func aSenderThatGoesWaitsForNothing() async throws {
        try await RelayBench.with(waitForDevice: Self.long) { bench in
            try await bench.onRelay { relay in
                relay.connect(.connect("sender-0"), from: c1)
                relay.receive(Self.question(["CC1AD845"], id: 2), from: c1)
                relay.connectionLost(c1)
            }
            #expect(try await bench.onSession { $0.senders.outage.queuedCount } == 0)
        }
    }

    /// Another device takes the place of this one: what waits is answered, and all senders have to ask anew.
    @Test func whoeverWaitsIsAnsweredWhenTheTargetChanges() async throws {
        try await RelayBench.with(waitForDevice: Self.long) { bench in
            try await bench.onRelay { relay in
                relay.connect(.connect("sender-0"), from: c1)
                relay.receive(Self.question(["CC1AD845"], id: 2), from: c1)
                relay.prepareForReplacement()
            }
            #expect(try await self.nextSent(bench).0.requestID == 2)
            #expect(await bench.relays[0].heard.next { if case .letGo(let id) = $0 { id } else { nil } } == c1)
        }
    }

    /// It is announced that long.
    @Test(arguments: [(Duration.zero, false), (.seconds(600), true)])
    func aLostDeviceIsThereUntilItsSendersAreTold(suspendAfter: Duration, isThere: Bool) async throws {
        try await RelayBench.with(suspendAfter: suspendAfter, pause: .seconds(600)) { bench in
            let output = bench.relays[0].output
            #expect(try await bench.onRelay { $0.isThere } == false)
            try await bench.goOnline()
            #expect(try await bench.onRelay { $0.isThere })
            let before = try await bench.onRelay { _ in output.value.targetChanges }
            #expect(before > 0)
            try await bench.device.hangUp()
            _ = await bench.nextEvent { if case .deviceOffline = $0 { true } else { nil } }
            #expect(try await bench.onRelay { $0.isThere } == isThere)
            #expect(try await bench.onRelay { _ in output.value.targetChanges > before } != isThere)
        }
    }

    @Test func aNetworkThatReturnsEndsThePause() async throws {
        try await RelayBench.with(pause: .seconds(600)) { bench in
            try await bench.goOnline()
            try await bench.device.hangUp()
            _ = await bench.nextEvent { if case .deviceOffline = $0 { true } else { nil } }
            try await bench.onSession { $0.link.networkReturned(isLink: false) }
            await bench.waitForOnline()
            // A link that returns puts the channel in doubt, an address does not.
            for _ in 0..<4 { _ = await bench.device.nextMessage() }
            try await bench.onSession { $0.link.networkReturned(isLink: false) }
            #expect(try await bench.onSession { !$0.link.isProbing })
            try await bench.onSession { $0.link.networkReturned(isLink: true) }
            #expect(await bench.device.nextMessage()?.type == "GET_STATUS")
        }
    }
}
