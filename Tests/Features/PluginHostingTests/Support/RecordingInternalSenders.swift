import CastWire
import CastwayTestSupport
import GatewayCore
import Synchronization

/// Internal senders that record what is sent, and answer.
final class RecordingInternalSenders: InternalSenders {
    struct Sent: Hashable, Sendable {
        var text: String
        var namespace: Namespace
        var place: AppAddress
        var origin: MessageOrigin
        var isBroadcast: Bool
    }

    let sent = Inbox<Sent>()

    func snapshot() async -> GatewaySnapshot {
        GatewaySnapshot(
            devices: [GatewaySnapshot.Device(name: "lobby", friendlyName: "Lobby", senders: 1)],
            sessions: [
                GatewaySnapshot.Session(device: "lobby", app: PluginBench.session, media: ["playerState": "PLAYING"])
            ])
    }

    /// How often a plugin's snapshot asked for the gateway's own sessions.
    let ownSnapshots = Mutex(0)

    func ownSnapshot() async -> GatewaySnapshot {
        self.ownSnapshots.withLock { $0 += 1 }
        return GatewaySnapshot()
    }

    func send(
        _ payload: CastMessage.Payload, namespace: Namespace, to app: AppAddress, as sender: MessageOrigin,
        wait: Duration?
    ) async throws(GatewayError) -> CastMessage.Payload? {
        guard app.device == "lobby" else { throw GatewayError(.unknownDevice, "no device '\(app.device)'") }
        self.sent.put(
            Sent(text: payload.text ?? "", namespace: namespace, place: app, origin: sender, isBroadcast: false))
        return wait == nil ? nil : .text(#"{"type":"ANSWERED"}"#)
    }

    func broadcast(
        _ payload: CastMessage.Payload, namespace: Namespace, to app: AppAddress, as sender: MessageOrigin
    ) async throws(GatewayError) {
        self.sent.put(
            Sent(text: payload.text ?? "", namespace: namespace, place: app, origin: sender, isBroadcast: true))
    }

    func listen(to app: AppAddress, as sender: MessageOrigin, limit: Int) async throws(GatewayError) -> SenderInbox {
        throw GatewayError(.unavailable, "nobody listens here")
    }
}
