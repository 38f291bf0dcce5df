public import CastWire

/// What became of a request.
public enum RequestOutcome: Hashable, Sendable {
    /// Why nobody waits for an answer any more, though nothing went wrong.
    public enum AbortReason: String, Hashable, Sendable {
        /// Whoever made the request took it back.
        case cancelled
        /// Another request of the same kind, this sender's or another's, took its place.
        case replaced
    }

    /// It was carried out; this is the answer. Empty when it needed none.
    case completed(JSONObject)
    /// It was not carried out.
    case failed(RequestError)
    /// Nobody waits for it any more; the device may carry it out all the same.
    case aborted(AbortReason)
    /// No answer came in time.
    case timedOut

    /// The answer.
    /// - Throws: ``RequestError``: why there is none, with the code `cancelled`, `replaced` or `timeout` where nothing failed.
    public func get() throws(RequestError) -> JSONObject {
        switch self {
        case .completed(let reply): return reply
        case .failed(let error): throw error
        case .aborted(.cancelled): throw RequestError(.cancelled, "the request was cancelled")
        case .aborted(.replaced): throw RequestError(.replaced, "another request took the place of this one")
        case .timedOut: throw RequestError(.timeout, "no answer came in time")
        }
    }

    /// True when it was carried out.
    public var isCompleted: Bool { if case .completed = self { true } else { false } }
}
