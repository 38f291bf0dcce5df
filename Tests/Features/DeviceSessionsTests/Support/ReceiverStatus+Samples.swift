import CastWire

extension ReceiverStatus {
    /// Nothing runs.
    static let idle = ReceiverStatus(application: nil, volume: ReceiverVolume(level: 0.5, muted: false))

    /// The idle screen runs, as devices with a picture tell.
    static let resting: ReceiverStatus = {
        var backdrop = ReceiverApplication(
            appID: .backdrop, displayName: "Backdrop", sessionID: "session-0", transportID: "web-0", namespaces: [])
        backdrop.isIdleScreen = true
        return ReceiverStatus(application: backdrop, volume: ReceiverVolume(level: 0.5, muted: false))
    }()

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
