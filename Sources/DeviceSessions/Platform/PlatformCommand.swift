import CastWire
import SystemPrimitives

/// A caller's command to the platform of a device, and how a status shows that it was carried out.
struct PlatformCommand: Sendable {
    /// Devices round levels, some to steps of a hundredth.
    private static let tolerance = 0.01

    let trace: CommandTrace
    /// What the volume is to be; nil for a command about something else.
    private let volume: ReceiverVolume?

    /// - Returns: nil for a question, and for what no caller's command is.
    init?(_ request: JSONObject, in namespace: Namespace) {
        let message = CastMessage(
            source: .platformSender, destination: .platformReceiver, namespace: namespace, payload: .json(request))
        guard let trace = CommandTrace.current, message.isCommand else { return nil }
        self.trace = trace
        let isVolume = namespace == .receiver && request.string("type") == "SET_VOLUME"
        self.volume = isVolume ? request.object("volume").map { ReceiverVolume(json: $0) } : nil
    }

    /// Whether a status that bears no number is the first that shows what was asked for. Devices tell all senders of a change
    /// before they answer the one that asked for it (protocol notes, 5.6).
    func isShown(by new: ReceiverVolume, after old: ReceiverVolume?) -> Bool {
        self.isReached(by: new) && old.map { !self.isReached(by: $0) } ?? false
    }

    private func isReached(by volume: ReceiverVolume) -> Bool {
        guard let wanted = self.volume else { return false }
        if let level = wanted.level {
            guard let reached = volume.level, abs(reached - level) <= Self.tolerance else { return false }
        }
        return wanted.muted == nil || wanted.muted == volume.muted
    }
}
