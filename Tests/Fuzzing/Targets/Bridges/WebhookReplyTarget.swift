import CastWire
import NIOCore

@testable import MessageBridges

/// Whatever a back end answers, a sender gets text that is UTF-8, bytes, or nothing; and the id of its request, where the answer is an
/// object that has none.
///
/// The input: how the answer ended, its status, the length of its content type, the content type, the body.
package enum WebhookReplyTarget: FuzzTarget {
    /// `webhook-reply`
    package static let name = "webhook-reply"

    private static let ends: [WebhookAnswer.End] = [.whole, .tooLarge, .late, .broken]

    /// Makes the reply of a channel from the answer.
    package static func run(_ input: [UInt8]) throws {
        var reader = InputReader(input)
        let end = reader.one(of: Self.ends)
        let status = 100 + 2 * Int(reader.byte())
        let type = String(decoding: reader.bytes(reader.number(below: 80)), as: UTF8.self)
        let body = reader.rest()
        let answer = WebhookAnswer(
            status: status, contentType: type.isEmpty ? nil : type, body: ByteBuffer(bytes: body), length: body.count,
            end: end)
        let result = WebhookReply.result(of: .success(answer))
        guard case .success(let reply) = result else { return }
        try Violation.unless(end == .whole && answer.isSuccess, "\(status), \(end) is a reply")
        guard let payload = reply.payload else { return try Violation.unless(body.isEmpty, "a body is no reply") }
        switch payload {
        case .binary(let bytes): try Violation.unless(Array(bytes.readableBytesView) == body, "other bytes")
        case .text(let text):
            try Violation.unless(
                String(validating: text.readableBytesView, as: UTF8.self) != nil, "text that is not UTF-8")
            try Self.check(payload, answering: text)
        }
    }

    private static func check(_ payload: CastMessage.Payload, answering text: ByteBuffer) throws {
        let answered = payload.answering(7)
        guard case .object(let before)? = try? JSONReader.read(text) else {
            return try Violation.unless(answered == payload, "what is no object was changed")
        }
        guard case .object(let after)? = try? JSONReader.read(answered.bytes) else {
            throw Violation("an object is none any more: \(answered.text ?? "")")
        }
        for member in before.members where member.name != "requestId" {
            try Violation.unless(
                after.members.contains { $0.name == member.name && $0.value == member.value },
                "'\(member.name)' is lost")
        }
    }
}
