public import CastWire
public import GatewayOperations
import HTTPTypes
import Hummingbird
import NIOCore

/// What a request is answered: a status and a JSON body.
public struct ControlAnswer: Sendable {
    /// The HTTP status.
    public let status: Int
    /// The body, JSON text.
    public let body: String
    private let contentType: String

    /// Answers with a JSON object.
    public init(status: Int = 200, _ json: JSONObject) {
        self.init(status: status, contentType: "application/json", json)
    }

    private init(status: Int, contentType: String, _ json: JSONObject) {
        self.status = status
        self.contentType = contentType
        self.body = JSONValue.object(json).text + "\n"
    }

    /// Says what went wrong, as a problem detail of RFC 9457.
    public init(_ problem: OperationProblem) {
        self.init(status: problem.status, contentType: "application/problem+json", problem.json)
    }

    /// Says what went wrong, as a problem detail of RFC 9457.
    /// - Parameters:
    ///   - code: a word that never changes; see `GatewayError.Code`.
    ///   - members: further members beside code and detail.
    public static func problem(
        status: Int, code: String, _ detail: String, members: JSONObject = [:]
    ) -> ControlAnswer {
        ControlAnswer(OperationProblem(code, status: status, detail, members: members))
    }

    var response: Response {
        Response(
            status: HTTPResponse.Status(code: self.status), headers: [.contentType: self.contentType],
            body: ResponseBody(byteBuffer: ByteBuffer(string: self.body)))
    }
}
