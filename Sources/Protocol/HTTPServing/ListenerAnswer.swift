import NIOCore
import NIOHTTP1

/// The headers that every answer of the gateway's own has, from whichever layer of a listener it comes.
package enum AnswerHeaders {
    /// Answers are for the one who asked, are what they say they are, and are shown in no frame.
    package static let all: [(name: String, value: String)] = [
        ("X-Content-Type-Options", "nosniff"), ("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer"),
        ("X-Frame-Options", "DENY"), ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
    ]
}

/// An answer of a listener itself, below all routes: a problem detail (RFC 9457), and the last answer of its connection.
struct ListenerAnswer {
    let head: HTTPResponseHead
    let body: String

    /// - Parameter problem: JSON text.
    init(status: HTTPResponseStatus, problem: String, headers: [(name: String, value: String)] = []) {
        var head = HTTPResponseHead(version: .http1_1, status: status)
        head.headers.add(name: "Connection", value: "close")
        head.headers.add(name: "Content-Type", value: "application/problem+json")
        head.headers.add(name: "Content-Length", value: "\(problem.utf8.count)")
        for header in AnswerHeaders.all + headers { head.headers.add(name: header.name, value: header.value) }
        self.head = head
        self.body = problem
    }

    private init(
        _ status: HTTPResponseStatus, _ code: StaticString, _ detail: StaticString,
        headers: [(name: String, value: String)] = []
    ) {
        self.init(
            status: status,
            problem: """
                {"type":"about:blank","status":\(status.code),"code":"\(code)","detail":"\(detail)"}

                """, headers: headers)
    }

    /// The address may not connect any more; see ``HTTPListener/Rules/obstacle``.
    static let forbidden = ListenerAnswer(.forbidden, "forbidden", "this address may not connect any more")
    /// A body is longer than ``HTTPLimits/maximumBodyBytes``.
    static let bodyTooLarge = ListenerAnswer(
        .payloadTooLarge, "body_too_large", "the body is longer than the listener takes")
    /// A request has not come whole within ``HTTPLimits/requestTimeout``.
    static let tooSlow = ListenerAnswer(.requestTimeout, "request_too_slow", "the request did not come whole in time")
    /// The connections of the listener make the gateway keep as much as it may.
    static let overloaded = ListenerAnswer(
        .serviceUnavailable, "overloaded", "the gateway has no memory left for this request; try again later",
        headers: [("Retry-After", "5")])
    /// There are more headers, or longer ones, than ``HTTPLimits`` say.
    static let headersTooLarge = ListenerAnswer(
        .requestHeaderFieldsTooLarge, "headers_too_large", "the headers are longer, or more, than the listener takes")
    /// A second host or a second site that asks.
    static let ambiguous = ListenerAnswer(
        .badRequest, "bad_request", "a request has one Host, and one Origin at most")
    static let malformed = ListenerAnswer(.badRequest, "bad_request", "this is no request of HTTP/1.1")

    /// Answers bytes that cannot be parsed.
    init(_ error: HTTPParserError) {
        switch error {
        case .headerOverflow: self = Self.headersTooLarge
        default: self = Self.malformed
        }
    }
}
