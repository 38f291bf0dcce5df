import CastWire
import CastwayTestSupport
import GatewayCore
import MediaRelay
import NIOCore
import Testing

@testable import DeviceSessions

private let c1 = ConnectionID(rawValue: 1)

/// The stream of a mirroring sender passes a relay, and ends with what it depends on.
@Suite(.timeLimit(.minutes(1))) struct MirroringRelayTests {
    /// A device on which the app for mirroring runs, and a sender that is connected to it.
    private struct Scene {
        static let app: EndpointID = "mirror-1"
        static let status = ReceiverStatus(
            application: ReceiverApplication(
                appID: .mirroring, displayName: "Mirroring", sessionID: "session-m", transportID: Self.app,
                namespaces: [.webRTC]),
            volume: ReceiverVolume(level: 0.5, muted: false))

        let bench: RelayBench
        let sender: UDPPeer
        let device: UDPPeer

        static func with(
            _ settings: MirroringSettings = MirroringSettings(isRelayed: true), body: (Scene) async throws -> Void
        ) async throws {
            try await RelayBench.with(behaviour: .usual(Self.status)) { bench in
                let scene = Scene(bench: bench, sender: try UDPPeer(), device: try UDPPeer())
                let output = bench.relays[0].output
                let port = scene.sender.port
                try await bench.onRelay { relay in
                    relay.follow(settings)
                    output.value.endpoints = try? (
                        SocketAddress(ipAddress: "127.0.0.1", port: 8009),
                        SocketAddress(ipAddress: "127.0.0.1", port: port)
                    )
                }
                try await bench.goOnline()
                try await scene.connect()
                try await body(scene)
            }
        }

        func connect() async throws {
            try await self.bench.onRelay { relay in
                var connect = CastMessage.connect("sender-0")
                connect.destination = Self.app
                relay.connect(connect, from: c1)
            }
        }

        /// The sender offers a stream.
        /// - Returns: the OFFER as the device has it.
        func offer(_ number: Int) async throws -> CastMessage {
            let offer = CastMessage(
                source: "sender-0", destination: Self.app, namespace: .webRTC,
                json: ["type": "OFFER", "seqNum": .number(number), "offer": ["castMode": "mirroring"]])
            try await self.bench.onRelay { $0.receive(offer, from: c1) }
            var heard = await self.bench.device.nextSendersMessage()
            while let message = heard, message.type != "OFFER" { heard = await self.bench.device.nextSendersMessage() }
            return try #require(heard)
        }

        /// The device answers to an offer.
        /// - Returns: what the sender is told.
        func answer(_ offer: CastMessage, _ number: Int, port: JSONValue) async throws -> CastMessage {
            let answer: JSONObject = [
                "type": "ANSWER", "seqNum": .number(number), "result": "ok", "answer": ["udpPort": port, "x": 1.0],
            ]
            try await self.bench.device.say(offer.reply(json: answer))
            return try await self.told()
        }

        /// What the sender is told next.
        func told() async throws -> CastMessage {
            try #require(
                await self.bench.relays[0].heard.next { if case .sent(let message, c1) = $0 { message } else { nil } })
        }

        /// Another end of the sender connects to the app, offers a stream, and the device answers.
        /// - Returns: what the sender is told.
        func answerToOffer(of source: EndpointID) async throws -> CastMessage {
            let offer = CastMessage(
                source: source, destination: Self.app, namespace: .webRTC,
                json: ["type": "OFFER", "seqNum": 1, "offer": [:]])
            try await self.bench.onRelay { relay in
                relay.connect(.connect(source, to: Self.app), from: c1)
                relay.receive(offer, from: c1)
            }
            var heard = await self.bench.device.nextSendersMessage()
            while let message = heard, message.type != "OFFER" { heard = await self.bench.device.nextSendersMessage() }
            return try await self.answer(try #require(heard), 1, port: .number(self.device.port))
        }

        /// Both agree on a stream.
        /// - Returns: the port that the sender is told.
        @discardableResult
        func agree(_ number: Int = 1) async throws -> Int {
            let offer = try await self.offer(number)
            let told = try await self.answer(offer, number, port: .number(self.device.port))
            return try #require(told.payload.jsonObject?.object("answer")?.int("udpPort"))
        }

        /// Why the next stream that ends has ended.
        func end() async -> (MirroringStream, MirroringEnd)? {
            await self.bench.nextEvent {
                if case .mirroring("virtual-0", .ended(let stream, let reason)) = $0 { (stream, reason) } else { nil }
            }
        }

        func refusal() async -> String? {
            await self.bench.nextEvent {
                if case .mirroring("virtual-0", .refused(_, _, let reason)) = $0 { reason } else { nil }
            }
        }

        var streams: [MirroringStream] {
            get async throws { try await self.bench.onRelay { $0.streams } }
        }
    }

    @Test func datagramsGoToTheDeviceAndBack() async throws {
        try await Scene.with { scene in
            let offer = try await scene.offer(7)
            let told = try await scene.answer(offer, 7, port: .number(scene.device.port))
            let port = try #require(told.payload.jsonObject?.object("answer")?.int("udpPort"))
            #expect(port != scene.device.port)
            #expect(
                told.payload.text
                    == #"{"type":"ANSWER","seqNum":7,"result":"ok","answer":{"udpPort":\#(port),"x":1}}"#)
            #expect(told.destination == "sender-0" && told.source == Scene.app)
            try scene.sender.send([1, 2, 3], to: port)
            let there = try #require(scene.device.receive())
            try scene.device.send([4], to: there.port)
            let back = try #require(scene.sender.receive())
            #expect(there.bytes == [1, 2, 3] && back.bytes == [4] && back.port == port)
            let stream = try #require(try await scene.streams.first)
            #expect(stream.packets == (1, 1) && stream.bytes == (3, 1) && stream.dropped == 0)
            #expect(stream.port == port && stream.devicePort == scene.device.port && stream.address == "127.0.0.1")
            #expect(stream.app?.sessionID == "session-m" && stream.sender == "127.0.0.1" && stream.connection == c1)
            let started = await scene.bench.nextEvent {
                if case .mirroring("virtual-0", .started(let stream)) = $0 { stream.port } else { nil }
            }
            #expect(started == port)
        }
    }

    @Test func anotherAnswerReplacesTheStream() async throws {
        try await Scene.with { scene in
            let first = try await scene.agree(1)
            let second = try await scene.agree(2)
            let (stream, reason) = try #require(await scene.end())
            #expect(stream.port == first && reason == .replaced)
            let streams = try await scene.streams
            #expect(streams.map(\.port) == [second])
        }
    }

    @Test(arguments: [JSONValue.string("40000"), 0, 70_000, -1, 1.5, .null])
    func aPortThatIsNoneIsRefused(port: JSONValue) async throws {
        try await Scene.with { scene in
            let told = try await scene.answer(try await scene.offer(3), 3, port: port)
            let json = try #require(told.payload.jsonObject)
            #expect(json.string("result") == "error" && json.int("seqNum") == 3 && json["answer"] == nil)
            #expect(await scene.refusal()?.contains("port") == true)
            #expect(try await scene.streams.isEmpty)
        }
    }

    /// What is not clear enough to be answered is withheld; what names no port passes as it is.
    @Test func whatIsToNoOfferIsWithheld() async throws {
        try await Scene.with { scene in
            let offer = try await scene.offer(3)
            let device = scene.bench.device
            func say(_ json: JSONObject) async throws { try await device.say(offer.reply(json: json)) }
            let port = JSONValue.number(scene.device.port)
            try await say(["type": "ANSWER", "seqNum": 4, "answer": ["udpPort": port]])
            try await say(["type": "ANSWER", "answer": ["udpPort": port]])
            let harmless: JSONObject = ["type": "ANSWER", "seqNum": 3, "result": "error", "error": ["code": 9]]
            try await say(harmless)
            #expect(try await scene.told().payload == .json(harmless))
            #expect(try await scene.streams.isEmpty)
            // The offer is still open.
            let told = try await scene.answer(offer, 3, port: port)
            #expect(told.payload.jsonObject?.object("answer")?.int("udpPort") != nil)
            // Another answer to the same offer is to none.
            try await say(["type": "ANSWER", "seqNum": 3, "answer": ["udpPort": port]])
            try await say(["type": "RPC", "rpc": "CAE="])
            #expect(try await scene.told().type == "RPC")
            #expect(try await scene.streams.count == 1)
        }
    }

    @Test func anAnswerToAllIsToldToNone() async throws {
        try await Scene.with { scene in
            let offer = try await scene.offer(3)
            var toAll = offer.reply(json: [
                "type": "ANSWER", "seqNum": 3, "answer": ["udpPort": .number(scene.device.port)],
            ])
            toAll.destination = .broadcast
            var harmless = offer.reply(json: ["type": "RPC", "rpc": "CAE="])
            harmless.destination = .broadcast
            try await scene.bench.device.say(toAll, harmless)
            let heard = await scene.bench.relays[0].heard.next {
                if case .broadcast(let message) = $0, message.namespace == .webRTC { message.type } else { nil }
            }
            #expect(heard == "RPC")
            #expect(await scene.refusal() == "the answer is to all senders")
        }
    }

    @Test func aSenderWithoutAChannelIsRefused() async throws {
        try await Scene.with { scene in
            let output = scene.bench.relays[0].output
            try await scene.bench.onRelay { _ in output.value.endpoints = nil }
            let told = try await scene.answer(try await scene.offer(1), 1, port: .number(scene.device.port))
            #expect(told.payload.jsonObject?.string("result") == "error")
            #expect(await scene.refusal() == "the sender has no address of its own")
        }
    }

    @Test func portsAreThoseOfTheConfiguration() async throws {
        let range = 30_000...39_999
        try await Scene.with(MirroringSettings(isRelayed: true, ports: range)) { scene in
            let port = try await scene.agree()
            #expect(range.contains(port))
            // A range without the port ends the stream, one with it does not.
            try await scene.bench.onRelay { $0.follow(MirroringSettings(isRelayed: true, ports: 30_000...40_000)) }
            #expect(try await scene.streams.count == 1)
            try await scene.bench.onRelay { $0.follow(MirroringSettings(isRelayed: true, ports: 50_000...50_001)) }
            #expect(await scene.end()?.1 == .reconfigured)
        }
    }

    @Test func aRangeThatIsTakenIsRefused() async throws {
        let taken = try UDPPeer()
        try await Scene.with(MirroringSettings(isRelayed: true, ports: taken.port...taken.port)) { scene in
            let told = try await scene.answer(try await scene.offer(1), 1, port: .number(scene.device.port))
            #expect(told.payload.jsonObject?.string("result") == "error")
            #expect(await scene.refusal() == "no port of \(taken.port) to \(taken.port) is free")
        }
    }

    @Test func noMoreStreamsThanMayBe() async throws {
        try await Scene.with { scene in
            let output = scene.bench.relays[0].output
            for number in 1...MirroringStreams.maximumCount + 1 {
                // One address may have fewer.
                try await scene.bench.onRelay { _ in
                    output.value.endpoints = try? (
                        SocketAddress(ipAddress: "127.0.0.1", port: 8009),
                        SocketAddress(ipAddress: "127.0.0.\(number)", port: 5000)
                    )
                }
                let told = try await scene.answerToOffer(of: EndpointID(rawValue: "sender-\(number)"))
                let isLast = number > MirroringStreams.maximumCount
                #expect(told.payload.jsonObject?.string("result") == (isLast ? "error" : "ok"))
            }
            #expect(try await scene.streams.count == MirroringStreams.maximumCount)
        }
    }

    @Test func oneAddressDoesNotTakeAllStreams() async throws {
        try await Scene.with { scene in
            for number in 1...MirroringStreams.maximumPerSender + 1 {
                let source = EndpointID(rawValue: "sender-\(number)")
                let told = try await scene.answerToOffer(of: source)
                let isLast = number > MirroringStreams.maximumPerSender
                #expect(told.payload.jsonObject?.string("result") == (isLast ? "error" : "ok"))
            }
            #expect(await scene.refusal() == "2 streams of 127.0.0.1 pass 'virtual-0' already")
        }
    }

    @Test(arguments: [
        MirroringEnd.senderGone, .closedBySender, .closedByDevice, .appEnded, .reconfigured, .deviceStopped,
    ])
    func aStreamEndsWithWhatItDependsOn(reason: MirroringEnd) async throws {
        try await Scene.with { scene in
            let port = try await scene.agree()
            try scene.sender.send([1, 2], to: port)
            _ = try #require(scene.device.receive())
            let close = CastMessage(
                source: "sender-0", destination: Scene.app, namespace: .connection,
                payload: ConnectionPayload.close().payload)
            switch reason {
            case .senderGone: try await scene.bench.onRelay { $0.connectionLost(c1) }
            case .closedBySender: try await scene.bench.onRelay { $0.disconnect(close, from: c1) }
            case .closedByDevice:
                let offer = try await scene.offer(9)
                try await scene.bench.device.say(.close(Scene.app, to: offer.source))
            case .appEnded:
                let status = CastMessage(
                    source: .platformReceiver, destination: .broadcast, namespace: .receiver,
                    payload: ReceiverStatusPayload(.idle).payload)
                try await scene.bench.device.say(status)
            case .reconfigured: try await scene.bench.onRelay { $0.follow(.off) }
            case .deviceStopped: try await scene.bench.onRelay { $0.stop() }
            case .replaced, .idle: Issue.record("not tried here")
            }
            let (stream, ended) = try #require(await scene.end())
            #expect(ended == reason && stream.packets.toDevice == 1 && stream.bytes.toDevice == 2)
            #expect(try await scene.streams.isEmpty)
        }
    }

    @Test func withoutMirroringAnAnswerIsRefused() async throws {
        try await Scene.with(.off) { scene in
            let told = try await scene.answer(try await scene.offer(1), 1, port: .number(scene.device.port))
            #expect(told.payload.jsonObject?.string("result") == "error")
            #expect(await scene.refusal() == "mirroring is switched off")
        }
    }

    // MARK: Which apps there are

    private static func question(_ apps: [AppID], id: Int) -> CastMessage {
        CastMessage(
            source: "sender-0", destination: .platformReceiver, namespace: .receiver,
            payload: ReceiverRequest.getAppAvailability(of: apps, requestID: RequestID(id)).payload)
    }

    @Test func theDeviceSaysWhichAppsThereAre() async throws {
        try await RelayBench.with { bench in
            try await bench.goOnline()
            try await bench.onRelay { relay in
                relay.follow(MirroringSettings(isRelayed: true))
                relay.connect(.connect("sender-0"), from: c1)
                relay.receive(Self.question(["0F5096E8", "85CDB22F"], id: 2), from: c1)
            }
            _ = await bench.device.nextSendersMessage()
            let asked = try #require(await bench.device.nextSendersMessage())
            #expect(asked.requestID == 2)
            try await bench.device.say(
                asked.reply(json: [
                    "responseType": "GET_APP_AVAILABILITY", "requestId": 2,
                    "availability": ["0F5096E8": "APP_AVAILABLE", "85CDB22F": "APP_UNAVAILABLE"],
                ]))
            let told = await bench.relays[0].heard.next { if case .sent(let message, c1) = $0 { message } else { nil } }
            let answer = try #require(told.flatMap { AppAvailability($0.payload) })
            #expect(answer.availableApps == ["0F5096E8"] && answer.unavailableApps == ["85CDB22F"])
            try await bench.onRelay { relay in
                relay.receive(
                    CastMessage(
                        source: "sender-0", destination: .platformReceiver, namespace: .receiver,
                        json: ["type": "LAUNCH", "requestId": 3, "appId": "0F5096E8"]), from: c1)
            }
            let launch = await bench.device.nextSendersMessage()
            #expect(launch?.type == "LAUNCH" && launch?.requestID == 3)
        }
    }

    /// A sender that was told that there is no app for mirroring asks again when it has become possible.
    @Test func senderAskAgainWhenMirroringIsSwitchedOn() async throws {
        try await RelayBench.with { bench in
            try await bench.goOnline()
            try await bench.onRelay { relay in
                relay.connect(.connect("sender-0"), from: c1)
                relay.receive(Self.question(["0F5096E8"], id: 2), from: c1)
            }
            _ = await bench.relays[0].heard.next { if case .sent(_, c1) = $0 { true } else { nil } }
            try await bench.onRelay { $0.follow(MirroringSettings(isRelayed: true)) }
            var asked = await bench.device.nextMessage()
            while let message = asked, AppAvailability.type != message.type { asked = await bench.device.nextMessage() }
            let question = try #require(asked)
            let id = try #require(question.requestID)
            try await bench.device.say(
                question.reply(json: [
                    "responseType": "GET_APP_AVAILABILITY", "requestId": id.json,
                    "availability": ["0F5096E8": "APP_AVAILABLE"],
                ]))
            let letGo = await bench.relays[0].heard.next { if case .letGo(let id) = $0 { id } else { nil } }
            #expect(letGo == c1)
        }
    }
}
