public import CastWire
import HTTPTypes
import Hummingbird
import NIOCore

/// What a request is answered: a status and a JSON body.
public struct ControlAnswer: Sendable {
    /// The HTTP status.
    public let status: Int
    /// The body, JSON text.
    public let body: String

    /// Answers with JSON text.
    public init(status: Int = 200, body: String) {
        self.status = status
        self.body = body
    }

    /// Answers with a JSON object.
    public init(status: Int = 200, _ json: JSONObject) {
        self.init(status: status, body: JSONValue.object(json).text + "\n")
    }

    /// Says what went wrong, in the one shape that errors have: `{"error": {"code": …, "message": …}}`.
    /// - Parameters:
    ///   - code: a word that never changes; see `GatewayError.Code`.
    ///   - details: further members beside code and message.
    public static func error(
        status: Int, code: String, message: String, details: [(name: String, value: JSONValue)] = []
    ) -> ControlAnswer {
        let members: [(String, JSONValue)] = [("code", .string(code)), ("message", .string(message))]
        return ControlAnswer(status: status, ["error": .object(JSONObject(members + details.map { ($0, $1) }))])
    }

    var response: Response {
        Response(
            status: HTTPResponse.Status(code: self.status), headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: self.body)))
    }
}
