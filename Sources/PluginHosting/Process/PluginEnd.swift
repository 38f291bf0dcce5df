/// How a plugin's process ended.
enum PluginEnd: Hashable, Sendable {
    /// By itself, with this status.
    case exited(Int32)
    /// By this signal.
    case signalled(Int32)
    /// It cannot work with its configuration.
    case badConfiguration(String)
    /// It cannot be run as it is, and trying again would change nothing.
    case unusable(String)
    /// It was ended, or could not even begin, for this reason.
    case failed(String)

    /// The end in a sentence.
    var description: String {
        switch self {
        case .exited(let code): "it exited with status \(code)"
        case .signalled(let number): "signal \(number) ended it"
        case .badConfiguration(let reason): "it cannot work with its configuration: \(reason)"
        case .unusable(let reason), .failed(let reason): reason
        }
    }
}
