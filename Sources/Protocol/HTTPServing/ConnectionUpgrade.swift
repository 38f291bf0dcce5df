package import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// Decides about a connection whose first request asks for a WebSocket. Called on the connection's event loop, so it does not block.
package typealias UpgradeDecider = @Sendable (_ request: UpgradeRequest) -> UpgradeDecision

/// The head of a request that asks for a WebSocket.
package struct UpgradeRequest: Sendable {
    /// The path as it was sent, without the query.
    package let path: String
    /// The query without its `?`; empty when there is none.
    package let query: String
    /// The path with its query, as it was sent.
    package let target: String
    /// The address that the connection comes from; `local` for a socket of the file system.
    package let address: String
    package let head: HTTPRequest

    /// Nil for a head that HTTP does not allow.
    init?(_ head: HTTPRequestHead, address: String, isSecure: Bool) {
        guard let request = try? HTTPRequest(head, secure: isSecure, splitCookie: false) else { return nil }
        let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        self.path = parts.first.map(String.init) ?? ""
        self.query = parts.count > 1 ? String(parts[1]) : ""
        self.target = head.uri
        self.address = address
        self.head = request
    }

    /// The elements of a header that is a list, over all lines that have it, without blanks around them.
    package func elements(of name: HTTPField.Name) -> [String] {
        self.head.headerFields[values: name].flatMap { value in
            value.split(separator: ",").map { element in
                String(element.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
            }
        }
    }

    /// True if a request offers to go on with another protocol.
    static func isOffer(_ headers: HTTPHeaders) -> Bool {
        headers.contains(name: "upgrade")
            && headers[canonicalForm: "connection"].contains { $0.lowercased() == "upgrade" }
    }

    /// True if a request offers to go on as a WebSocket.
    static func asksForWebSocket(_ headers: HTTPHeaders) -> Bool {
        Self.isOffer(headers) && headers[canonicalForm: "upgrade"].contains { $0.lowercased() == "websocket" }
    }
}

/// The decision on a request for a WebSocket.
package enum UpgradeDecision: Sendable {
    /// There is no WebSocket at the path: it is answered as any request.
    case answer
    /// It is answered with an error, and the connection ends.
    case refuse(UpgradeRefusal)
    /// It becomes a WebSocket, if its handshake is right.
    case accept(WebSocketAcceptance)
}

/// The reason a request for a WebSocket is refused: an answer of HTTP.
package struct UpgradeRefusal: Sendable {
    package var status: Int
    /// The body: a problem detail of RFC 9457 as JSON.
    package var problem: String
    /// Further headers.
    package var headers: [(name: String, value: String)]

    package init(status: Int, problem: String, headers: [(name: String, value: String)] = []) {
        self.status = status
        self.problem = problem
        self.headers = headers
    }

    /// Describes a fault of the handshake itself (RFC 6455, 4.2.1).
    static func handshake(status: Int = 400, _ detail: StaticString) -> UpgradeRefusal {
        UpgradeRefusal(
            status: status,
            problem: """
                {"type":"about:blank","status":\(status),"code":"bad_handshake","detail":"\(detail)"}

                """,
            headers: status == 426 ? [("upgrade", "websocket"), ("sec-websocket-version", "13")] : [])
    }
}

/// The terms on which a WebSocket is opened.
package struct WebSocketAcceptance: Sendable {
    /// The sub-protocol that is chosen, which the peer has offered; nil for none.
    package var subprotocol: String?
    package var limits: WebSocketLimits
    /// Most bytes that the peer may send until ``WebSocket/callerIsKnown()``; nil when the request has shown who it is.
    package var bytesOfStranger: Int?
    /// Makes what uses the WebSocket. Called on its event loop.
    package var endpoint: @Sendable (_ socket: WebSocket) -> any WebSocketEndpoint

    package init(
        subprotocol: String? = nil, limits: WebSocketLimits = WebSocketLimits(), bytesOfStranger: Int? = nil,
        endpoint: @escaping @Sendable (_ socket: WebSocket) -> any WebSocketEndpoint
    ) {
        self.subprotocol = subprotocol
        self.limits = limits
        self.bytesOfStranger = bytesOfStranger
        self.endpoint = endpoint
    }
}
