import CastWire
import GatewayOperations
import NIOCore

/// The frames that are no events.
enum MarkerFrames {
    /// What events that were lost without a number are chosen by: every reader is told.
    static let lossTopic = EventTopicName(id: 0, type: "", device: nil, namespace: nil, scope: .read)

    static func hello(boot: String, seq: UInt64, oldest: UInt64, features: [String]) -> ByteBuffer {
        Self.frame(
            .hello,
            [
                ("boot", .string(boot)), ("seq", Self.number(seq)), ("oldest", Self.number(oldest)),
                ("features", .array(features.map { .string($0) })),
            ])
    }

    static func synced(_ seq: UInt64) -> ByteBuffer { Self.frame(.synced, [("seq", Self.number(seq))]) }

    static func bookmark(_ seq: UInt64) -> ByteBuffer { Self.frame(.bookmark, [("seq", Self.number(seq))]) }

    static func resync(_ reason: ResyncReason) -> ByteBuffer {
        Self.frame(.resync, [("reason", .string(reason.rawValue))])
    }

    static func gap(from: UInt64, to: UInt64, count: Int) -> ByteBuffer {
        Self.frame(.gap, [("from", Self.number(from)), ("to", Self.number(to)), ("count", .number(count))])
    }

    static func coalesced(type: String, device: String?, count: Int) -> ByteBuffer {
        let device = device.map { [("device", JSONValue.string($0))] } ?? []
        return Self.frame(.coalesced, [("type", .string(type))] + device + [("count", .number(count))])
    }

    private static func number(_ seq: UInt64) -> JSONValue { .number(Int(clamping: seq)) }

    private static func frame(_ kind: JournalFrame.Kind, _ members: [(String, JSONValue)]) -> ByteBuffer {
        var bytes = ByteBuffer()
        JSONWriter.write(.object(JSONObject([("frame", .string(kind.rawValue))] + members)), to: &bytes)
        return bytes
    }
}

/// Why a reader that came back gets a snapshot.
enum ResyncReason: String, Sendable {
    /// Its position is of another run of the gateway.
    case otherBoot = "other_boot"
    /// What it missed is not there any more.
    case tooOld = "too_old"
    /// Its position is one that this run has not reached.
    case ahead
}
