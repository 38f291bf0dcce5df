import CastClient
import CastWire
import CastwayTestSupport
import GatewayCore
import NIOCore
import NIOPosix
import Testing

@testable import DeviceSessions

private let c1 = ConnectionID(rawValue: 1)

/// What devices were seen to do to connections and launches (protocol notes, 9), replayed; the numbers are the notes'.
@Suite(.timeLimit(.minutes(1))) struct ConnectionQuirkTests {
    /// What is left of a group's old leader.
    enum OldLeader: Sendable, CaseIterable {
        /// Its port is closed.
        case gone
        /// It takes the call, and hangs up without a word.
        case hangsUp
    }

    /// 1: a group's leader moves, and for a moment two are announced; the old one's record outlives it.
    @Test(arguments: OldLeader.allCases)
    func aGroupIsFollowedToItsNewLeader(_ old: OldLeader) async throws {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let one = try await FakeDevice(on: eventLoop)
        let two = try await FakeDevice(on: eventLoop)
        let bus = EventBus()
        let events = bus.subscribe()
        let before = DeviceAddress(host: "127.0.0.1", port: one.port)
        let after = DeviceAddress(host: "127.0.0.1", port: two.port)
        // With pauses of an hour, only what is announced can lead there.
        let session = try await DeviceAddressTests.session(
            eventLoop, pause: .seconds(3600), candidates: [before], events: bus)
        try await eventLoop.submit { session.value.start() }.get()
        for await event in events.events where event == .deviceOnline(target: "fake") { break }
        // Two leaders: the one that answers is kept.
        try await eventLoop.submit { session.value.link.setCandidates([after, before], isAnnounced: true) }.get()
        for _ in 0..<2 {
            _ = await one.events.next { event -> CastMessage? in
                if case .message(_, let message) = event, message.type == "GET_STATUS" { message } else { nil }
            }
        }
        #expect(try await eventLoop.submit { session.value.link.address }.get() == before)
        switch old {
        case .gone: try await one.stop()
        case .hangsUp: try await one.hangUpFromNowOn()
        }
        for await event in events.events where event.name == "device.offline" { break }
        try await eventLoop.submit { session.value.link.setCandidates([before, after], isAnnounced: true) }.get()
        for await event in events.events where event == .deviceOnline(target: "fake") { break }
        #expect(try await eventLoop.submit { session.value.link.address }.get() == after)
        // The late record of the old one leads nowhere.
        try await eventLoop.submit { session.value.link.setCandidates([after, before], isAnnounced: true) }.get()
        #expect(try await eventLoop.submit { session.value.isOnline }.get())
        try await eventLoop.submit { session.value.stop(stoppingApps: false) }.get()
        if old == .hangsUp { try await one.stop() }
        try await two.stop()
    }

    /// 2: a device that has restarted closes connections until that is acknowledged. Neither Castway's session nor a sender
    /// loses anything by it, and the channel stays.
    @Test func aDeviceThatClosesEverythingAfterARestartIsAcknowledged() async throws {
        try await RelayBench.with(behaviour: .restarting(.playing), suspendAfter: .seconds(600)) { bench in
            try await bench.goOnline()
            try await bench.onRelay { $0.connect(.connect("sender-0"), from: c1) }
            try await bench.onSession { session in
                session.startSession(number: 1, app: .defaultMediaReceiver, options: LaunchOptions())?.start()
            }
            #expect(await self.change(of: bench) { $0 == .didStart } == .didStart)
            try await bench.device.hangUp()
            await bench.waitForOnline()
            try await bench.onRelay { $0.receive(.request("GET_STATUS", id: 7), from: c1) }
            let heard = await bench.relays[0].heard.next { event -> RecordingSenders.Event? in
                if case .broadcast = event { nil } else { event }
            }
            #expect(heard == .sent(.status(.playing, id: 7, to: "sender-0"), c1))
            // The app's connection is acknowledged too, and opened again.
            var atApp: [String] = []
            while let event = await bench.device.events.next() {
                guard case .message(1, let message) = event, message.destination == "web-1" else { continue }
                if message.namespace == .connection, let type = message.type { atApp.append(type) }
                if atApp.suffix(2) == ["CLOSE", "CONNECT"] { break }
            }
            #expect(atApp.first == "CONNECT")
            #expect(try await bench.onSession { $0.platform.session?.facts.state } == .connected)
            #expect(try await bench.onSession { $0.isOnline })
            try await bench.onSession { $0.platform.session?.end(.leave) }
            #expect(await self.change(of: bench) { _ in true } == .willEnd(.leave))
        }
    }

    /// 2: what a sender had asked for goes with the connection, so it is answered in the device's place. A device that goes on
    /// closing is believed in the end.
    @Test func aSendersPlatformConnectionIsOpenedAgainThreeTimes() async throws {
        try await RelayBench.with(behaviour: .usual(.playing)) { bench in
            try await bench.goOnline()
            try await bench.onRelay { relay in
                relay.connect(.connect("sender-0"), from: c1)
                relay.receive(.request("SET_VOLUME", id: 5), from: c1)
            }
            let south = try #require(await bench.device.nextSendersMessage()).source
            #expect(await bench.device.nextSendersMessage()?.type == "SET_VOLUME")
            let close = CastMessage.close(.platformReceiver, to: south)
            for _ in 0..<3 {
                try await bench.device.say(close)
                #expect(await bench.device.nextSendersMessage()?.type == "CLOSE")
                #expect(await bench.device.nextSendersMessage()?.type == "CONNECT")
            }
            try await bench.device.say(close)
            let heard = bench.relays[0].heard
            #expect(await heard.next() == .sent(.status(.playing, id: 5, to: "sender-0"), c1))
            let pair = VirtualConnection(local: .platformReceiver, peer: "sender-0")
            #expect(await heard.next() == .closedOne(pair, c1, .close(.platformReceiver, to: "sender-0")))
            #expect(try await bench.onSession { $0.senders.endCount } == 0)
        }
    }

    /// 9: the first launch after an app such as DashCast is answered by CANCELLED.
    @Test func aLaunchThatIsCancelledFirstSucceeds() throws {
        var bench = SessionBench()
        let dashCast = ReceiverStatus(
            application: ReceiverApplication(
                appID: "84912283", displayName: "DashCast", sessionID: "session-1", transportID: "web-0", namespaces: []
            ),
            volume: ReceiverVolume(level: 0.5))
        _ = bench.start()
        #expect(bench.answered(.status, .status(dashCast)).requests == [.launch])
        let reply = try #require(LaunchError(.cancelled, requestID: 2).payload.jsonObject)
        let refusal = try #require(RequestError(reply: reply))
        #expect(bench.answered(.launch, .init(.failed(refusal))) == [.wait(until: bench.now + .seconds(1))])
        // What still runs is not what was asked for.
        #expect(bench.received(dashCast).isEmpty)
        bench.pass(1)
        #expect(bench.timerFired().requests == [.launch])
        #expect(bench.answered(.launch, .status(.relaunched)).ends[.start] == .noError)
        #expect(bench.machine.application?.sessionID == "session-2")
    }

    private func change(
        of bench: RelayBench, where isMeant: (CastSessionChange) -> Bool
    ) async -> CastSessionChange? {
        await bench.nextEvent { if case .castSession(_, let change) = $0, isMeant(change) { change } else { nil } }
    }
}
