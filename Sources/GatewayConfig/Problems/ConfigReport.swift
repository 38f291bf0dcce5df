/// The sorted problems of one reading of a configuration, with the lines they are about.
public struct ConfigReport: Sendable {
    /// The problems, sorted by file, line and column.
    public let problems: [ConfigProblem]
    /// How many further problems were counted but not kept.
    public let droppedCount: Int

    /// Whether any problem is an error, so that the configuration must not be used.
    public var hasErrors: Bool {
        self.droppedCount > 0 || self.problems.contains { $0.severity == .error }
    }

    /// Whether nothing at all is wrong.
    public var isEmpty: Bool { self.problems.isEmpty && self.droppedCount == 0 }

    /// Sorts problems and attaches the lines of their files.
    ///
    /// - Parameters:
    ///   - problems: What was found.
    ///   - sources: The texts of the files that were read.
    ///   - secrets: Where secrets stand as text; these places are masked in the lines.
    ///   - secretKeys: The keys of secrets, for values that are not in the checked tree.
    init(
        _ problems: ConfigProblems,
        sources: [String: ConfigSource],
        secrets: [ConfigLocation],
        secretKeys: [String]
    ) {
        let sorted = problems.all.sorted {
            ($0.location, $0.code.rawValue, $0.message) < ($1.location, $1.code.rawValue, $1.message)
        }
        self.droppedCount = problems.droppedCount
        self.problems = sorted.map { problem in
            var problem = problem
            let location = problem.location
            guard let source = sources[location.file] else { return problem }
            var masked = secrets.filter { $0.file == location.file }
            if problem.code.mayHideValues {
                masked += source.values(ofKeys: secretKeys, inLine: location.line)
            }
            problem.excerpt = source.line(location.line, masking: masked)
            return problem
        }
    }
}

extension ConfigProblem.Code {
    /// Whether the line of such a problem may hold a value that is not in the checked tree.
    fileprivate var mayHideValues: Bool {
        switch self {
        case .syntax, .duplicateKey, .setInTwoFiles, .tag, .mergeKey, .undefinedAlias, .keyNotText: true
        case .invalidEncoding, .tooManyNodes, .tooDeep, .severalDocuments: true
        default: false
        }
    }
}
