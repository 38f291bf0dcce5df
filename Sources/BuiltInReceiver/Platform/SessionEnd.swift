/// Why an app of the built-in receiver ended.
enum SessionEnd: String, Hashable, Sendable {
    /// A sender stopped it.
    case stopped
    /// A sender launched another one.
    case replaced
    /// Nobody needed it any longer.
    case idle
}
