public import DeviceListening
public import GatewayConfig
public import NIOCore

/// One virtual device whose senders are passed through to a real one: what of `virtual_devices[]` concerns it.
public struct PassthroughSettings: Sendable, Equatable {
    /// The name used in `gateway.yaml`, topics and the API.
    public var name: String
    /// Where senders connect.
    public var listen: ListenAddress
    /// Whether it is announced, and in which networks.
    public var announcing = AnnouncingSettings()
    /// The real device: a name in `discovery.static`, or the friendly name or id of one that is found.
    public var target: String
    /// Who may use it, and when.
    public var senders = SenderRules()
    /// Where what the device says of itself for set-up is passed on; nil for nowhere.
    public var setup: ListenAddress?
    /// What the gateway sees of the device by a channel of its own.
    public var observation = PassthroughObservation.media
    /// What the gateway sees to by that channel.
    public var rules = WatchRules()
    /// Whether streams of mirroring senders are carried to the device.
    public var isMirrored = false
    /// The time zone of `senders.during`; nil for the machine's.
    public var timeZone: String?

    /// Makes settings; what is not changed has the default of `gateway.yaml`.
    public init(name: String, listen: ListenAddress, target: String, _ change: (inout Self) -> Void = { _ in }) {
        self.name = name
        self.listen = listen
        self.target = target
        change(&self)
    }
}

/// What one splice may use, and how long its steps may take.
public struct PassthroughLimits: Sendable, Hashable {
    /// How long the sender's first bytes may take, and how long connecting to the device.
    public var opening = TimeAmount.seconds(10)
    /// How long one address of the device may take to answer.
    public var connect = TimeAmount.seconds(4)
    /// How long nothing may pass: both ends send heartbeats.
    public var idle = TimeAmount.seconds(60)
    /// How long an end may read nothing of what waits for it.
    public var stall = TimeAmount.seconds(30)

    /// Makes limits.
    public init() {}
}

/// What a client of the set-up port may cost.
public struct SetupProxyLimits: Sendable, Hashable {
    /// How long an answer of the device may take.
    public var answerTime = TimeAmount.seconds(5)
    /// The most of an answer, in bytes.
    public var answerBytes = 256 * 1024
    /// How many requests the device is asked at the same time.
    public var concurrent = 4
    /// The device's own port.
    public var port = 8008

    /// Makes limits.
    public init() {}
}
