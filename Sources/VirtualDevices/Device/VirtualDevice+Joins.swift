import CastWire
import GatewayCore
import Logging

/// Who uses which app, for the log.
extension VirtualDevice {
    /// A sender's end opened a virtual connection to an app.
    func noteJoin(_ pair: VirtualConnection, by sender: SenderConnection) {
        self.logJoin("Join", pair, by: sender, [:])
    }

    /// A sender's end was refused one.
    func noteRefusedJoin(_ pair: VirtualConnection, by sender: SenderConnection, reason: String) {
        self.logJoin("Join refused", pair, by: sender, ["reason": "\(reason)"])
    }

    private func logJoin(
        _ text: Logger.Message, _ pair: VirtualConnection, by sender: SenderConnection, _ more: Logger.Metadata
    ) {
        guard pair.local != .platformReceiver, self.logger.logLevel <= .info else { return }
        var metadata = more
        metadata["address"] = "\(sender.address)"
        metadata["connection"] = "\(sender.id)"
        metadata["sender"] = "\(pair.peer)"
        CastCommand.describe(self.target.session(at: pair.local), in: &metadata)
        self.logSender(.info, text, sender.address, metadata)
    }
}
