import ArgumentParser
import CastWire
import GatewayConfig
import GatewayCore
import GatewayJournal
import NIOCore
import NIOHTTP1
import SystemPrimitives

struct EventsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "events", "Shows what happens in the running gateway.",
        """
        It prints the newest state of everything that matches, and with --follow what happens from then on, until it is \
        interrupted. When the gateway is lost, it comes back to where it was. What was missed nevertheless is said. With --json every \
        line is a frame as GET /api/v1/events gives it.
        """,
        examples: [
            "castway events", "castway events --follow --type 'media.*' --device hall",
            "castway events --follow --namespace urn:x-cast:com.example.quiz",
            "castway events --follow --json > events.jsonl",
        ])

    @Flag(help: "Goes on with what happens.") var follow = false
    @Option(help: .init("Only events of this type; * stands for any characters. May be repeated.", valueName: "type"))
    var type: [String] = []
    @Option(help: .init("Only events of this device; * as above. May be repeated.", valueName: "device"))
    var device: [String] = []
    @Option(help: .init("Messages of this namespace too. May be repeated.", valueName: "namespace"))
    var namespace: [String] = []
    @Option(help: .init("Begins behind this position, as an event says it.", valueName: "boot.seq")) var from: String?
    @OptionGroup var output: OutputOption<TextOrJSON>
    @OptionGroup var control: ControlOption

    func validate() throws {
        if let from, JournalPosition(from) == nil { throw ValidationError("A position is BOOT.SEQ.") }
    }

    func run() async throws {
        let client = try self.control.client()
        for type in self.type {
            guard let meant = EditDistance.slip(in: type, among: EventCatalogue.all.map(\.name)) else { continue }
            StandardError.say("no event is called '\(type.printable)'; did you mean '\(meant)'?", .warning)
        }
        var reading = EventReading(from: self.from, isJSON: self.output.isJSON)
        var said: String?
        while true {
            do {
                let isOver = try await self.read(client, &reading)
                if isOver { return }
                said = nil
            } catch let failure as CommandFailure where failure.status == .unreachable && reading.hasBegun {
                // Comes back below.
            }
            let text = reading.lossText
            if text != said { StandardError.say(text, .note) }
            said = text
            try await Task.sleep(for: reading.pause)
        }
    }

    /// Reads one stream to its end.
    /// - Returns: whether all was read that was asked for.
    private func read(_ client: ControlClient, _ reading: inout EventReading) async throws -> Bool {
        let query = [("type", self.type), ("device", self.device), ("namespace", self.namespace)].flatMap {
            name, values in values.map { "\(name)=\($0.percentEncoded())" }
        }.joined(separator: "&")
        let headers: HTTPHeaders = reading.position.map { ["Last-Event-ID": $0] } ?? [:]
        defer { reading.connectionEnded() }
        var isOver = false
        try await client.pieces(
            "/api/v1/events" + (query.isEmpty ? "" : "?\(query)"), headers: headers, failure: OperationRequest.failure
        ) { piece in
            guard let lines = reading.add(piece) else {
                throw CommandFailure(.refused, "the gateway said a line without end")
            }
            for line in lines {
                switch line {
                case .output(let text): StandardOutput.write(text + "\n")
                case .note(let text): StandardError.say(text.printable, .note)
                case .synced: isOver = isOver || !self.follow
                }
            }
            return !isOver
        }
        return isOver
    }
}

/// What was read of a stream of events, over all connections, and how it is shown.
struct EventReading {
    /// What becomes of an event.
    enum Line: Equatable {
        case output(String)
        case note(String)
        /// The state is complete, and what happens follows.
        case synced
    }

    /// Where to go on; nil before the first position.
    private(set) var position: String?
    /// Whether a stream has begun.
    private(set) var hasBegun = false
    private let isJSON: Bool
    private var parser = EventStreamParser()
    private var endReason: String?

    init(from position: String?, isJSON: Bool) {
        self.position = position
        self.isJSON = isJSON
    }

    /// What is said when a stream has ended that should not have.
    var lossText: String {
        switch self.endReason {
        case "too_slow": "the events were read too slowly; comes back to where it was"
        case "stopping": "the gateway stops; waits for it"
        case let reason?: "the gateway ended the events: \(reason.printable); comes back"
        case nil: "the gateway was lost; waits for it"
        }
    }

    /// How long to wait before the next attempt.
    var pause: Duration { self.endReason == "too_slow" ? .zero : .milliseconds(self.parser.retry ?? 1000) }

    /// Adds bytes of the stream.
    /// - Returns: nil for a stream that is none.
    mutating func add(_ bytes: ByteBuffer) -> [Line]? {
        self.hasBegun = true
        self.endReason = nil
        guard let events = self.parser.add(bytes) else { return nil }
        if let id = self.parser.lastID { self.position = id }
        return events.flatMap { self.lines($0) }
    }

    mutating func connectionEnded() { self.parser.connectionEnded() }

    private mutating func lines(_ event: EventStreamParser.Event) -> [Line] {
        let json = (try? JSONReader.read(event.data))?.objectValue ?? [:]
        var lines: [Line] = []
        if self.isJSON { lines.append(.output(event.data)) }
        switch event.name {
        case "message", "snapshot":
            if !self.isJSON { lines.append(.output(Self.text(json, isState: event.name == "snapshot"))) }
        case "synced": lines.append(.synced)
        case "gap":
            let (from, to) = (json["from"]?.text ?? "?", json["to"]?.text ?? "?")
            let count = json["count"]?.text ?? "some"
            lines.append(.note("\(count) events between \(from) and \(to) were lost: this reader is too slow"))
        case "resync":
            let reason = json.string("reason") ?? "the gateway does not say why"
            lines.append(.note("what was missed is not there any more (\(reason)); the state follows"))
        case "coalesced":
            let what = [json.string("type"), json.string("device")].compactMap { $0 }.joined(separator: " of ")
            lines.append(.note("\(json["count"]?.text ?? "some") older values of \(what) were skipped"))
        case "end": self.endReason = json.string("reason") ?? ""
        default: break
        }
        return lines
    }

    /// One line for people: time, type, device, and what it says.
    private static func text(_ json: JSONObject, isState: Bool) -> String {
        let at = json.string("at") ?? ""
        let time = isState ? "now" : at.split(separator: "T").last.map { String($0.prefix { $0 != "Z" }) } ?? at
        let words = [
            time.padded(to: 12), (json.string("type") ?? "event").padded(to: 24),
            (json.string("device") ?? "-").padded(to: 12), json["data"]?.text ?? "",
        ]
        return words.joined(separator: "  ").printable
    }
}
