import CastClient
import CastWire
import GatewayCore
import NIOCore

/// The last media status of each app of a device, from answers to Castway or to senders.
///
/// A status is parsed when it is asked for, or when enough of them are together: most are only passed on.
struct LastMediaStatuses {
    private struct App {
        var model = MediaStatusModel()
        var unread: [(payload: ByteBuffer, isToAll: Bool, at: NIODeadline)] = []
        var span = PlaybackSpan()

        mutating func read() {
            for (payload, isToAll, instant) in self.unread {
                guard let json = CastMessage.Payload.text(payload).jsonObject, json.string("type") == "MEDIA_STATUS",
                    let elements = MediaStatus.elements(of: json)
                else { continue }
                // To a question about one media session that is over the answer is empty, too.
                guard isToAll || !elements.isEmpty else { continue }
                _ = self.model.received(elements, leavingOut: .metadata, at: instant)
                let snapshot = self.model.snapshot
                self.span.note(
                    session: snapshot.mediaSessionID, state: snapshot.playerState.rawValue,
                    item: snapshot.status?.currentItemID, at: instant)
            }
            self.unread = []
        }
    }

    private static let unreadLimit = 8

    private var apps: [EndpointID: App] = [:]

    /// Takes a message in the namespace of media.
    mutating func note(_ message: CastMessage, at now: NIODeadline) {
        guard case .text(let buffer) = message.payload else { return }
        // In bytes of their own: the message keeps the whole read that it came in.
        let payload = ByteBuffer(bytes: buffer.readableBytesView)
        self.apps[message.source, default: App()].unread.append((payload, message.isBroadcast, now))
        if self.apps[message.source]?.unread.count ?? 0 >= Self.unreadLimit { self.apps[message.source]?.read() }
    }

    /// The status of an app as it would tell it now: what moves by itself has moved since it was told. Nil when nothing is
    /// loaded or the app has said nothing.
    mutating func status(at transport: EndpointID, now: NIODeadline) -> MediaStatus? {
        self.apps[transport]?.read()
        return self.apps[transport]?.model.status(at: now)
    }

    /// Since when an app's player is as it is, and where it is now; nil when nothing is loaded or it has said nothing.
    mutating func playback(at transport: EndpointID, now: NIODeadline) -> (since: NIODeadline, position: Double)? {
        self.apps[transport]?.read()
        guard let app = self.apps[transport], let since = app.span.since else { return nil }
        return (since, app.model.snapshot.position(at: now))
    }

    /// Forgets the apps that do not run any more.
    mutating func keep(_ transports: some Sequence<EndpointID>) {
        guard !self.apps.isEmpty else { return }
        let kept = Set(transports)
        self.apps = self.apps.filter { kept.contains($0.key) }
    }
}
