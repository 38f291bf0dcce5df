/// Where a virtual device that runs can be reached.
public struct VirtualDeviceEndpoints: Sendable, Hashable {
    /// The name in `gateway.yaml`.
    public let name: String
    /// The name that people see.
    public let friendlyName: String
    /// The port for senders.
    public let castPort: Int
    /// The port of the set-up endpoint over HTTP; nil when it is off.
    public let setupHTTPPort: Int?
    /// The port of the set-up endpoint over HTTPS; nil when it is off.
    public let setupHTTPSPort: Int?
}
