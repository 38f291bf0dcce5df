import CastWire
import Logging

extension RoutedMessage {
    /// Who, to whom, in which namespace; never the payload.
    var logMetadata: Logger.Metadata {
        var metadata = self.message.logMetadata
        metadata["direction"] = "\(self.direction.rawValue)"
        if let connection = self.connection { metadata["connection"] = "\(connection)" }
        if let type = self.summary.type { metadata["type"] = "\(type)" }
        return metadata
    }

    func logMetadata(handler: String, reason: String) -> Logger.Metadata {
        self.logMetadata.merging(["handler": "\(handler)", "reason": "\(reason)"]) { $1 }
    }
}
