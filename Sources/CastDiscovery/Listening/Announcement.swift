/// A device was heard to say that it is there, whether or not it says anything new.
public struct Announcement: Hashable, Sendable {
    /// The name of the service instance, as ``CastService/folded(instance:)`` makes it.
    public let instance: String
    /// The address from which it was said; not always the device's own, since there are relays of multicast.
    public let address: String
    /// The port of the device's Cast channel at this address; nil unless the device says itself that it is there.
    public let port: Int?

    /// Makes one.
    public init(instance: String, address: String, port: Int? = nil) {
        self.instance = CastService.folded(instance: instance)
        self.address = address
        self.port = port
    }
}
