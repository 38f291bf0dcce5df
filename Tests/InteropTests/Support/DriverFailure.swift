/// A driver did not do what the test asked of it.
enum DriverFailure: Error, CustomStringConvertible {
    /// It ended, or was ended at its deadline, before it got to a step.
    case ended(before: String, errors: String)
    /// It did another step than the one that comes next.
    case unexpected(step: String, instead: String)
    /// It ended with an error.
    case failed(status: Int32, errors: String)

    var description: String {
        switch self {
        case .ended(let step, let errors): "the driver ended before step '\(step)'\n\(errors)"
        case .unexpected(let step, let instead): "the driver came to '\(step)' instead of '\(instead)'"
        case .failed(let status, let errors): "the driver ended with status \(status)\n\(errors)"
        }
    }
}
