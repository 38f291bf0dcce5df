public import CastWire
public import Logging

extension CastMessage {
    /// Who, to whom, in which namespace; never the payload.
    public var logMetadata: Logger.Metadata {
        [
            "source": "\(self.source)", "destination": "\(self.destination)", "namespace": "\(self.namespace)",
        ]
    }
}
