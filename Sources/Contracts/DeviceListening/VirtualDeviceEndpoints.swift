/// The ports at which a virtual device that runs can be reached.
package struct VirtualDeviceEndpoints: Sendable, Hashable {
    /// The name in `gateway.yaml`.
    package let name: String
    /// The name that people see.
    package let friendlyName: String
    /// The port for senders.
    package let castPort: Int
    /// The port of the set-up endpoint over HTTP; nil when it is off.
    package let setupHTTPPort: Int?
    /// The port of the set-up endpoint over HTTPS; nil when it is off.
    package let setupHTTPSPort: Int?
}
