/// One sender's channel to a virtual device, unique while the gateway runs.
public struct ConnectionID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// A number counted up from 1.
    public let rawValue: UInt64

    /// Makes an id from its number.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The id for logs, such as `c7`.
    public var description: String { "c\(self.rawValue)" }
}
