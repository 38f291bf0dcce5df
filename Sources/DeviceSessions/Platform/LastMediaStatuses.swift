import CastClient
import CastWire
import NIOCore

/// What the apps of a device said last of what they play, in answers to Castway or to senders.
///
/// A status is parsed when it is asked for, or when enough of them are together: most are only passed on.
struct LastMediaStatuses {
    private struct App {
        var model = MediaStatusModel()
        var unread: [(payload: ByteBuffer, isToAll: Bool)] = []

        mutating func read(at now: NIODeadline) {
            for (payload, isToAll) in self.unread {
                guard let json = CastMessage.Payload.text(payload).jsonObject, json.string("type") == "MEDIA_STATUS"
                else { continue }
                let elements = (json.array("status") ?? []).compactMap(\.objectValue).map(MediaStatus.init)
                // To a question about one media session that is over the answer is empty, too.
                guard isToAll || !elements.isEmpty else { continue }
                _ = self.model.received(elements, leavingOut: .metadata, at: now)
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
        self.apps[message.source, default: App()].unread.append((payload, message.isBroadcast))
        if self.apps[message.source]?.unread.count ?? 0 >= Self.unreadLimit { self.apps[message.source]?.read(at: now) }
    }

    /// The status of an app; nil when nothing is loaded or it has said nothing.
    mutating func status(at transport: EndpointID, now: NIODeadline) -> MediaStatus? {
        self.apps[transport]?.read(at: now)
        return self.apps[transport]?.model.snapshot.status
    }

    /// Forgets the apps that do not run any more.
    mutating func keep(_ transports: some Sequence<EndpointID>) {
        guard !self.apps.isEmpty else { return }
        let kept = Set(transports)
        self.apps = self.apps.filter { kept.contains($0.key) }
    }
}
