import CastWire
package import GatewayConfig
package import GatewayOperations

/// An operation that a plugin's manifest declares: callers of the gateway have the plugin do it, as `NAME.operation`.
package struct PluginOperation: ConfigObject, Hashable {
    /// The name below the plugin's.
    package var name = ""
    /// The operation in one line.
    package var summary = ""
    package var details: String?
    /// The scope that a caller needs.
    package var scope = OperationScope.control
    /// True if its calls are requests, which callers look at and take back.
    package var isCommand: Bool?
    package var input: [PluginOperationKey] = []
    /// The answer in a few words.
    package var result = ""
    /// The members of the answer; any when none are declared.
    package var answer: [PluginOperationMember] = []
    /// The problems that it has beside those of every operation.
    package var problems: [PluginOperationProblem] = []
    /// The time it may take.
    package var deadline = Duration.seconds(10)

    package static let keys: [Key] = [
        .required(
            "name", \.name, .operationWord,
            "Its name: callers reach it as `NAME.` and this, NAME being that of the instance",
            example: "ask"),
        .required(
            "summary", \.summary, .text(maximumBytes: 200), "What it does, in one line without a full stop",
            example: "Asks the players a question"),
        .optional("details", \.details, .text(maximumBytes: 4096), "More about it, in whole sentences"),
        Key("scope", \.scope, .word, "What a caller has to be allowed"),
        .optional(
            "command", \.isCommand, .boolean,
            "Whether its calls are requests, which callers can look at, wait for and take back; without it all are but those with "
                + "the scope `read`"),
        Key("input", \.input, .list(of: .object, uniqueKey: "name"), "What it takes; nothing else is accepted"),
        .required(
            "result", \.result, .text(maximumBytes: 200), "What its answer is, in a few words",
            example: "The question as it was asked"),
        Key(
            "answer", \.answer, .list(of: .object, uniqueKey: "name"),
            "The members of the answer; without them an answer may hold anything"),
        Key(
            "problems", \.problems, .list(of: .object, uniqueKey: "code"),
            "Why it may not be done, beside what every operation may be refused with"),
        Key(
            "deadline", \.deadline, .duration(.milliseconds(1)...Self.longest),
            "How long it may take; 10 seconds at most when it is no command"),
    ]

    /// The longest that a command may take.
    static let longest = Duration.seconds(600)
    /// The longest that anything else may take.
    static let longestQuestion = Duration.seconds(10)

    package init(blank: ConfigBlank) {}

    /// Describes an operation; what is not changed has the default of `plugin.yaml`.
    package init(_ name: String, _ summary: String, _ change: (inout Self) -> Void = { _ in }) {
        self.name = name
        self.summary = summary
        self.result = summary
        change(&self)
    }

    package static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        if section.isValid("name"), section.string("name").utf8.first.map({ (0x61...0x7A).contains($0) }) != true {
            problems.add(
                .malformedValue, at: section.location("name"),
                "'\(section.path("name"))' must begin with a letter, not '\(section.string("name"))'")
        }
        guard section.isValid("deadline"), section.isValid("scope") else { return }
        let isRead = section.string("scope") == OperationScope.read.rawValue
        let isCommand = section.isWritten("command") ? section.boolean("command") : !isRead
        if !isCommand, section.duration("deadline") > self.longestQuestion {
            problems.add(
                .outOfRange, at: section.location("deadline"),
                "'\(section.path("deadline"))' must be at most 10s, since the operation is no command")
        }
        guard isCommand else { return }
        for key in section.sections("input") where key.isValid("name") && key.string("name") == "wait" {
            problems.add(
                .notAllowed, at: key.location("name"),
                "'wait' says how long a caller waits for a command; give the key another name")
        }
    }

    /// True if its calls are requests.
    package var callsAreRequests: Bool { self.isCommand ?? (self.scope != .read) }
}

package struct PluginOperationMember: ConfigObject, Hashable {
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case text
        case integer
        case number
        case boolean
        case object
        case list
        case json
    }

    package var name = ""
    package var kind = Kind.json
    package var meaning = ""
    package var isOptional = false

    package static let keys: [Key] = [
        .required("name", \.name, .operationWord, "Its name"),
        .required("type", \.kind, .word, "What it is"),
        .required("meaning", \.meaning, .text(maximumBytes: 500), "What it means, without a full stop"),
        Key("optional", \.isOptional, .boolean, "Whether it may be missing"),
    ]

    package init(blank: ConfigBlank) {}

    var member: OperationResult.Member {
        let kind: OperationResult.Kind =
            switch self.kind {
            case .text: .text
            case .integer: .integer
            case .number: .number
            case .boolean: .boolean
            case .object: .map(.anything)
            case .list: .list(.anything)
            case .json: .anything
            }
        return self.isOptional
            ? .optional(self.name, kind, self.meaning) : OperationResult.Member(self.name, kind, self.meaning)
    }
}

package struct PluginOperationProblem: ConfigObject, Hashable {
    /// The statuses that a plugin's problem may have: the caller is wrong, or something is in its way.
    static let statuses = [400, 403, 404, 409, 410, 412, 422, 423, 429, 502, 503, 504]

    package var code = ""
    package var status = 409
    /// The condition under which it comes.
    package var meaning = ""

    package static let keys: [Key] = [
        .required("code", \.code, .operationWord, "The code, for programs", example: "no_game"),
        Key("status", \.status, .integer(400...599), "The HTTP status"),
        .required("meaning", \.meaning, .text(maximumBytes: 500), "When it comes"),
    ]

    package init(blank: ConfigBlank) {}

    package static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        if section.isValid("status"), !self.statuses.contains(section.integer("status")) {
            problems.add(
                .notAllowed, at: section.location("status"),
                "'\(section.path("status"))' must be one of \(self.statuses.map { "\($0)" }.joined(separator: ", "))")
        }
        let taken = OperationDeclaration.commonProblems + OperationDeclaration.pluginProblems
        if section.isValid("code"), let other = taken.first(where: { $0.code == section.string("code") }) {
            problems.add(
                .notAllowed, at: section.location("code"),
                "'\(other.code)' is a problem of every operation: \(other.meaning)")
        }
    }
}

extension OperationDeclaration {
    /// The problems that operations of plugins have which take devices.
    static let deviceProblems = [
        OperationProblemCase("ambiguous_device", 409, "several devices go by that; `choices` has what to write"),
        OperationProblemCase("unknown_device", 404, "there is no such device"),
    ]

    /// The problems that every operation of a plugin has.
    static let pluginProblems = [
        OperationProblemCase(
            "plugin_unavailable", 503, "the plugin does not run, is being stopped, or has too much to do"),
        OperationProblemCase("plugin_failed", 502, "the plugin failed, or does not know the operation"),
        OperationProblemCase("plugin_answer_invalid", 502, "what the plugin answered is not what its manifest says"),
        OperationProblemCase("input_too_large", 413, "the input has more than 256 KiB"),
        OperationProblemCase("operation_loop", 508, "operations of plugins call each other without end"),
        OperationProblemCase("timeout", 504, "the plugin took longer than the operation may"),
    ]
}

extension ConfigType where Value == String {
    /// A word of an operation's name, or the name of a key.
    static var operationWord: ConfigType { .text(allowed: "a-z0-9_", length: 1...32) }
}
