package import CastWire
package import GatewayConfig

/// What an operation takes: an object whose keys are declared as those of `gateway.yaml` are (`ConfigObject`).
///
/// Times are numbers of seconds, since callers are programs. Nothing of an input may be a file of the gateway's machine.
package typealias OperationInput = ConfigObject

/// The input of an operation that takes nothing.
package struct NoInput: ConfigSettings {
    /// There are none.
    package static let keys: [Key] = []

    package init() {}
}

/// One thing that the gateway can do for a caller, declared once.
///
/// Everything else follows from the declaration: the HTTP route, the command `castway call`, the reference in
/// `Docs/operations-reference.md`, the check of the input, and who may ask. A type owns what it needs to do
/// its work; the feature that has the capability makes it.
///
/// ```swift
/// struct EndSession: GatewayOperation {
///     struct Input: OperationInput {
///         var session = 0
///         var stop: Bool?
///         static let keys: [Key] = [
///             .required("session", \.session, .integer(1...Int.max), "The number of the session"),
///             .optional("stop", \.stop, .boolean, "Whether its app is stopped"),
///         ]
///         init(blank: ConfigBlank) {}
///     }
///     static let name: OperationName = "session.end"
///     static let route = OperationRoute(.delete, "/sessions/{session}")
///     static let scope = OperationScope.control
///     static let summary = "Ends a session"
///     static let result = OperationResult("The session as it ended", …)
///     let directory: DeviceSessionDirectory
///
///     func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject { … }
/// }
/// ```
package protocol GatewayOperation: Sendable {
    /// What it takes.
    associatedtype Input: OperationInput

    /// Its name on every way in.
    static var name: OperationName { get }
    /// Where it is reached over HTTP.
    static var route: OperationRoute { get }
    /// What a caller has to be allowed.
    static var scope: OperationScope { get }
    /// Whether it asks a device for something: its calls are requests, which can be looked at and cancelled, and whose callers wait
    /// no longer than they want (``CallOptions/wait``).
    static var isCommand: Bool { get }
    /// Whether its answer may be kept for callers that ask again with an idempotency key; such a key is refused otherwise.
    static var isAnswerKept: Bool { get }
    /// Which devices it is about, so that callers with a few devices are kept from the others.
    static var reach: OperationReach { get }
    /// What it does, in one line without a full stop.
    static var summary: String { get }
    /// More about it, in whole sentences; empty when the summary says all.
    static var details: String { get }
    /// What inputs have to fulfil beyond what the keys say, and their types' `check` asks: members of JSON Schema that documents
    /// lay over the schema of the keys.
    static var inputRules: JSONObject { get }
    /// The parts of an input that take another scope beside ``scope``.
    static var scopedParts: [ScopedPart] { get }
    /// What it answers.
    static var result: OperationResult { get }
    /// The codes of the problems that it has beside those that every operation has, with when each comes.
    static var problems: [OperationProblemCase] { get }

    /// Does it.
    /// - Parameters:
    ///   - input: checked against the keys.
    ///   - caller: may do this; the catalogue has seen to that.
    /// - Returns: what ``result`` describes.
    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject
}

extension GatewayOperation {
    /// It is no command.
    package static var isCommand: Bool { false }
    /// It may.
    package static var isAnswerKept: Bool { true }
    /// The summary says all.
    package static var details: String { "" }
    /// The keys say all.
    package static var inputRules: JSONObject { [:] }
    /// There are none.
    package static var scopedParts: [ScopedPart] { [] }
    /// None of its own.
    package static var problems: [OperationProblemCase] { [] }
}

/// Which devices an operation is about.
package enum OperationReach: String, Sendable, Hashable, CaseIterable {
    /// A device that the input names, or what is on it: the operation looks it up and asks `Caller.require(device:)`.
    case device
    /// Any devices: the operation leaves out what `Caller.mayUse(device:)` refuses.
    case permitted
    /// The gateway as a whole: a caller that is limited to devices is refused by the catalogue.
    case gateway
    /// Nothing that belongs to a device: every caller that has the scope.
    case anyone
}

/// A problem that an operation may have.
package struct OperationProblemCase: Sendable, Hashable {
    package let code: String
    /// The HTTP status.
    package let status: Int
    /// When it comes, in a few words.
    package let meaning: String

    package init(_ code: String, _ status: Int, _ meaning: String) {
        self.code = code
        self.status = status
        self.meaning = meaning
    }
}
