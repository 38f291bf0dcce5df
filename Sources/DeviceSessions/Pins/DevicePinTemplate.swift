public import NIOCore

extension DevicePinStateMachine {
    /// What the template says of it.
    public struct Template: Hashable, Sendable {
        /// How many devices may be pinned.
        public let atMost: Int
        /// How many of them may be at one address.
        public let atMostPerHost: Int
        /// The ports for senders, at least as many as devices.
        public let ports: ClosedRange<Int>
        /// How long a device may be gone before its virtual device is withdrawn.
        public let grace: TimeAmount

        /// Makes a template.
        public init(atMost: Int, atMostPerHost: Int, ports: ClosedRange<Int>, grace: TimeAmount) {
            self.atMost = atMost
            self.atMostPerHost = atMostPerHost
            self.ports = ports
            self.grace = grace
        }
    }

    /// How long things are waited for.
    public struct Times: Hashable, Sendable {
        /// Before a device that is new is proved.
        public var settling = TimeAmount.seconds(5)
        /// Before one that could not be reached, or made a virtual device of, is tried again; doubled each time.
        public var retry = TimeAmount.seconds(30)
        /// The longest such pause.
        public var longestRetry = TimeAmount.minutes(10)
        /// Before a device that says something else of itself is believed.
        public var renaming = TimeAmount.seconds(30)

        /// The times of a gateway.
        public init() {}
    }
}
