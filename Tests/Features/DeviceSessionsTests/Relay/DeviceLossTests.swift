import CastClient
import CastTransport
import CastWire
import CastwayTestSupport
import GatewayCore
import NIOCore
import NIOPosix
import Testing

@testable import DeviceSessions

private let c1 = ConnectionID(rawValue: 1)

/// What senders hear when the device goes away, and how it comes back.
@Suite(.timeLimit(.minutes(1))) struct DeviceLossTests {
    @Test func sendersAreToldInOrder() async throws {
        try await RelayBench.with(relays: 2, behaviour: .usual(.playing)) { bench in
            try await bench.goOnline()
            try await bench.onRelay { relay in
                relay.connect(.connect("sender-0"), from: c1)
                relay.connect(.connect("client-5", to: "web-1"), from: c1)
                relay.receive(.request("LAUNCH", id: 5), from: c1)
                relay.receive(.request("GET_STATUS", id: 6), from: c1)
            }
            for _ in 0..<4 { _ = await bench.device.nextSendersMessage() }
            try await bench.device.hangUp()

            let offline = CastMessage.status(OfflineAnswers(lastKnown: .playing).status)
            let heard = bench.relays[0].heard
            #expect(await heard.next() == .closedAll("web-1"))
            #expect(await heard.next() == .broadcast(offline))
            let launch = await heard.next { if case .sent(let message, c1) = $0 { message } else { nil } }
            #expect(launch?.payload == LaunchError(.systemError, requestID: 5).payload)
            let status = await heard.next { if case .sent(let message, c1) = $0 { message } else { nil } }
            #expect(status?.requestID == 6)
            // The other virtual device has no such sender: it hears of the status only, then of the return.
            #expect(await bench.relays[1].heard.next() == .broadcast(offline))
            #expect(await bench.relays[1].heard.next() == .broadcast(.status(.playing)))
            // And nothing is answered twice.
            #expect(await heard.next() == .broadcast(.status(.playing)))
        }
    }

    /// A device that answers to all has answered, and one that hangs is not waited for without end: either way every
    /// request is answered once.
    @Test func noAnswerIsLostOrDoubled() async throws {
        try await RelayBench.with(behaviour: .usual(.playing)) { bench in
            try await bench.goOnline()
            try await bench.onRelay { relay in
                relay.connect(.connect("sender-0"), from: c1)
                for id in 1...600 { relay.receive(.request("GET_STATUS", id: id), from: c1) }
            }
            for _ in 0..<601 { _ = await bench.device.nextSendersMessage() }
            // Beyond a sender's share its oldest are given up.
            let heard = bench.relays[0].heard
            func answeredID() async -> RequestID? {
                await heard.next { if case .sent(let message, c1) = $0 { message.requestID } else { nil } }
            }
            for id in 1...536 {
                let answered = await answeredID()
                #expect(answered == RequestID(id))
            }
            var broadcast = CastMessage.status(.playing, id: 543)
            broadcast.destination = .broadcast
            try await bench.device.say(broadcast)
            let toAll = await heard.next { if case .broadcast(let message) = $0 { message.requestID } else { nil } }
            #expect(toAll == RequestID(543))
            try await bench.device.hangUp()
            for id in 537...600 where id != 543 {
                let answered = await answeredID()
                #expect(answered == RequestID(id))
            }
        }
    }

    @Test func eventsTellOfIt() async throws {
        try await RelayBench.with(behaviour: .usual(.playing)) { bench in
            try await bench.onSession { $0.start() }
            let started = await bench.nextEvent { if case .sessionStarted(_, let facts) = $0 { facts } else { nil } }
            #expect(started?.sessionID == "session-1")
            await bench.waitForOnline()
            try await bench.device.hangUp()
            // What the device told last may come before.
            let first = await bench.nextEvent { $0.name == "device.status" ? nil : $0.name }
            let second = await bench.nextEvent { $0.name == "device.status" ? nil : $0.name }
            #expect([first, second] == ["device.offline", "session.ended"])
        }
    }

    @Test func thePlatformIsConnectedToAgain() async throws {
        try await RelayBench.with(behaviour: .usual(.playing)) { bench in
            try await bench.goOnline()
            try await bench.onRelay { relay in
                relay.connect(.connect("sender-0"), from: c1)
                relay.connect(.connect("client-5", to: "web-1"), from: c1)
            }
            for _ in 0..<2 { _ = await bench.device.nextSendersMessage() }
            try await bench.device.hangUp()
            let opened = await bench.device.events.next { if case .opened(let number) = $0 { number } else { nil } }
            #expect(opened == 1)
            var heard: [CastMessage] = []
            for _ in 0..<3 { heard.append(try #require(await bench.device.nextMessage())) }
            #expect(heard.map(\.type) == ["CONNECT", "GET_STATUS", "CONNECT"])
            #expect(heard[0].source == .platformSender)
            #expect(heard[2].source != .platformSender)
            #expect(heard[2].destination == .platformReceiver)
            // The end that was connected to the app only is forgotten with the app.
            #expect(try await bench.onSession { $0.senders.endCount } == 1)
        }
    }

    @Test func whileItIsAwayAnswersAreMadeUp() async throws {
        try await RelayBench.with { bench in
            let heard = bench.relays[0].heard
            let accepts = try await bench.onRelay { relay in
                relay.connect(.connect("sender-0"), from: c1)
                relay.receive(.request("LAUNCH", id: 5), from: c1)
                relay.receive(.request("LOAD", id: 6, to: "web-1", in: .media), from: c1)
                relay.receive(.request("GET_STATUS", id: 7), from: c1)
                return [relay.accepts(.platformReceiver), relay.accepts("web-1")]
            }
            #expect(accepts == [true, false])
            let launch = await heard.next { if case .sent(let message, c1) = $0 { message } else { nil } }
            #expect(launch?.type == "LAUNCH_ERROR")
            let status = await heard.next { if case .sent(let message, c1) = $0 { message } else { nil } }
            #expect(status?.requestID == 7)
            #expect(try await bench.onSession { $0.senders.endCount } == 0)
        }
    }

    @Test func aMuteDeviceIsGivenUp() async throws {
        let heartbeat = Heartbeat.Settings(interval: .milliseconds(20), timeout: .milliseconds(60))
        try await RelayBench.with(behaviour: .mute, heartbeat: heartbeat) { bench in
            try await bench.onSession { $0.start() }
            let reason = await bench.nextEvent { if case .deviceOffline(_, let reason) = $0 { reason } else { nil } }
            #expect(reason == TransportError.silentPeer.description)
            let again = await bench.device.events.next { if case .opened(1) = $0 { true } else { nil } }
            #expect(again == true)
            #expect(try await bench.onSession { !$0.isOnline })
        }
    }

    @Test func aPortThatIsClosedIsReportedOnceWithItsReason() async throws {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let device = try await FakeDevice(on: eventLoop)
        try await device.stop()
        let bus = EventBus()
        let events = bus.subscribe()
        let session = try await RelayBench.makeSession(
            port: device.port, heartbeat: .init(interval: .seconds(5), timeout: .seconds(8)), events: bus,
            on: eventLoop)
        try await eventLoop.submit { session.value.start() }.get()
        var iterator = events.events.makeAsyncIterator()
        #expect(await iterator.next() == .deviceOffline(target: "fake", reason: "Connection refused"))
        try await eventLoop.submit { session.value.stop(stoppingApps: false) }.get()
    }

    @Test func aDialThatSucceedsAfterTheStopIsHungUp() async throws {
        try await RelayBench.with { bench in
            try await bench.onSession { session in
                session.start()
                session.stop(stoppingApps: false)
            }
            var messages = 0
            while let event = await bench.device.events.next() {
                if case .message = event { messages += 1 }
                if case .closed = event { break }
            }
            #expect(messages == 0)
            #expect(try await bench.onSession { !$0.isOnline })
        }
    }
}
