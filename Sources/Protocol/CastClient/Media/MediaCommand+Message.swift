public import CastWire
public import NIOCore

// For senders that keep no ``MediaClient``: they know what the app said last, and send one message.
extension MediaCommand {
    /// The message of the command.
    /// - Parameters:
    ///   - snapshot: what is known of the app and of what it plays.
    ///   - now: the present instant of the clock that the snapshot is told by.
    /// - Returns: the message without `requestId`; nil when nothing has to be sent, since what is asked for is so already.
    /// - Throws: ``RequestError``: what is wrong with the command, or why the app cannot carry it out now.
    public func message(
        knowing snapshot: MediaSnapshot, at now: NIODeadline
    ) throws(RequestError) -> JSONObject? {
        let resolver = MediaCommandResolver(snapshot: snapshot, options: MediaClientOptions(), loads: nil)
        return try resolver.message(of: self, at: now)?.json
    }

    /// How long the answer may take: what the command says, or what is usual.
    public func patience(_ usual: MediaClientOptions = MediaClientOptions()) -> Duration {
        self.timeout ?? (self.isLoad ? usual.loadTimeout : usual.answerTimeout)
    }
}

extension MediaSnapshot {
    /// What is known of an app without a ``MediaClient``.
    /// - Parameters:
    ///   - app: the app that runs; nil for none.
    ///   - status: what it plays, with everything that later statuses left out; nil when nothing is loaded.
    ///   - now: when it told the status.
    public init(app: ReceiverApplication?, status: MediaStatus?, at now: NIODeadline) {
        self.init()
        self.app = app
        self.isAvailable = app?.namespaces.contains(.media) ?? false
        self.status = status
        self.updatedAt = status == nil ? nil : now
        self.settledState = MediaPlayerState(status)
    }
}
