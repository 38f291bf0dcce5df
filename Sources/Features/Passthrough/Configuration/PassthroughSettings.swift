package import DeviceListening
package import GatewayConfig
package import NIOCore

/// One virtual device whose senders are passed through to a real one: what of `virtual_devices[]` concerns it.
package struct PassthroughSettings: Sendable, Equatable {
    /// The name used in `gateway.yaml`, topics and the API.
    package var name: String
    /// The address where senders connect.
    package var listen: ListenAddress
    /// The announcement by mDNS, and the networks of it.
    package var announcing = AnnouncingSettings()
    /// The real device: a name in `discovery.static`, or the friendly name or id of one that is found.
    package var target: String
    /// The rules on who may use it, and when.
    package var senders = SenderRules()
    /// The address where the device's set-up description is passed on; nil for none.
    package var setup: ListenAddress?
    /// The gateway's view of the device by a channel of its own.
    package var observation = PassthroughObservation.media
    /// The rules that the gateway enforces by that channel.
    package var rules = WatchRules()
    /// True if streams of mirroring senders are carried to the device.
    package var isMirrored = false
    /// The time zone of `senders.during`; nil for the machine's.
    package var timeZone: String?

    /// Makes settings; what is not changed has the default of `gateway.yaml`.
    package init(name: String, listen: ListenAddress, target: String, _ change: (inout Self) -> Void = { _ in }) {
        self.name = name
        self.listen = listen
        self.target = target
        change(&self)
    }
}

/// The limits and time limits of one splice.
package struct PassthroughLimits: Sendable, Hashable {
    /// The time for the sender's first bytes, and for connecting to the device.
    package var opening = TimeAmount.seconds(10)
    /// The time one address of the device may take to answer.
    package var connect = TimeAmount.seconds(4)
    /// The time nothing may pass: both ends send heartbeats.
    package var idle = TimeAmount.seconds(60)
    /// The time an end may read nothing of what waits for it.
    package var stall = TimeAmount.seconds(30)

    package init() {}
}

/// The limits of a client of the set-up port.
package struct SetupProxyLimits: Sendable, Hashable {
    /// The time an answer of the device may take.
    package var answerTime = TimeAmount.seconds(5)
    /// The most of an answer, in bytes.
    package var answerBytes = 256 * 1024
    /// The number of requests the device is asked at the same time.
    package var concurrent = 4
    /// The device's own port.
    package var port = 8008

    package init() {}
}
