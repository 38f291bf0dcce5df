package import CastWire
package import GatewayJournal
package import GatewayOperations
import HTTPTypes
package import Hummingbird
import NIOCore
import Synchronization
import SystemPrimitives

/// Events over HTTP: `GET /api/v1/events`, a stream of server-sent events, and `GET /api/v1/state`, the snapshot that it begins with.
///
/// The stream is that of the WebSocket, frame by frame: `data:` is the frame, `id:` the position of the reader, and `event:` the kind of
/// the frame for all but events, which come as messages without a name. Bookmarks are comments with an `id:`, so that a reader that
/// comes back names a late position, and a connection that is lost is noticed.
package struct EventStreamRoutes: APIRoutes {
    private static let path: RouterPath = "/api/v1/events"
    private static let statePath: RouterPath = "/api/v1/state"

    /// The paths.
    package let pages = ["/api/v1/events", "/api/v1/state"]
    private let events: any EventSource
    private let authority: any CallerAuthority

    /// Collects what the routes need.
    /// - Parameter authority: says when a reader's token is revoked, which ends its stream.
    package init(events: any EventSource, authority: any CallerAuthority) {
        self.events = events
        self.authority = authority
    }

    package func add(to router: Router<CallerContext>) {
        for method in [HTTPRequest.Method.get, .head] {
            router.on(Self.path, method: method) { request, context in
                do throws(OperationProblem) {
                    let query = try EventQuery(request)
                    try Self.requireRead(query.topics, for: context.caller)
                    guard method == .get else { return Response(status: .ok, headers: Self.headers) }
                    return try self.stream(query, context.caller, of: request)
                } catch {
                    return ControlAnswer(error).response
                }
            }
        }
        router.get(Self.statePath) { request, context in
            try Self.requireRead(for: context.caller)
            guard request.uri.queryParameters.isEmpty else {
                throw OperationProblem("bad_request", status: 400, "the state takes no query")
            }
            return ControlAnswer(await self.events.state(for: context.caller)).response
        }
    }

    /// Events and state are read; a namespace takes the scope of messages. What further scopes an event takes is the journal's to ask.
    static func requireRead(_ topics: EventTopics = .all, for caller: Caller) throws(OperationProblem) {
        try caller.require(scope: .read, for: "events")
        if topics.topics.contains(where: { $0.namespace != nil }) {
            try caller.require(scope: .messages, for: "namespace")
        }
    }

    private static var headers: HTTPFields {
        var headers: HTTPFields = [
            .contentType: "text/event-stream", .cacheControl: "no-store", .connection: "close",
        ]
        // Proxies that collect answers would hold events back.
        if let name = HTTPField.Name("X-Accel-Buffering") { headers[name] = "no" }
        return headers
    }

    private func stream(
        _ query: EventQuery, _ caller: Caller, of request: Request
    ) throws(OperationProblem) -> Response {
        let stream = try EventStream(query, caller, events: self.events, authority: self.authority)
        let body = ResponseBody { writer in
            // The reader that closes its end, or resets the connection, is gone at once, and not with the next event.
            try await request.body.consumeWithInboundCloseHandler { _ in
                for await piece in stream { try await writer.write(piece) }
                try await writer.finish(nil)
                // The connection is closed hereafter, with whatever a slow reader has not taken yet.
                await stream.untilReaderLeaves()
            } onInboundClosed: {
                stream.readerHasLeft()
            }
        }
        return Response(status: .ok, headers: Self.headers, body: body)
    }
}

/// One stream of server-sent events, from its feed to its end. A piece is taken when the peer has room for it.
struct EventStream: AsyncSequence, Sendable {
    /// Frames are taken in portions of this size.
    private static let portion = 32 << 10
    /// How long a reader may take for the last of a stream that has ended.
    private static let farewell = Duration.seconds(2)

    /// Ends the feed when nothing reads the stream any more.
    fileprivate final class Reader: Sendable {
        let feed: any EventFeed
        let wakes: AsyncStream<Void>
        /// Why the caller is not served any more.
        let ending: Current<String?>
        private let input: AsyncStream<Void>.Continuation
        /// Opens when the reader closes the connection.
        let departure = Latch()
        private let hasLeft = Atomic(false)
        private let watch: CallerWatch

        init(
            feed: any EventFeed, wakes: AsyncStream<Void>, input: AsyncStream<Void>.Continuation,
            ending: Current<String?>, watch: CallerWatch
        ) {
            self.feed = feed
            self.wakes = wakes
            self.input = input
            self.ending = ending
            self.watch = watch
        }

        /// Whether there is no end to write to any more.
        var isGone: Bool { self.hasLeft.load(ordering: .acquiring) }

        /// Notes that there is none, and wakes what waits for events. The feed ends at once: it counts as a use of the gateway.
        func leave() {
            self.hasLeft.store(true, ordering: .releasing)
            self.feed.cancel()
            self.input.finish()
            self.departure.open()
        }

        deinit {
            self.watch.cancel()
            self.feed.cancel()
        }
    }

    private let reader: Reader

    /// Subscribes.
    /// - Throws: what the source says.
    init(
        _ query: EventQuery, _ caller: Caller, events: any EventSource, authority: any CallerAuthority
    ) throws(OperationProblem) {
        let (wakes, input) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let feed = try events.subscribe(to: query.topics, from: query.position, for: caller) { input.yield() }
        input.yield()
        let ending = Current<String?>(nil)
        let watch = authority.watch(caller) { _ in
            ending.set("revoked")
            input.finish()
        }
        self.reader = Reader(feed: feed, wakes: wakes, input: input, ending: ending, watch: watch)
    }

    /// Ends the stream without a word, since the reader does not listen any more. Called from any thread.
    fileprivate func readerHasLeft() { self.reader.leave() }

    /// Waits until the reader of a stream that has ended closes the connection, for two seconds at most.
    fileprivate func untilReaderLeaves() async {
        await race {
            await self.reader.departure.waitUnlessCancelled()
        } against: {
            try? await Task.sleep(for: Self.farewell)
        }
    }

    /// Begins to read; to be called once.
    func makeAsyncIterator() -> Iterator { Iterator(self.reader) }

    /// Reads until the feed ends, the caller is revoked, or the task is cancelled.
    struct Iterator: AsyncIteratorProtocol {
        private let reader: Reader
        private var wakes: AsyncStream<Void>.AsyncIterator
        private var position: JournalPosition?
        private var hasBegun = false
        private var hasEnded = false

        fileprivate init(_ reader: Reader) {
            self.reader = reader
            self.wakes = reader.wakes.makeAsyncIterator()
        }

        /// The next piece.
        mutating func next() async -> ByteBuffer? {
            guard self.hasBegun else {
                self.hasBegun = true
                return ByteBuffer(string: "retry: 1000\n\n")
            }
            while !self.hasEnded, !self.reader.isGone {
                if let reason = self.reader.ending.value { return self.end(reason, self.position) }
                let frames = self.reader.feed.take(upTo: EventStream.portion)
                if !frames.isEmpty { return self.piece(frames) }
                if let end = self.reader.feed.end { return self.end(end.reason, end.position) }
                // Also when the caller's end finishes the stream of wakes, which is looked at above.
                if await self.wakes.next(isolation: #isolation) == nil, Task.isCancelled { return nil }
            }
            return nil
        }

        private mutating func piece(_ frames: [JournalFrame]) -> ByteBuffer {
            var buffer = ByteBuffer()
            for frame in frames {
                if let position = frame.position { self.position = position }
                EventStream.write(frame, to: &buffer)
            }
            return buffer
        }

        private mutating func end(_ reason: String, _ position: JournalPosition?) -> ByteBuffer {
            self.hasEnded = true
            return EventStream.end(reason, position)
        }
    }

    private static func write(_ frame: JournalFrame, to buffer: inout ByteBuffer) {
        if frame.kind == .bookmark {
            // Without data nothing is told to the reader but the position (HTML, 9.2.6).
            buffer.writeStaticString(": bookmark\n")
        } else {
            if frame.kind != .event { buffer.writeString("event: \(frame.kind.rawValue)\n") }
            buffer.writeStaticString("data: ")
            buffer.writeImmutableBuffer(frame.bytes)
            buffer.writeStaticString("\n")
        }
        if let position = frame.position { buffer.writeString("id: \(position)\n") }
        buffer.writeStaticString("\n")
    }

    private static func end(_ reason: String, _ position: JournalPosition?) -> ByteBuffer {
        var buffer = ByteBuffer(string: "event: end\ndata: ")
        buffer.writeImmutableBuffer(ServerFrame.end(reason: reason, resume: position.map { "\($0)" }))
        buffer.writeString(position.map { "\nid: \($0)\n\n" } ?? "\n\n")
        return buffer
    }
}

/// What a reader asks for: repeated `type=`, `device=` and `namespace=`, and `from=` or the header `Last-Event-ID`, which a reader that
/// comes back sends and which goes first.
struct EventQuery {
    let topics: EventTopics
    let position: JournalPosition?

    init(_ request: Request) throws(OperationProblem) {
        var (types, devices, namespaces): ([String], [String], [String]) = ([], [], [])
        var from: String?
        for (name, value) in request.queryTexts {
            let text = String(value)
            guard EventTopics.isTopicText(text) else {
                throw Self.fault("'\(name.prefix(64))' has 1 to \(EventTopics.maximumText) bytes")
            }
            switch name {
            case "type": types.append(text)
            case "device": devices.append(text)
            case "namespace": namespaces.append(text)
            case "from":
                guard from == nil else { throw Self.fault("'from' is there twice") }
                from = text
            default:
                throw Self.fault("the query has 'type', 'device', 'namespace' and 'from', not '\(name.prefix(64))'")
            }
        }
        if let last = request.headers[.lastEventID], !last.isEmpty { from = last }
        self.position = from.flatMap { JournalPosition($0) }
        guard from == nil || self.position != nil else { throw Self.fault("a position is BOOT.SEQ, as 'id:' says it") }
        self.topics = try Self.topics(types, devices, namespaces)
    }

    /// Events of each of the types from each of the devices, and messages of each of the namespaces from each of the devices.
    private static func topics(
        _ types: [String], _ devices: [String], _ namespaces: [String]
    ) throws(OperationProblem) -> EventTopics {
        let devices: [DevicePattern?] = devices.isEmpty ? [nil] : devices.map { DevicePattern($0) }
        let types = types.isEmpty && namespaces.isEmpty ? ["*"] : types
        guard (types.count + namespaces.count) * devices.count <= EventTopics.maximumCount else {
            throw Self.fault("there are more than \(EventTopics.maximumCount) topics")
        }
        return EventTopics(
            devices.flatMap { device in
                types.map { EventTopics.Topic(type: DevicePattern($0), device: device) }
                    + namespaces.map { namespace in
                        EventTopics.Topic(
                            type: DevicePattern(EventTopics.messages), device: device, namespace: namespace)
                    }
            })
    }

    private static func fault(_ detail: String) -> OperationProblem {
        OperationProblem("bad_request", status: 400, detail)
    }
}

extension HTTPField.Name {
    fileprivate static var lastEventID: HTTPField.Name { HTTPField.Name("Last-Event-ID") ?? .eTag }
}

/// The source of a gateway without a journal.
package struct NoEvents: EventSource {
    package init() {}

    /// Always throws `unavailable`.
    package func subscribe(
        to topics: EventTopics, from position: JournalPosition?, for caller: Caller,
        wake: @escaping @Sendable () -> Void
    ) throws(OperationProblem) -> any EventFeed {
        throw OperationProblem("unavailable", status: 503, "the gateway has no events")
    }

    /// An empty object.
    package func state(for caller: Caller) async -> JSONObject { [:] }
}
