/// Why a plugin cannot be tested at all. What is wrong with a plugin is no error but a finding.
public enum SubjectError: Error, Hashable, CustomStringConvertible {
    /// The system refused something: what, and `errno`.
    case system(String, Int32)
    /// The program that `exec` names is not there, or cannot be run.
    case noProgram(String)

    /// For people.
    public var description: String {
        switch self {
        case .system(let what, let code): "\(what) failed with error \(code)"
        case .noProgram(let name): "there is no program '\(name)', or it cannot be run"
        }
    }
}
