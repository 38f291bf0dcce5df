import CastWire
import FoundationEssentials
import NIOCore

extension OracleCastMessage {
    /// The same message as the oracle writes it.
    init(_ message: CastMessage) {
        self.init()
        self.protocolVersion = .castv210
        self.sourceID = message.source.rawValue
        self.destinationID = message.destination.rawValue
        self.namespace = message.namespace.rawValue
        switch message.payload {
        case .text(let buffer):
            self.payloadType = .string
            self.payloadUtf8 = String(buffer: buffer)
        case .binary(let buffer):
            self.payloadType = .binary
            self.payloadBinary = .init(buffer.readableBytesView)
        }
    }

    /// True when the required enumerations are the ones the oracle does not know, which Castway reads (a version).
    var lacksOnlyItsVersion: Bool {
        !self.hasProtocolVersion && self.hasSourceID && self.hasDestinationID && self.hasNamespace
            && self.hasPayloadType
    }

    /// True when Castway demands more than the oracle: names that are not empty, a payload that fits its type.
    var breaksTheStricterRules: Bool {
        self.sourceID.isEmpty || self.destinationID.isEmpty || self.namespace.isEmpty
            || (self.payloadType == .string ? !self.hasPayloadUtf8 : !self.hasPayloadBinary)
    }
}
