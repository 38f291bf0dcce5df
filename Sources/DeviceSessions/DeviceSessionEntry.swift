import NIOCore

/// A device of the directory: its session, and the event loop on which that lives.
struct DeviceSessionEntry: Sendable {
    let name: String
    /// What the configuration says of where it is; discovery may know more.
    let addresses: [DeviceAddress]
    let eventLoop: any EventLoop
    let session: NIOLoopBound<DeviceSession>
    /// True for a device that is here for its session alone, and not in the configuration.
    var isOnDemand = false

    /// Does something with the session, where it lives.
    func submit<Value: Sendable>(_ body: @escaping @Sendable (DeviceSession) -> Value) async throws -> Value {
        try await self.eventLoop.submit { body(self.session.value) }.get()
    }

    /// The same, without waiting for it.
    func execute(_ body: @escaping @Sendable (DeviceSession) -> Void) {
        self.eventLoop.execute { body(self.session.value) }
    }
}
