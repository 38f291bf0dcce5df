import CastWire
import CastwayTestSupport
import GatewayConfig
import GatewayCore
import GatewayTesting
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import VirtualDevices

/// Senders without a socket, on an event loop whose time stands still.
@Suite struct InternalSenderTests {
    private static let quiz: Namespace = "urn:x-cast:com.example.quiz"
    private static let app = SessionFacts(
        appID: "ABCD1234", sessionID: "s-1", transportID: "web-1", displayName: "Quiz", namespaces: [Self.quiz])

    /// What a request came to, if it has come to anything.
    private final class Outcome {
        var result: Result<CastMessage.Payload?, any Error>?

        var code: GatewayError.Code? {
            guard case .failure(let error as GatewayError) = self.result else { return nil }
            return error.code
        }
        var text: String? { if case .success(let payload) = self.result { payload?.text } else { nil } }
        var isSent: Bool { if case .success(nil) = self.result { true } else { false } }
    }

    private final class Names: Sendable {
        private let names = Mutex<[String]>([])
        var all: [String] { self.names.withLock { $0 } }
        func add(_ name: String) { self.names.withLock { $0.append(name) } }
    }

    private func bench(_ handlers: [any MessageHandler] = []) throws -> DeviceBench {
        let bench = try DeviceBench(handlers)
        bench.target.sessions = [Self.app]
        return bench
    }

    @discardableResult
    private func send(
        _ text: String, in namespace: Namespace = Self.quiz, session: String? = nil,
        as origin: MessageOrigin = MessageOrigin("quiz"), wait: TimeAmount? = nil, on bench: DeviceBench
    ) -> Outcome {
        let outcome = Outcome()
        let promise = bench.loop.makePromise(of: CastMessage.Payload?.self)
        promise.futureResult.assumeIsolated().whenComplete { outcome.result = $0 }
        let outgoing = InternalSender.Outgoing(
            payload: .text(text), namespace: namespace, address: AppAddress(device: "test", session: session),
            origin: origin)
        bench.device.send(outgoing, timeout: wait, promise: promise)
        return outcome
    }

    // MARK: Refusals

    @Test func aNamespaceThatTheAppDoesNotListIsRefused() throws {
        let bench = try self.bench()
        #expect(self.send("one", in: "urn:x-cast:com.example.other", on: bench).code == .unsupportedNamespace)
        #expect(bench.target.received == [])
        // Handlers answer for apps.
        let answering = try self.bench([
            FunctionHandler("other", [Claim(.exact("urn:x-cast:com.example.other"))]) { _, _ in .handled }
        ])
        #expect(self.send("one", in: "urn:x-cast:com.example.other", on: answering).isSent)
        let elsewhere = try self.bench([
            FunctionHandler("other", [Claim(.exact("urn:x-cast:com.example.other"), devices: ["attic"])]) { _, _ in
                .handled
            }
        ])
        #expect(self.send("one", in: "urn:x-cast:com.example.other", on: elsewhere).code == .unsupportedNamespace)
    }

    @Test func aDeviceThatIsFullTakesNoMore() throws {
        let bench = try self.bench()
        bench.target.isWritable = false
        #expect(self.send("one", on: bench).code == GatewayError.Code(.sendBufferFull))
        #expect(bench.target.received == [])
        bench.target.isWritable = true
        #expect(self.send("one", on: bench).isSent)
    }

    // MARK: Speaking

    @Test func theFirstMessageConnects() throws {
        let bench = try self.bench()
        #expect(self.send("one", on: bench).isSent)
        #expect(self.send("two", on: bench).isSent)
        let id = ConnectionID(rawValue: 1)
        let connect = CastMessage(
            source: "door-quiz", destination: "web-1", namespace: .connection,
            payload: ConnectionPayload.connect(userAgent: "Castway", type: .weak).payload)
        #expect(
            bench.target.calls == [
                .connect(connect, id),
                .receive(.test("one", from: "door-quiz", to: "web-1"), id),
                .receive(.test("two", from: "door-quiz", to: "web-1"), id),
            ])
    }

    @Test func theNamespaceSaysWhoIsMeant() throws {
        let bench = try self.bench()
        self.send("{}", in: .receiver, on: bench)
        self.send("{}", in: .receiver, session: "s-1", on: bench)
        self.send("{}", in: .media, session: "s-1", on: bench)
        #expect(bench.target.received.map(\.destination) == ["receiver-0", "receiver-0", "web-1"])
    }

    @Test func whatCannotBeReachedIsSaid() throws {
        let bench = try self.bench()
        #expect(self.send("{}", session: "s-2", on: bench).code == .unknownSession)
        #expect(self.send("{}", in: .receiver, session: "s-2", on: bench).code == .unknownSession)
        #expect(self.send("{}", in: .connection, on: bench).code == .reservedNamespace)
        #expect(self.send("{}", as: MessageOrigin(""), on: bench).code == .init(.invalidRequest))
        #expect(
            self.send(String(repeating: "a", count: 65_536), on: bench).code == GatewayError.Code(.messageTooBig))
        bench.target.accepted = []
        #expect(self.send("{}", as: MessageOrigin("other"), on: bench).code == .unknownSession)
        bench.target.sessions = []
        #expect(self.send("{}", on: bench).code == .unknownSession)
        #expect(bench.target.received == [])
        bench.device.stop("test")
        #expect(self.send("{}", in: .receiver, on: bench).code == .unavailable)
    }

    @Test func nobodySendsMoreThanASenderMay() throws {
        let bench = try DeviceBench(messagesPerSecond: 8)
        bench.target.sessions = [Self.app]
        let codes = (0..<3).map { _ in self.send("{}", on: bench).code }
        #expect(codes == [nil, nil, GatewayError.Code(.sendBufferFull)])
        #expect(self.send("{}", as: MessageOrigin("other"), on: bench).isSent)
        bench.loop.advanceTime(by: .milliseconds(125))
        #expect(self.send("{}", on: bench).isSent)
        bench.device.limit(to: SenderLimits { $0.messagesPerSecond = nil })
        for _ in 0..<100 { #expect(self.send("{}", on: bench).isSent) }
    }

    // MARK: Answers

    @Test func theAnswerComesBackByItsNumber() throws {
        let bench = try self.bench()
        bench.target.echoes = true
        let outcome = self.send(#"{"type":"ASK","requestId":7}"#, wait: .seconds(1), on: bench)
        let number = try #require(PayloadSummary(peeking: bench.target.received[0].payload).requestID)
        #expect(number != 7)
        #expect(outcome.text == #"{"type":"ASK","requestId":\#(number)}"#)
    }

    @Test func onlyWhatAnswersIsTheAnswer() throws {
        let bench = try self.bench()
        let outcome = self.send("{}", in: .media, wait: .seconds(1), on: bench)
        let asked = bench.target.received[0]
        let number = try #require(PayloadSummary(peeking: asked.payload).requestID)
        let answer = asked.reply(json: ["requestId": number.json, "type": "MEDIA_STATUS"])
        var other = answer
        other.payload = .text(#"{"requestId":1}"#)
        bench.device.send(other, to: ConnectionID(rawValue: 1))
        other = answer
        other.namespace = Self.quiz
        bench.device.send(other, to: ConnectionID(rawValue: 1))
        other = answer
        other.source = "web-2"
        bench.device.send(other, to: ConnectionID(rawValue: 1))
        #expect(outcome.result == nil)
        // Some devices answer to all.
        other = answer
        other.destination = .broadcast
        bench.device.broadcast(other)
        #expect(outcome.text == answer.payload.text)
        bench.device.send(answer, to: ConnectionID(rawValue: 1))
    }

    @Test func whoWaitsTooLongIsTold() throws {
        let bench = try self.bench()
        let outcome = self.send("{}", wait: .seconds(1), on: bench)
        bench.loop.advanceTime(by: .milliseconds(999))
        #expect(outcome.result == nil)
        bench.loop.advanceTime(by: .milliseconds(1))
        #expect(outcome.code == GatewayError.Code(.timeout))
        #expect(self.send("text", wait: .seconds(1), on: bench).code == GatewayError.Code(.invalidRequest))
    }

    @Test func onlySoManyWait() throws {
        let bench = try self.bench()
        let outcomes = (0...InternalSenderRequests.limit).map { _ in self.send("{}", wait: .seconds(1), on: bench) }
        #expect(outcomes.map(\.code) == outcomes.dropLast().map { _ in nil } + [GatewayError.Code(.sendBufferFull)])
        bench.loop.advanceTime(by: .seconds(1))
        #expect(outcomes.dropLast().allSatisfy { $0.code == GatewayError.Code(.timeout) })
        #expect(self.send("{}", wait: .seconds(1), on: bench).result == nil)
        bench.device.stop("test")
    }

    @Test func whoeverGoesAwayAnswersNobody() throws {
        let bench = try self.bench()
        let first = self.send("{}", wait: .seconds(1), on: bench)
        let platform = self.send("{}", in: .receiver, wait: .seconds(1), on: bench)
        bench.device.closeVirtualConnections(of: "web-1")
        #expect(first.code == GatewayError.Code(.disconnected))
        let second = self.send("{}", wait: .seconds(1), on: bench)
        #expect(bench.target.calls.count { if case .connect = $0 { true } else { false } } == 3)
        bench.device.closeVirtualConnection(
            VirtualConnection(local: "web-1", peer: "door-quiz"), on: ConnectionID(rawValue: 1),
            message: .close("web-1", to: "door-quiz"))
        #expect(second.code == GatewayError.Code(.disconnected))
        #expect(platform.result == nil)
        bench.device.stop("test")
        #expect(platform.code == GatewayError.Code(.disconnected))
    }

    // MARK: Rules, and loops

    @Test func everybodyButTheSpeakerSeesIt() throws {
        let bench = try self.bench([
            FunctionHandler("rule", [Claim(.exact(Self.quiz), phase: .filter, types: ["BAD"])]) { _, _ in
                .reject(.notAllowed())
            },
            FunctionHandler("quiz", [Claim(.exact(Self.quiz), directions: [.toReceiver, .toSender])]) { _, _ in
                .reply(["type": "MINE"])
            },
            FunctionHandler("change", [Claim(.exact(Self.quiz), phase: .filter)]) { routed, _ in
                .rewrite(["type": "CHANGED", "hops": .number(routed.origin?.hops ?? 0)])
            },
        ])
        let refused = self.send(#"{"type":"BAD"}"#, wait: .seconds(1), on: bench)
        #expect(refused.text?.contains("NOT_ALLOWED") == true)
        self.send("{}", as: MessageOrigin("quiz", after: MessageOrigin("other")), on: bench)
        #expect(bench.target.received.map { $0.payload.text } == [#"{"type":"CHANGED","hops":2}"#])
        let answered = self.send("{}", as: MessageOrigin("other"), wait: .seconds(1), on: bench)
        #expect(bench.target.received.count == 1)
        // The quiz leaves out the request's number, so it is no answer.
        #expect(answered.result == nil)
        bench.device.stop("test")
    }

    @Test func theAnswerIsNoNewsToTheSpeaker() throws {
        let seen = Names()
        let bench = try self.bench(
            ["quiz", "other"].map { name in
                FunctionHandler(name, [Claim(.exact(Self.quiz), phase: .observe, directions: [.toSender])]) { _, _ in
                    seen.add(name)
                    return .pass
                }
            })
        bench.target.echoes = true
        #expect(self.send("{}", wait: .seconds(1), on: bench).text != nil)
        #expect(seen.all == ["other"])
    }

    /// An answer without the number of the request, and anything else that the app says to the speaker.
    @Test func whatTheAppSaysOfItsOwnAccordIsNewsToTheSpeaker() throws {
        let seen = Names()
        let hops = Mutex<[Int?]>([])
        let bench = try self.bench(
            ["quiz", "other"].map { name in
                FunctionHandler(name, [Claim(.exact(Self.quiz), phase: .observe, directions: [.toSender])]) {
                    routed, _ in
                    seen.add(name)
                    hops.withLock { $0.append(routed.origin?.hops) }
                    return .pass
                }
            })
        let waiting = self.send("{}", wait: .seconds(1), on: bench)
        let sender = ConnectionID(rawValue: 1)
        bench.device.send(.test(#"{"type":"OWN"}"#, in: Self.quiz, from: "web-1", to: "door-quiz"), to: sender)
        #expect(seen.all == ["quiz", "other"])
        bench.device.send(
            .test(#"{"type":"OTHER","requestId":7}"#, in: Self.quiz, from: "web-1", to: "door-quiz"), to: sender)
        #expect(seen.all == ["quiz", "other", "quiz", "other"])
        // What follows from it is still counted.
        #expect(hops.withLock { $0 } == [1, 1, 1, 1])
        #expect(waiting.result == nil)
        bench.device.stop("test")
    }

    @Test func aChainOfMessagesEnds() throws {
        let bench = try self.bench()
        var origin = MessageOrigin("a")
        for _ in 1..<MessageOrigin.maximumHops { origin = MessageOrigin(origin.name == "a" ? "b" : "a", after: origin) }
        #expect(self.send("{}", as: origin, on: bench).isSent)
        #expect(self.send("{}", as: MessageOrigin("c", after: origin), on: bench).code == .messageLoop)
        #expect(bench.device.router.counts.dropped == ["message_loop": 1])
    }

    // MARK: Broadcasts

    @Test func aBroadcastReachesTheSendersOfTheApp() throws {
        let bench = try self.bench()
        let there = try bench.connect(.connect("sender-0", to: "web-1"))
        let elsewhere = try bench.connect(.connect("sender-0"))
        let outgoing = InternalSender.Outgoing(
            payload: .text("hello"), namespace: Self.quiz, address: AppAddress(device: "test"),
            origin: MessageOrigin("quiz"))
        try bench.device.broadcast(outgoing)
        #expect(try there.heard() == [.test("hello", from: "web-1", to: "*")])
        #expect(try elsewhere.heard() == [])
        #expect(bench.target.received == [])
    }

    @Test func whoListensHears() throws {
        let bench = try self.bench()
        let (inbox, input) = SenderInbox.make(limit: 2)
        let address = AppAddress(device: "test", session: "s-1")
        let (id, number) = try bench.device.listen(to: address, as: MessageOrigin("quiz"), input)
        for text in ["one", "two", "three"] { bench.device.broadcast(.test(text, from: "web-1", to: "*")) }
        bench.device.broadcast(.test("elsewhere", from: "receiver-0", to: "*"))
        #expect(inbox.droppedCount == 1)
        bench.device.internalSenders[id]?.stopListening(number, at: bench.loop.now)
        bench.device.broadcast(.test("four", from: "web-1", to: "*"))
        #expect(inbox.droppedCount == 1)
    }

    @Test func anInboxEndsWithItsApp() async throws {
        let inbox = try self.inboxOfAnAppThatEnds()
        var texts: [String?] = []
        for await heard in inbox.messages {
            #expect(heard.session == "s-1")
            texts.append(heard.message.payload.text)
        }
        #expect(texts == ["one"])
    }

    private func inboxOfAnAppThatEnds() throws -> SenderInbox {
        let bench = try self.bench()
        let (inbox, input) = SenderInbox.make(limit: 2)
        _ = try bench.device.listen(
            to: AppAddress(device: "test", session: "s-1"), as: MessageOrigin("quiz"), input)
        bench.device.broadcast(.test("one", from: "web-1", to: "*"))
        bench.device.closeVirtualConnections(of: "web-1")
        return inbox
    }

    // MARK: Coming and going

    @Test func whoIsSilentForLongGoes() throws {
        let bench = try self.bench()
        self.send("{}", on: bench)
        bench.loop.advanceTime(by: .minutes(4))
        #expect(!bench.device.internalSenders.isEmpty)
        bench.loop.advanceTime(by: .minutes(2))
        #expect(bench.device.internalSenders.isEmpty)
        #expect(bench.target.calls.last == .lost(ConnectionID(rawValue: 1)))
        #expect(self.send("{}", on: bench).isSent)
        #expect(bench.target.received.count == 2)
    }

    @Test func anotherTargetIsConnectedTo() throws {
        let bench = try self.bench()
        let waiting = self.send("{}", wait: .seconds(1), on: bench)
        self.send("{}", in: .receiver, on: bench)
        let target = FakeTarget()
        target.sessions = [Self.app]
        bench.device.replaceTarget(by: target)
        #expect(waiting.code == GatewayError.Code(.disconnected))
        self.send("{}", on: bench)
        let connects = target.calls.compactMap {
            if case .connect(let message, _) = $0 { message.destination } else { nil }
        }
        #expect(connects == ["receiver-0", "web-1"])
        #expect(target.received.count == 1)
    }

    @Test func onlySoManySpeak() throws {
        let bench = try self.bench()
        let codes = (0...InternalSenderGroup.limit).map { self.send("{}", as: MessageOrigin("p\($0)"), on: bench).code }
        #expect(codes == codes.dropLast().map { _ in nil } + [.unavailable])
    }

    // MARK: How things stand

    @Test func theSnapshotTellsWhatRuns() throws {
        let bench = try self.bench()
        bench.target.media["web-1"] = ["playerState": "PLAYING"]
        _ = try bench.connect(.connect("sender-0"))
        self.send("{}", on: bench)
        let snapshot = bench.device.snapshot
        let sender = GatewaySnapshot.Sender(connection: ConnectionID(rawValue: 1), address: "192.0.2.7")
        #expect(
            snapshot.device
                == GatewaySnapshot.Device(name: "test", friendlyName: "test", senders: 1, connected: [sender]))
        #expect(
            snapshot.sessions == [
                GatewaySnapshot.Session(device: "test", app: Self.app, media: ["playerState": "PLAYING"])
            ])
    }
}
