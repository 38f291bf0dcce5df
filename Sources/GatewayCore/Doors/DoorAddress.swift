/// Where something goes that comes in at a door: an app on a virtual device, or its platform.
public struct DoorAddress: Hashable, Sendable, CustomStringConvertible {
    /// The virtual device's name in `gateway.yaml`.
    public var device: String
    /// The id of the session that is meant; nil stands for the app that runs, or for the platform when the namespace is
    /// the platform's.
    public var session: String?

    /// Makes an address.
    public init(device: String, session: String? = nil) {
        self.device = device
        self.session = session
    }

    /// The address for logs, such as `lobby` or `lobby/1f0c`.
    public var description: String { self.session.map { "\(self.device)/\($0)" } ?? self.device }
}
