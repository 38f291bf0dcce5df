package import NIOCore

extension DevicePinStateMachine {
    /// The template's limits.
    package struct Template: Hashable, Sendable {
        /// The number of devices that may be pinned.
        package let atMost: Int
        /// The limit of pins at one address.
        package let atMostPerHost: Int
        /// The ports for senders, at least as many as devices.
        package let ports: ClosedRange<Int>
        /// The time a device may be gone before its virtual device is withdrawn.
        package let grace: TimeAmount

        package init(atMost: Int, atMostPerHost: Int, ports: ClosedRange<Int>, grace: TimeAmount) {
            self.atMost = atMost
            self.atMostPerHost = atMostPerHost
            self.ports = ports
            self.grace = grace
        }
    }

    /// Time limits.
    package struct Times: Hashable, Sendable {
        /// Before a device that is new is proved.
        package var settling = TimeAmount.seconds(5)
        /// Before one that could not be reached, or made a virtual device of, is tried again; doubled each time.
        package var retry = TimeAmount.seconds(30)
        package var longestRetry = TimeAmount.minutes(10)
        /// Before a device that says something else of itself is believed.
        package var renaming = TimeAmount.seconds(30)

        package init() {}
    }
}
