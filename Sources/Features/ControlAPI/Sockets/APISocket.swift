import CastWire
import CoreMetrics
import GatewayJournal
import GatewayOperations
package import HTTPServing
package import NIOCore

/// One socket of the API: calls and their answers in any order, and one subscription.
///
/// Used on the event loop of its connection. Events are taken from the feed only while the peer keeps up, so what a slow reader costs
/// is the budget of its feed.
final class APISocket: WebSocketEndpoint {
    /// What all sockets of a listener have in common.
    struct Surroundings: Sendable {
        let events: any EventSource
        let authority: any CallerAuthority
        let calls: SocketCalls
        let rates: CallerRates?
        let audit: (any AuditTrail)?
        /// How many sockets there are.
        let clients: Meter
    }

    /// Who the client is when the socket opens.
    enum Opening: Sendable {
        /// Known by what the request has shown.
        case caller(Caller)
        /// Not known: a token has to come in the first frame.
        case stranger
    }

    private enum Phase {
        case stranger(timer: Scheduled<Void>?)
        /// `isFirst` until a frame has come: the first may still name a token.
        case serving(Caller, CallerWatch, isFirst: Bool)
        case over
    }

    /// Frames are taken from the feed in portions of this size.
    private static let portion = 32 << 10
    /// So many portions are sent in one turn of the event loop; other connections get theirs before the next.
    private static let portionsPerTurn = 8

    private let socket: WebSocket
    private let address: String
    /// What failures of devices are told in besides; nil when the client has said no language.
    private let language: ErrorLanguage?
    private let surroundings: Surroundings
    private let opening: Opening
    private let limits: APISocketLimits
    private var phase = Phase.over
    private var line: SocketCalls.Line?
    private var outstanding: Set<JSONValue> = []
    private var feed: (any EventFeed)?
    private var position: JournalPosition?

    init(
        _ socket: WebSocket, _ opening: Opening, address: String, language: ErrorLanguage?,
        _ surroundings: Surroundings, _ limits: APISocketLimits
    ) {
        self.limits = limits
        self.socket = socket
        self.address = address
        self.language = language
        self.surroundings = surroundings
        self.opening = opening
    }

    private var bound: NIOLoopBound<APISocket> { NIOLoopBound(self, eventLoop: self.socket.eventLoop) }

    func opened() {
        self.surroundings.clients.increment()
        switch self.opening {
        case .caller(let caller): self.serve(caller, isFirst: true)
        case .stranger:
            let bound = self.bound
            let timer = self.socket.eventLoop.scheduleTask(in: self.limits.authTimeout) {
                bound.value.authTimedOut()
            }
            self.phase = .stranger(timer: timer)
        }
    }

    func ended() {
        self.surroundings.clients.decrement()
        switch self.phase {
        case .stranger(let timer): timer?.cancel()
        case .serving(_, let watch, _): watch.cancel()
        case .over: break
        }
        self.phase = .over
        self.line?.end()
        self.line = nil
        self.feed?.cancel()
        self.feed = nil
    }

    // MARK: Who it is

    private func serve(_ caller: Caller, isFirst: Bool) {
        let (bound, eventLoop) = (self.bound, self.socket.eventLoop)
        let watch = self.surroundings.authority.watch(caller) { reason in
            eventLoop.execute { bound.value.callerEnded(caller, reason) }
        }
        self.phase = .serving(caller, watch, isFirst: isFirst)
    }

    private func callerEnded(_ caller: Caller, _ reason: String) {
        // The socket may have another caller meanwhile.
        guard case .serving(caller, _, _) = self.phase else { return }
        self.socket.close(code: 4401, reason: String(reason.prefix(100)))
    }

    private func authTimedOut() {
        guard case .stranger = self.phase else { return }
        self.socket.close(code: 4401, reason: "no token has come")
    }

    private func authenticate(_ id: JSONValue?, _ token: String) {
        do throws(OperationProblem) {
            let credentials = CallerCredentials(token: token, address: self.address)
            let caller = try self.surroundings.authority.caller(showing: credentials)
            switch self.phase {
            case .stranger(let timer): timer?.cancel()
            case .serving(_, let watch, _): watch.cancel()
            case .over: return
            }
            self.socket.callerIsKnown()
            self.serve(caller, isFirst: false)
            let scopes = caller.scopes.map(\.rawValue).sorted().map { JSONValue.string($0) }
            self.socket.send(
                text: ServerFrame.result(["caller": .string(caller.name), "scopes": .array(scopes)], id: id))
        } catch {
            self.surroundings.audit?.record(
                AuditEntry(.requestRefused, outcome: error.code, address: self.address))
            self.socket.send(text: ServerFrame.problem(error, id: id))
            self.socket.close(code: 4401, reason: error.code)
        }
    }

    // MARK: What comes

    func received(binary: ByteBuffer) {
        self.refuse("bad_request", 400, "frames are text", id: nil)
    }

    func received(text: ByteBuffer) {
        let frame: ClientFrame
        do throws(ClientFrame.Fault) {
            frame = try ClientFrame(reading: text)
        } catch {
            return self.socket.send(text: ServerFrame.problem(error.problem, id: error.id))
        }
        switch (self.phase, frame) {
        case (.over, _): return
        case (.stranger, .auth(let id, let token)), (.serving(_, _, isFirst: true), .auth(let id, let token)):
            self.authenticate(id, token)
        case (.stranger, _):
            self.refuse("unauthorized", 401, "the first frame is {\"auth\": {\"token\": TEXT}}", id: nil)
            self.socket.close(code: 4401, reason: "unauthorized")
        case (.serving(let caller, let watch, _), _):
            self.phase = .serving(caller, watch, isFirst: false)
            self.received(frame, of: caller)
        }
    }

    private func received(_ frame: ClientFrame, of caller: Caller) {
        do throws(OperationProblem) {
            try self.surroundings.rates?.admit(caller, from: self.address, at: .now())
        } catch {
            return self.socket.send(text: ServerFrame.problem(error, id: frame.id))
        }
        switch frame {
        case .auth(let id, _):
            self.refuse("already_authenticated", 409, "only the first frame may name a token", id: id)
        case .call(let id, let name, let input, var options):
            options.address = self.address
            self.call(
                SocketCalls.Call(
                    id: id, name: name, input: input, options: options, caller: caller, language: self.language))
        case .subscribe(let id, let topics, let position): self.subscribe(id, topics, position, caller)
        case .unsubscribe(let id): self.unsubscribe(id)
        }
    }

    private func refuse(_ code: String, _ status: Int, _ detail: String, id: JSONValue?) {
        self.socket.send(text: ServerFrame.problem(OperationProblem(code, status: status, detail), id: id))
    }

    // MARK: Calls

    private func call(_ call: SocketCalls.Call) {
        let most = self.limits.outstandingCalls
        guard self.outstanding.count < most else {
            return self.refuse(
                "too_many_calls", 429, "\(most) calls of this socket have no answer yet", id: call.id)
        }
        guard !self.outstanding.contains(call.id) else {
            return self.refuse("id_in_use", 409, "a call with this id has no answer yet", id: call.id)
        }
        guard let line = self.openLine() else {
            return self.refuse("unavailable", 503, "the gateway stops", id: call.id)
        }
        self.outstanding.insert(call.id)
        line.add(call)
    }

    private func openLine() -> SocketCalls.Line? {
        if let line = self.line { return line }
        let (bound, eventLoop) = (self.bound, self.socket.eventLoop)
        self.line = self.surroundings.calls.open { id, frame in
            eventLoop.execute { bound.value.answered(id, frame) }
        }
        return self.line
    }

    private func answered(_ id: JSONValue, _ frame: ByteBuffer) {
        self.outstanding.remove(id)
        self.socket.send(text: frame)
        self.socket.flush()
    }

    // MARK: Events

    private func subscribe(_ id: JSONValue, _ topics: EventTopics, _ position: JournalPosition?, _ caller: Caller) {
        guard self.feed == nil else {
            return self.refuse(
                "already_subscribed", 409, "a socket has one subscription; unsubscribe, and subscribe again", id: id)
        }
        let (bound, eventLoop) = (self.bound, self.socket.eventLoop)
        do throws(OperationProblem) {
            try EventStreamRoutes.requireRead(topics, for: caller)
            self.feed = try self.surroundings.events.subscribe(to: topics, from: position, for: caller) {
                eventLoop.execute { bound.value.drain() }
            }
            self.position = position
            self.socket.send(text: ServerFrame.result(["subscribed": true], id: id))
            self.socket.flush()
            self.drain()
        } catch {
            self.socket.send(text: ServerFrame.problem(error, id: id))
        }
    }

    private func unsubscribe(_ id: JSONValue) {
        guard let feed = self.feed else {
            return self.refuse("not_subscribed", 409, "there is no subscription", id: id)
        }
        feed.cancel()
        self.feed = nil
        var result: JSONObject = ["subscribed": false]
        if let position { result["resume"] = .string("\(position)") }
        self.socket.send(text: ServerFrame.result(result, id: id))
    }

    func becameWritable() { self.drain() }

    private func drain() {
        guard let feed = self.feed else { return }
        // A peer that reads nothing hears of the end too, if it does soon.
        if !self.socket.isWritable { return self.finish(feed) }
        var portions = 0
        while self.socket.isWritable {
            guard portions < Self.portionsPerTurn else {
                let bound = self.bound
                return self.socket.eventLoop.execute { bound.value.drain() }
            }
            portions += 1
            let frames = feed.take(upTo: Self.portion)
            guard !frames.isEmpty else { return self.finish(feed) }
            for frame in frames {
                if let position = frame.position { self.position = position }
                self.socket.send(text: frame.bytes)
            }
            self.socket.flush()
        }
    }

    private func finish(_ feed: any EventFeed) {
        guard let end = feed.end else { return }
        self.socket.send(text: ServerFrame.end(reason: end.reason, resume: "\(end.position)"))
        self.socket.close(code: end.reason == "too_slow" ? 4408 : 1001, reason: end.reason)
    }
}

/// What one socket of the API may use, beside what a WebSocket may.
package struct APISocketLimits: Sendable {
    /// Frames: their size, how many in a second, and the signs of life.
    package var frames: WebSocketLimits
    /// Calls that have no answer yet.
    package var outstandingCalls: Int
    /// How long a client that has shown no token has for its first frame.
    package var authTimeout: TimeAmount

    package init(
        frames: WebSocketLimits = WebSocketLimits(), outstandingCalls: Int = 64, authTimeout: TimeAmount = .seconds(5)
    ) {
        self.frames = frames
        self.outstandingCalls = outstandingCalls
        self.authTimeout = authTimeout
    }
}
