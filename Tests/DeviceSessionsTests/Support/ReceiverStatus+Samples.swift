import CastWire

extension ReceiverStatus {
    /// Nothing runs.
    static let idle = ReceiverStatus(application: nil, volume: ReceiverVolume(level: 0.5, muted: false))

    /// The default media receiver runs.
    static let playing = ReceiverStatus(
        application: ReceiverApplication(
            appID: .defaultMediaReceiver, displayName: "Default Media Receiver", sessionID: "session-1",
            transportID: "web-1", namespaces: [.media]),
        volume: ReceiverVolume(level: 0.5, muted: false))

    /// The same app at the same place, in another session.
    static let relaunched = ReceiverStatus(
        application: ReceiverApplication(
            appID: .defaultMediaReceiver, displayName: "Default Media Receiver", sessionID: "session-2",
            transportID: "web-1", namespaces: [.media]),
        volume: ReceiverVolume(level: 0.5, muted: false))
}
