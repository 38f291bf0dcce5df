/// Collects problems while a configuration or an input is read and checked, each only once.
///
/// Of each severity the first 100 are kept; further ones are counted, and their words are not made.
package struct ConfigProblems: Sendable {
    /// The number of problems of one severity that are kept.
    static let limit = 100

    /// The problems in the order in which they were found.
    package private(set) var all: [ConfigProblem] = []
    /// The number of problems beyond the limit.
    package private(set) var droppedCount = 0
    package private(set) var hasErrors = false
    private var kept: [ConfigProblem.Severity: Int] = [:]
    private var known: Set<ConfigProblem> = []

    package init() {}

    /// The number of problems, those included that were dropped.
    var count: Int { self.all.count + self.droppedCount }

    /// True if further errors would only be counted.
    var isFull: Bool { self.isFull(of: .error) }

    private func isFull(of severity: ConfigProblem.Severity) -> Bool { self.kept[severity, default: 0] >= Self.limit }

    /// Adds a problem at a place of the configuration.
    ///
    /// - Parameters:
    ///   - location: Where it is, usually from ``ConfigSection/location(_:)``.
    ///   - message: What is wrong, without a full stop.
    ///   - severity: ``ConfigProblem/Severity/error`` unless the configuration can be used all the same.
    package mutating func add(
        _ code: ConfigProblem.Code,
        at location: ConfigLocation,
        _ message: @autoclosure () -> String,
        hint: @autoclosure () -> String? = nil,
        severity: ConfigProblem.Severity = .error
    ) {
        if severity == .error { self.hasErrors = true }
        guard !self.isFull(of: severity) else {
            self.droppedCount += 1
            return
        }
        let message = message()
        let problem = ConfigProblem(
            code: code,
            severity: severity,
            location: location,
            message: location.item.map { "\(message) (for item \($0.index) at \($0.line):\($0.column))" } ?? message,
            hint: hint()
        )
        guard self.known.insert(problem).inserted else { return }
        self.kept[severity, default: 0] += 1
        self.all.append(problem)
    }

    /// Counts what is not looked at, since ``isFull``, as a problem each.
    mutating func skip(_ count: Int) { self.droppedCount += count }

    /// Adds what was found elsewhere.
    mutating func adopt(_ others: ConfigProblems) {
        for problem in others.all {
            // The message names the item already.
            var location = problem.location
            location.item = nil
            self.add(problem.code, at: location, problem.message, hint: problem.hint, severity: problem.severity)
        }
        self.droppedCount += others.droppedCount
        self.hasErrors = self.hasErrors || others.hasErrors
    }
}

extension ConfigProblems {
    /// Reports a name that is defined nowhere, with the name that was probably meant.
    ///
    /// - Parameters:
    ///   - name: The name as it is written.
    ///   - what: What it should name: `device`.
    ///   - place: Where they are defined: `discovery.static`.
    package mutating func addUndefined(
        _ name: String,
        what: String,
        at location: ConfigLocation,
        known: [String],
        place: String
    ) {
        func hint() -> String {
            if let suggestion = EditDistance.suggestion(for: name, among: known) {
                return "did you mean '\(suggestion)'?"
            }
            guard !known.isEmpty else { return "'\(place)' defines none" }
            let listed = known.prefix(6).map(\.shown).joined(separator: ", ")
            return "'\(place)' defines \(listed)\(known.count > 6 ? ", …" : "")"
        }
        self.add(.undefinedReference, at: location, "undefined \(what) '\(name.shown)'", hint: hint())
    }

    /// Warns of a name that need not be defined, but looks like a misspelt one that is.
    /// - Parameters:
    ///   - what: What it is a name of: `device`.
    ///   - place: Where they are defined: `discovery.static`.
    ///   - otherwise: What becomes of an undefined one, a clause: `it waits for discovery`.
    package mutating func addSimilar(
        _ name: String, what: String, at location: ConfigLocation, known: [String], place: String, otherwise: String
    ) {
        guard !self.isFull(of: .warning), let suggestion = EditDistance.suggestion(for: name, among: known) else {
            return
        }
        self.add(
            .undefinedReference, at: location, "'\(place)' has no \(what) '\(name.shown)'; \(otherwise)",
            hint: "did you mean '\(suggestion)'?", severity: .warning)
    }

    /// Warns of a word that selects something and that is not known, when it looks like a slip in a known one.
    /// - Parameters:
    ///   - word: The word as it is written.
    ///   - what: What it is a word for: `message type`.
    package mutating func addSuspect(_ word: String, what: String, at location: ConfigLocation, meant: String) {
        self.add(
            .suspectWord, at: location, "unknown \(what) '\(word.shown)'", hint: "did you mean '\(meant)'?",
            severity: .warning)
    }

    /// Reports a namespace that belongs to the transport itself and so can have no handler and no app.
    package mutating func addIfReserved(_ namespace: String, at location: ConfigLocation) {
        guard namespace.hasPrefix("urn:x-cast:com.google.cast.tp.") else { return }
        self.add(
            .reservedNamespace,
            at: location,
            "namespace '\(namespace.shown)' is reserved for the Cast transport",
            hint: "use a namespace of your own, such as urn:x-cast:com.example.quiz"
        )
    }
}
