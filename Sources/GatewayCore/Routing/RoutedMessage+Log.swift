import CastWire
import Logging

extension RoutedMessage {
    /// Who, to whom, in which namespace; never the payload.
    var logMetadata: Logger.Metadata {
        var metadata: Logger.Metadata = [
            "direction": "\(self.direction.rawValue)", "source": "\(self.message.source)",
            "destination": "\(self.message.destination)", "namespace": "\(self.message.namespace)",
        ]
        if let connection = self.connection { metadata["connection"] = "\(connection)" }
        if let type = self.summary.type { metadata["type"] = "\(type)" }
        return metadata
    }

    func logMetadata(handler: String, reason: String) -> Logger.Metadata {
        self.logMetadata.merging(["handler": "\(handler)", "reason": "\(reason)"]) { $1 }
    }
}
