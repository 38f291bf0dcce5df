import NIOCore

/// A device of the directory: its session, and the event loop on which that lives.
struct DeviceSessionEntry: Sendable {
    let address: DeviceAddress
    let eventLoop: any EventLoop
    let session: NIOLoopBound<DeviceSession>

    /// Does something with the session, where it lives.
    func submit<Value: Sendable>(_ body: @escaping @Sendable (DeviceSession) -> Value) async throws -> Value {
        try await self.eventLoop.submit { body(self.session.value) }.get()
    }
}
