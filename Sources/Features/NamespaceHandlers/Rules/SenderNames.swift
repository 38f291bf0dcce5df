import CastWire

/// The names that a sender gives itself in the CONNECT with which it opened its virtual connection (protocol notes, 3.2).
///
/// Its software stands under `userAgent`, phones tell their model as `senderInfo.model`. Both are the sender's word. Many
/// senders tell neither.
enum SenderNames: Equatable {
    case none
    case known([String])
    /// It says something that cannot be read; the text says why.
    case unclear(String)

    /// Longer names are not compared, in bytes.
    private static let maximumLength = 256

    /// Reads a CONNECT; nil for one that is not known, since the connection has been closed meanwhile.
    init(_ connect: CastMessage?) {
        guard let connect else {
            self = .unclear("what the sender calls itself is not known")
            return
        }
        guard let object = connect.payload.jsonObject else {
            self = .unclear("the sender's CONNECT is no JSON object")
            return
        }
        do throws(UnclearValue) {
            var names = [try Self.name("userAgent", in: object)]
            switch try object.soleMember("senderInfo") {
            case nil, .null: break
            case .object(let info): names.append(try Self.name("model", in: info))
            case .some: throw UnclearValue(reason: "'senderInfo' is no object")
            }
            let known = names.compactMap(\.self)
            self = known.isEmpty ? .none : .known(known)
        } catch {
            self = .unclear(error.reason)
        }
    }

    private static func name(_ name: String, in object: JSONObject) throws(UnclearValue) -> String? {
        switch try object.soleMember(name) {
        case nil, .null, .string(""): return nil
        case .string(let text):
            guard text.utf8.count <= Self.maximumLength else { throw UnclearValue(reason: "'\(name)' is too long") }
            guard !text.utf8.contains(0) else { throw UnclearValue(reason: "'\(name)' holds NUL") }
            return text
        case .some: throw UnclearValue(reason: "'\(name)' is no text")
        }
    }
}
