package import CastWire
package import GatewayOperations
import HTTPTypes
import Hummingbird
import NIOCore

/// What a request is answered: a status and a JSON body.
package struct ControlAnswer: Sendable {
    /// The HTTP status.
    package let status: Int
    /// The body, JSON text.
    package let body: String
    private let headers: HTTPFields

    /// Answers with a JSON object.
    package init(status: Int = 200, _ json: JSONObject) {
        self.init(status: status, headers: [.contentType: "application/json"], json)
    }

    private init(status: Int, headers: HTTPFields, _ json: JSONObject) {
        self.status = status
        self.headers = headers
        self.body = JSONValue.object(json).text + "\n"
    }

    /// Says what went wrong, as a problem detail of RFC 9457, with how to go on: what to show, or when to come back.
    /// - Parameter language: what a failure of a device is told in besides; nil to leave it out.
    package init(_ problem: OperationProblem, in language: ErrorLanguage? = nil) {
        let problem = language.map(problem.localized) ?? problem
        var headers: HTTPFields = [.contentType: "application/problem+json"]
        if let language, problem.members["localized_description"] != nil {
            headers[.contentLanguage] = language.rawValue
        }
        if problem.status == 401 { headers[.wwwAuthenticate] = "Bearer realm=\"castway\"" }
        if problem.status == 429, let wait = problem.members.int("retry_after") { headers[.retryAfter] = "\(wait)" }
        if problem.code == Self.lastCode { headers[.connection] = "close" }
        self.init(status: problem.status, headers: headers, problem.json)
    }

    /// The code of the problem after which a connection ends: a caller that tries tokens has to connect anew for each.
    package static let lastCode = "too_many_attempts"

    /// Says what went wrong, as a problem detail of RFC 9457.
    /// - Parameters:
    ///   - code: a word that never changes; see `GatewayError.Code`.
    ///   - members: further members beside code and detail.
    package static func problem(
        status: Int, code: String, _ detail: String, members: JSONObject = [:]
    ) -> ControlAnswer {
        ControlAnswer(OperationProblem(code, status: status, detail, members: members))
    }

    var response: Response {
        Response(
            status: HTTPResponse.Status(code: self.status), headers: self.headers,
            body: ResponseBody(byteBuffer: ByteBuffer(string: self.body)))
    }
}
