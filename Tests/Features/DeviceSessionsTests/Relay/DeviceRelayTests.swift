import CastClient
import CastWire
import CastwayTestSupport
import GatewayCore
import NIOCore
import Testing

@testable import DeviceSessions

private let c1 = ConnectionID(rawValue: 1)
private let c2 = ConnectionID(rawValue: 2)

/// What goes to the device, and what comes from it, while all is well.
@Suite(.timeLimit(.minutes(1))) struct DeviceRelayTests {
    @Test func aConnectGetsAnIDOfItsOwnAndOffersNoVersion() async throws {
        try await RelayBench.with { bench in
            try await bench.goOnline()
            try await bench.onRelay { relay in
                var connect = CastMessage.connect("sender-0")
                connect.payload = .json([
                    "type": "CONNECT", "origin": [:], "userAgent": "test", "protocolVersionList": [0, 1, 2, 3],
                    "protocolVersion": 3,
                ])
                relay.connect(connect, from: c1)
            }
            let heard = try #require(await bench.device.nextSendersMessage())
            #expect(heard.source != .platformSender)
            #expect(heard.destination == .platformReceiver)
            #expect(heard.payload.text == #"{"type":"CONNECT","origin":{},"userAgent":"test"}"#)
        }
    }

    /// Rules need to know whether what they see is all there is.
    @Test func whatRunsIsKnownWithTheFirstStatus() async throws {
        try await RelayBench.with(behaviour: .usual(.playing)) { bench in
            #expect(try await bench.onRelay { $0.running } == .unknown)
            try await bench.goOnline()
            let running = try await bench.onRelay { $0.running }
            #expect(running.isComplete)
            #expect(running.sessions.map(\.sessionID) == ["session-1"])
            #expect(running.session("session-1")?.appID == .defaultMediaReceiver)
            #expect(running.session("web-1")?.appID == .defaultMediaReceiver)
            #expect(running.session("session-9") == nil)
        }
    }

    @Test func anOrdinaryConnectStaysAsItIs() async throws {
        try await RelayBench.with { bench in
            try await bench.goOnline()
            let text = #"{ "type" : "CONNECT", "connType": 2 }"#
            try await bench.onRelay { relay in
                var connect = CastMessage.connect("sender-0")
                connect.payload = .text(text)
                relay.connect(connect, from: c1)
            }
            #expect(await bench.device.nextSendersMessage()?.payload.text == text)
        }
    }

    /// Two senders, both `sender-0`, both with request 7: each gets its own answer.
    @Test func answersFindTheirSender() async throws {
        try await RelayBench.with { bench in
            try await bench.goOnline()
            try await bench.onRelay { relay in
                for connection in [c1, c2] {
                    relay.connect(.connect("sender-0"), from: connection)
                    relay.receive(.request("GET_STATUS", id: 7), from: connection)
                }
            }
            var souths: [EndpointID] = []
            for _ in 0..<4 {
                let message = try #require(await bench.device.nextSendersMessage())
                if message.type == "GET_STATUS" { souths.append(message.source) }
            }
            try #require(souths.count == 2)
            #expect(souths[0] != souths[1])
            // The second is answered first.
            try await bench.device.say(
                .status(.playing, id: 7, to: souths[1]), .status(.idle, id: 7, to: souths[0]))
            let heard = bench.relays[0].heard
            #expect(await heard.next() == .sent(.status(.playing, id: 7, to: "sender-0"), c2))
            #expect(await heard.next() == .sent(.status(.idle, id: 7, to: "sender-0"), c1))
        }
    }

    @Test func severalIDsOfOneSenderStayApart() async throws {
        try await RelayBench.with { bench in
            try await bench.goOnline()
            try await bench.onRelay { relay in
                relay.connect(.connect("sender-0"), from: c1)
                relay.connect(.connect("client-5"), from: c1)
            }
            let first = try #require(await bench.device.nextSendersMessage()).source
            let second = try #require(await bench.device.nextSendersMessage()).source
            try await bench.device.say(.status(.idle, id: 1, to: second), .status(.idle, id: 1, to: first))
            let heard = bench.relays[0].heard
            #expect(await heard.next() == .sent(.status(.idle, id: 1, to: "client-5"), c1))
            #expect(await heard.next() == .sent(.status(.idle, id: 1, to: "sender-0"), c1))
        }
    }

    @Test func twoVirtualDevicesShareOneChannel() async throws {
        try await RelayBench.with(relays: 2) { bench in
            try await bench.goOnline()
            var channels: [Int] = []
            var souths: [EndpointID] = []
            for number in 0..<2 {
                try await bench.onRelay(number) { $0.connect(.connect("sender-0"), from: c1) }
                let heard = await bench.device.events.next {
                    if case .message(let channel, let message) = $0, message.source != .platformSender {
                        (channel, message.source)
                    } else {
                        nil
                    }
                }
                let (channel, south) = try #require(heard)
                channels.append(channel)
                souths.append(south)
            }
            #expect(channels == [0, 0])
            #expect(souths[0] != souths[1])
            try await bench.device.say(.status(.playing), .status(.idle, id: 3, to: souths[1]), .status(.idle))
            #expect(await bench.relays[0].heard.next() == .broadcast(.status(.playing)))
            #expect(await bench.relays[0].heard.next() == .broadcast(.status(.idle)))
            // The connections' numbers are equal here; the answer still belongs to the second alone.
            #expect(await bench.relays[1].heard.next() == .broadcast(.status(.playing)))
            #expect(await bench.relays[1].heard.next() == .sent(.status(.idle, id: 3, to: "sender-0"), c1))
            #expect(await bench.relays[1].heard.next() == .broadcast(.status(.idle)))
        }
    }

    @Test func aCloseOfTheDeviceEndsOneConnection() async throws {
        try await RelayBench.with(behaviour: .usual(.playing)) { bench in
            try await bench.goOnline()
            try await bench.onRelay { relay in
                relay.connect(.connect("client-5", to: "web-1"), from: c1)
            }
            let south = try #require(await bench.device.nextSendersMessage()).source
            try await bench.device.say(
                .close("web-1", to: south), .request("LATE", id: 9, from: "web-1", to: south, in: .media),
                .status(.idle))
            let heard = bench.relays[0].heard
            let pair = VirtualConnection(local: "web-1", peer: "client-5")
            #expect(await heard.next() == .closedOne(pair, c1, .close("web-1", to: "client-5")))
            // What the device sends to the forgotten id reaches no sender.
            #expect(await heard.next() == .broadcast(.status(.idle)))
            #expect(try await bench.onSession { $0.senders.endCount } == 0)
        }
    }

    @Test func theNewAppCanBeReachedBeforeItsStatusCame() async throws {
        try await RelayBench.with { bench in
            try await bench.goOnline()
            let accepts = try await bench.onRelay { relay in
                relay.connect(.connect("sender-0"), from: c1)
                relay.receive(.request("LAUNCH", id: 5), from: c1)
                let accepts = relay.accepts("web-1")
                relay.connect(.connect("sender-0", to: "web-1"), from: c1)
                return accepts
            }
            #expect(accepts)
            var types: [String?] = []
            for _ in 0..<3 { types.append(await bench.device.nextSendersMessage()?.type) }
            #expect(types == ["CONNECT", "LAUNCH", "CONNECT"])
            try await bench.device.say(.status(.playing))
            #expect(await bench.relays[0].heard.next() == .broadcast(.status(.playing)))
            let facts = try await bench.onRelay { $0.session(at: "web-1") }
            #expect(facts?.sessionID == "session-1")
            #expect(facts?.namespaces == [.media])
        }
    }

    @Test func aSenderThatLeavesClosesItsConnections() async throws {
        try await RelayBench.with(behaviour: .usual(.playing)) { bench in
            try await bench.goOnline()
            try await bench.onRelay { relay in
                relay.connect(.connect("sender-0"), from: c1)
                relay.connect(.connect("sender-0", to: "web-1"), from: c1)
                relay.connect(.connect("sender-0"), from: c2)
                relay.receive(.request("GET_STATUS", id: 1), from: c1)
                relay.connectionLost(c1)
            }
            var heard: [CastMessage] = []
            for _ in 0..<6 { heard.append(try #require(await bench.device.nextSendersMessage())) }
            let south = heard[0].source
            #expect(heard[4...].map(\.type) == ["CLOSE", "CLOSE"])
            #expect(heard[4...].map(\.destination) == ["receiver-0", "web-1"])
            #expect(heard[4...].allSatisfy { $0.source == south })
            #expect(try await bench.onSession { $0.senders.endCount } == 1)
            // The answer to its request comes too late: no sender gets it.
            try await bench.device.say(.status(.idle, id: 1, to: south), .status(.playing))
            #expect(await bench.relays[0].heard.next() == .broadcast(.status(.playing)))
        }
    }

    @Test func whatWasHeldBackBehindACloseIsNotSent() async throws {
        try await RelayBench.with(behaviour: .usual(.playing)) { bench in
            try await bench.goOnline()
            try await bench.onRelay { relay in
                relay.connect(.connect("client-5", to: "web-1"), from: c1)
                relay.disconnect(.close("client-5", to: "web-1"), from: c1)
                relay.receive(.request("LOAD", id: 1, from: "client-5", to: "web-1", in: .media), from: c1)
                relay.receive(.request("X", id: 2, from: "stranger", to: .broadcast, in: .broadcast), from: c1)
                relay.connect(.connect("sender-0"), from: c2)
            }
            var types: [String?] = []
            for _ in 0..<3 { types.append(await bench.device.nextSendersMessage()?.type) }
            #expect(types == ["CONNECT", "CLOSE", "CONNECT"])
            #expect(try await bench.onSession { $0.senders.endCount } == 1)
        }
    }

    /// Ever new ids that come and go, and ids that only talk, leave nothing behind.
    @Test func aFloodOfIDsLeavesNothing() async throws {
        try await RelayBench.with(behaviour: .usual(.playing)) { bench in
            try await bench.goOnline()
            for round in 0..<10 {
                try await bench.onRelay { relay in
                    for number in 0..<200 {
                        let end = EndpointID(rawValue: "sender-\(round)-\(number)")
                        relay.connect(.connect(end, to: "web-1"), from: c1)
                        relay.disconnect(.close(end, to: "web-1"), from: c1)
                        relay.receive(.request("X", id: 2, from: end, to: .broadcast, in: .broadcast), from: c1)
                    }
                }
            }
            #expect(try await bench.onSession { $0.senders.endCount } == 0)
        }
    }

    @Test func aDeviceThatDoesNotReadRefusesRequests() async throws {
        try await RelayBench.with(behaviour: .usual(.playing)) { bench in
            try await bench.goOnline()
            try await bench.onRelay { $0.connect(.connect("client-5", to: "web-1"), from: c1) }
            _ = await bench.device.nextSendersMessage()
            try await bench.device.stopReading()
            let message = CastMessage(
                source: "client-5", destination: "web-1", namespace: .media,
                json: ["type": "LOAD", "requestId": 1, "padding": .string(String(repeating: "x", count: 60_000))])
            // A socket takes a few megabytes before it is full.
            try await bench.onRelay { relay in
                let output = bench.relays[0].output.value
                for _ in 0..<1000 where output.sentCount == 0 {
                    relay.receive(message, from: c1)
                    relay.flush()
                }
            }
            let answer = await bench.relays[0].heard.next {
                if case .sent(let message, c1) = $0 { message } else { nil }
            }
            #expect(answer?.source == "web-1")
            #expect(answer?.payload.jsonObject?.string("reason") == Rejection.overloaded.reason)
            #expect(try await bench.onSession { $0.isOnline })
        }
    }

    /// Requests that the platform never answers cost their sender the oldest of them, and other senders nothing.
    @Test func aPlatformThatDoesNotAnswerShutsNobodyOut() async throws {
        try await RelayBench.with { bench in
            try await bench.goOnline()
            try await bench.onRelay { relay in
                for connection in [c1, c2] { relay.connect(.connect("sender-0"), from: connection) }
            }
            for round in 0..<6 {
                try await bench.onRelay { relay in
                    for id in 1...100 { relay.receive(.request("SET_VOLUME", id: round * 100 + id), from: c1) }
                }
            }
            try await bench.onRelay { $0.receive(.request("GET_STATUS", id: 7), from: c2) }
            let heard = bench.relays[0].heard
            let first = await heard.next { if case .sent(let message, c1) = $0 { message } else { nil } }
            #expect(first?.requestID == 1)
            #expect(first?.payload.jsonObject?.string("reason") == Rejection.overloaded.reason)
            let question = await bench.device.events.next {
                if case .message(_, let message) = $0, message.type == "GET_STATUS", message.requestID == 7 {
                    message
                } else {
                    nil
                }
            }
            let south = try #require(question?.source)
            try await bench.device.say(.status(.idle, id: 7, to: south))
            let answer = await heard.next { if case .sent(let message, c2) = $0 { message } else { nil } }
            #expect(answer == .status(.idle, id: 7, to: "sender-0"))
            #expect(try await bench.onSession { $0.senders.pendingCount } == 64)
        }
    }

    /// Some devices answer to all, with the number of the request; senders count from one.
    @Test func anAnswerToAllIsCastwaysWithItsOwnNumberAlone() async throws {
        try await RelayBench.with { bench in
            try await bench.goOnline()
            let answer = try await bench.onSession { $0.platform.call(["type": "SET_VOLUME"], in: .receiver) }
            let heard = await bench.device.events.next {
                if case .message(_, let message) = $0, message.type == "SET_VOLUME" { message } else { nil }
            }
            let asked = try #require(heard)
            for id in 1...20 { try await bench.device.say(.status(.idle, id: id)) }
            let payload = ReceiverStatusPayload(.playing, requestID: try #require(asked.requestID)).payload
            try await bench.device.say(asked.reply(payload).addressed(to: .broadcast))
            let reply = try await answer.get().get()
            #expect(reply.object("status")?.array("applications")?.count == 1)
        }
    }

    /// The idle screen comes and goes, and is no session.
    @Test func theIdleScreenIsNoSession() async throws {
        try await RelayBench.with { bench in
            try await bench.goOnline()
            for status in [.resting, .playing, .resting, .relaunched] as [ReceiverStatus] {
                try await bench.device.say(.status(status))
            }
            var told: [String] = []
            while told.count < 3 {
                let event = await bench.nextEvent { event -> String? in
                    switch event {
                    case .sessionStarted(_, let session): "+\(session.sessionID)"
                    case .sessionEnded(_, let session, _, _, _): "-\(session)"
                    default: nil
                    }
                }
                told.append(try #require(event))
            }
            #expect(told == ["+session-1", "-session-1", "+session-2"])
        }
    }

    @Test func theIdleScreenIsNotStopped() async throws {
        try await RelayBench.with(behaviour: .usual(.resting)) { bench in
            try await bench.goOnline()
            try await bench.onSession { $0.stop(stoppingApps: true) }
            while let event = await bench.device.events.next() {
                if case .message(_, let message) = event { #expect(message.type != "STOP") }
                if case .closed = event { break }
            }
        }
    }

    @Test func appsAreStoppedWhenAskedTo() async throws {
        try await RelayBench.with(behaviour: .usual(.playing)) { bench in
            try await bench.goOnline()
            try await bench.onSession { $0.stop(stoppingApps: true) }
            var last: CastMessage?
            while let event = await bench.device.events.next() {
                if case .message(_, let message) = event { last = message }
                if case .closed = event { break }
            }
            #expect(last?.type == "STOP")
            #expect(last?.payload.jsonObject?.string("sessionId") == "session-1")
        }
    }
}
