import CastWire

/// CONNECT and CLOSE, and what a sender tells of itself in them.
package enum ConnectionPayloadTarget: FuzzTarget {
    /// `connection`
    package static let name = "connection"

    /// Reads a message of the namespace.
    package static func run(_ input: [UInt8]) throws {
        guard let payload = CastMessage.Payload(input: input), let message = ConnectionPayload(payload) else { return }
        try PayloadCheck(message).survivesTheWire()
        _ = (message.kind, message.connectionType, message.origin, message.userAgent, message.reason)
        if let version = message.negotiatedVersion {
            try Violation.unless(
                ConnectionPayload.knownVersions.contains(version) && message.offeredVersions?.contains(version) == true,
                "chose version \(version) of \(String(describing: message.offeredVersions))")
        }
        if let sender = message.senderInfo {
            _ = (sender.sdkType, sender.version, sender.browserVersion, sender.platform)
            _ = (sender.systemVersion, sender.connectionType, sender.model)
        }
    }
}
