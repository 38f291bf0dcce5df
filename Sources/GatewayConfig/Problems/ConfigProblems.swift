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
            message: message,
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
            self.add(
                problem.code, at: problem.location, problem.message, hint: problem.hint, severity: problem.severity)
        }
        self.droppedCount += others.droppedCount
    }
}
