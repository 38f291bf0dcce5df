public import CastWire
import NIOCore

/// Renders message bodies for the log as `log.payloads` and `log.redact` allow.
///
///     if let body = payloads.text(of: message.payload) { metadata["payload"] = "\(body)" }
public struct PayloadLog: Sendable {
    /// How many characters of a body are shown.
    public static let shownLength = 2048

    private let isOn: Bool
    private let redaction: LogRedaction

    /// Takes what `gateway.yaml` says.
    public init(_ configuration: LogConfiguration) {
        self.isOn = configuration.payloads
        self.redaction = LogRedaction(configuration.redact)
    }

    /// A body on one line with its secrets hidden; nil when bodies are not to be printed at all.
    ///
    /// Of a body that is not JSON only the length is shown: what in it is secret cannot be told.
    public func text(of payload: CastMessage.Payload) -> String? {
        guard self.isOn else { return nil }
        switch payload {
        case .binary(let bytes): return "\(bytes.readableBytes) bytes"
        case .text(let buffer):
            guard let value = try? JSONReader.read(buffer) else { return "\(buffer.readableBytes) bytes, not JSON" }
            let text = self.redaction.redacted(body: value).text.logSafe
            guard text.count > Self.shownLength else { return text }
            return "\(text.prefix(Self.shownLength))… (\(buffer.readableBytes) bytes)"
        }
    }
}
