/// Collects problems while a configuration is read and checked, each only once.
public struct ConfigProblems: Sendable {
    /// How many problems are kept; further ones are only counted.
    static let limit = 1000

    /// The problems in the order in which they were found.
    public private(set) var all: [ConfigProblem] = []
    /// How many were found beyond the limit.
    public private(set) var droppedCount = 0
    private var known: Set<ConfigProblem> = []

    /// Makes an empty collection.
    public init() {}

    /// Whether any problem is an error.
    public var hasErrors: Bool {
        self.droppedCount > 0 || self.all.contains { $0.severity == .error }
    }

    /// Whether further problems would only be counted.
    var isFull: Bool { self.all.count >= Self.limit }

    /// Adds a problem at a place of the configuration.
    ///
    /// - Parameters:
    ///   - code: The kind of problem.
    ///   - location: Where it is, usually from ``ConfigSection/location(_:)``.
    ///   - message: What is wrong, without a full stop.
    ///   - hint: What to do about it.
    ///   - severity: ``ConfigProblem/Severity/error`` unless the configuration can be used all the same.
    public mutating func add(
        _ code: ConfigProblem.Code,
        at location: ConfigLocation,
        _ message: String,
        hint: String? = nil,
        severity: ConfigProblem.Severity = .error
    ) {
        let problem = ConfigProblem(
            code: code,
            severity: severity,
            location: location,
            message: location.item.map { "\(message) (for item \($0.index) at \($0.line):\($0.column))" } ?? message,
            hint: hint
        )
        guard !self.known.contains(problem) else { return }
        guard !self.isFull else {
            self.droppedCount += 1
            return
        }
        self.known.insert(problem)
        self.all.append(problem)
    }

    /// Adds what was found elsewhere.
    mutating func adopt(_ others: ConfigProblems) {
        for problem in others.all {
            // The message names the item already.
            var location = problem.location
            location.item = nil
            self.add(problem.code, at: location, problem.message, hint: problem.hint, severity: problem.severity)
        }
        self.droppedCount += others.droppedCount
    }
}

extension ConfigProblems {
    /// Reports a name that is defined nowhere, with the name that was probably meant.
    ///
    /// - Parameters:
    ///   - name: The name as it is written.
    ///   - what: What it should name: `device`.
    ///   - location: Where it is written.
    ///   - known: The names that are defined.
    ///   - place: Where they are defined: `discovery.static`.
    public mutating func addUndefined(
        _ name: String,
        what: String,
        at location: ConfigLocation,
        known: [String],
        place: String
    ) {
        let hint: String
        if let suggestion = EditDistance.suggestion(for: name, among: known) {
            hint = "did you mean '\(suggestion)'?"
        } else if known.isEmpty {
            hint = "'\(place)' defines none"
        } else {
            let listed = known.prefix(6).map(\.shown).joined(separator: ", ")
            hint = "'\(place)' defines \(listed)\(known.count > 6 ? ", …" : "")"
        }
        self.add(.undefinedReference, at: location, "undefined \(what) '\(name.shown)'", hint: hint)
    }

    /// Warns of a name that need not be defined, but looks like a misspelt one that is.
    /// - Parameters:
    ///   - name: The name that is used.
    ///   - what: What it is a name of: `device`.
    ///   - location: Where it is written.
    ///   - known: The names that are defined.
    ///   - place: Where they are defined: `discovery.static`.
    ///   - otherwise: What becomes of an undefined one, a clause: `it waits for discovery`.
    public mutating func addSimilar(
        _ name: String, what: String, at location: ConfigLocation, known: [String], place: String, otherwise: String
    ) {
        guard let suggestion = EditDistance.suggestion(for: name, among: known) else { return }
        self.add(
            .undefinedReference, at: location, "'\(place)' has no \(what) '\(name.shown)'; \(otherwise)",
            hint: "did you mean '\(suggestion)'?", severity: .warning)
    }

    /// Reports a namespace that belongs to the transport itself and so can have no handler and no app.
    public mutating func addIfReserved(_ namespace: String, at location: ConfigLocation) {
        guard namespace.hasPrefix("urn:x-cast:com.google.cast.tp.") else { return }
        self.add(
            .reservedNamespace,
            at: location,
            "namespace '\(namespace.shown)' is reserved for the Cast transport",
            hint: "use a namespace of your own, such as urn:x-cast:com.example.quiz"
        )
    }
}
