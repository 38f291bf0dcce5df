extension RemoteApp {
    /// Does something with the conversation on its event loop.
    ///
    /// The conversation lives as long as the channel to the device. Asked again, it is the same one.
    /// - Throws: ``SenderError/disconnected(reason:)`` when the channel is gone.
    public func withChannel<Result: Sendable>(
        _ body: @escaping @Sendable (RemoteAppChannel) -> Result
    ) async throws(SenderError) -> Result {
        try await self.device.withChannel(to: self.transportID, body)
    }
}
