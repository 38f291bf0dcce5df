import CastWire
import GatewayOperations
import NIOCore

/// Carries out the calls of all sockets of a listener: one task a socket, and one a call, all of them children of ``run()``.
final class SocketCalls: Sendable {
    /// One call.
    struct Call: Sendable {
        let id: JSONValue
        let name: String
        let input: JSONObject
        let options: CallOptions
        let caller: Caller
        /// What a failure of a device is told in besides; nil to leave it out.
        let language: ErrorLanguage?
    }

    /// The calls of one socket. They end with it.
    struct Line: Sendable {
        fileprivate let input: AsyncStream<Call>.Continuation

        /// Has a call carried out.
        func add(_ call: Call) { self.input.yield(call) }

        /// Cancels the calls that have no answer.
        func end() { self.input.finish() }
    }

    private struct Opening: Sendable {
        let calls: AsyncStream<Call>
        let answered: @Sendable (JSONValue, ByteBuffer) -> Void
    }

    private let catalogue: OperationCatalogue
    private let openings: AsyncStream<Opening>
    private let input: AsyncStream<Opening>.Continuation

    init(catalogue: OperationCatalogue) {
        self.catalogue = catalogue
        (self.openings, self.input) = AsyncStream.makeStream(of: Opening.self)
    }

    /// Begins to carry out the calls of a socket.
    /// - Parameter answered: called on any thread with the `id` of a call and the frame that answers it.
    /// - Returns: nil when ``run()`` has ended.
    func open(answered: @escaping @Sendable (_ id: JSONValue, _ frame: ByteBuffer) -> Void) -> Line? {
        let (calls, input) = AsyncStream.makeStream(of: Call.self)
        if case .terminated = self.input.yield(Opening(calls: calls, answered: answered)) { return nil }
        return Line(input: input)
    }

    /// Carries out calls until the task is cancelled; those that are under way are cancelled then.
    func run() async {
        await withDiscardingTaskGroup { group in
            for await opening in self.openings { group.addTask { await self.run(opening) } }
            group.cancelAll()
        }
    }

    private func run(_ opening: Opening) async {
        await withDiscardingTaskGroup { group in
            for await call in opening.calls {
                group.addTask { opening.answered(call.id, await self.frame(answering: call)) }
            }
            group.cancelAll()
        }
    }

    private func frame(answering call: Call) async -> ByteBuffer {
        guard let name = OperationName(call.name) else {
            return ServerFrame.problem(
                .missing("unknown_operation", "there is no operation '\(call.name)'"), id: call.id)
        }
        switch await self.catalogue.call(name, call.input, for: call.caller, options: call.options) {
        case .success(let answer): return ServerFrame.result(answer.body, status: answer.status, id: call.id)
        case .failure(let problem):
            return ServerFrame.problem(call.language.map(problem.localized) ?? problem, id: call.id)
        }
    }
}

/// What the socket of the API says beside the frames of the journal.
enum ServerFrame {
    /// `{"id":…,"result":{…},"status":200}`
    static func result(_ result: JSONObject, status: Int = 200, id: JSONValue?) -> ByteBuffer {
        Self.frame(id, [("result", .object(result)), ("status", .number(status))])
    }

    /// `{"id":…,"problem":{…}}`; without `id` when the frame that it answers had none that could be read.
    static func problem(_ problem: OperationProblem, id: JSONValue?) -> ByteBuffer {
        Self.frame(id, [("problem", .object(problem.json))])
    }

    /// `{"frame":"end","reason":…,"resume":"BOOT.SEQ"}`
    static func end(reason: String, resume: String?) -> ByteBuffer {
        Self.frame(
            nil, [("frame", "end"), ("reason", .string(reason))] + (resume.map { [("resume", .string($0))] } ?? []))
    }

    private static func frame(_ id: JSONValue?, _ members: [(String, JSONValue)]) -> ByteBuffer {
        var buffer = ByteBuffer()
        JSONWriter.write(.object(JSONObject((id.map { [("id", $0)] } ?? []) + members)), to: &buffer)
        return buffer
    }
}
