package import CastWire

/// A question about what the gateway knows, within the grant.
public struct GatewayQuery: Hashable, Sendable {
    /// What may be asked.
    public enum Subject: String, Hashable, Sendable, CaseIterable {
        /// The virtual devices: `{"devices":[…]}` as in ``PluginSnapshot/Device``.
        case devices
        /// The apps that run: `{"sessions":[…]}` as in ``PluginSnapshot/Session``.
        case sessions
        /// What plays: `{"media":[{"device","session","status":{…}}]}`, the status as in MEDIA_STATUS.
        case media
    }

    /// What is asked.
    public var subject: Subject
    /// Of which virtual device; nil for all.
    public var device: String?

    /// Puts the question.
    public init(_ subject: Subject, device: String? = nil) {
        self.subject = subject
        self.device = device
    }
}

extension GatewayQuery: WireObject {
    package init(_ reader: ObjectReader) throws(PluginWireError) {
        self.init(try reader.word("what"), device: try reader.optionalString("device"))
    }

    package var json: JSONObject {
        var json: JSONObject = ["what": .string(self.subject.rawValue)]
        json["device"] = self.device.map { .string($0) }
        return json
    }
}
