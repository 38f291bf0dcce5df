import CastIdentity
import CastWire
import CastwayTestSupport
import ControlAPI
import GatewayConfig
import GatewayFixtures
import GatewayOperations
import Logging
import NIOCore
import NIOPosix
import NIOSSL
import Testing

@testable import GatewayApp
@testable import GatewaySettings

/// A gateway whose API listens, and what a caller with a socket can do to it.
struct APIBench: Sendable {
    /// Tokens of the file, each with what it may do.
    static let reader = "reader-0123456789abcdef0123456789abcdef"
    static let operatorToken = "operator-0123456789abcdef0123456789abcdef"
    static let guest = "guest-0123456789abcdef0123456789abcdef"
    static let past = "past-0123456789abcdef0123456789abcdef"

    let running: RunningGateway
    let recorder: LogRecorder
    let port: Int
    /// Trusts the gateway's root; nil for plain HTTP.
    let tls: NIOSSLContext?

    /// The tokens of the file that ``with(tls:tokens:_:body:)`` writes.
    static var tokens: [APITokenConfiguration] {
        [
            APITokenConfiguration(name: "reader", token: Secret(self.reader)),
            APITokenConfiguration(name: "operator", token: Secret(self.operatorToken)) {
                $0.scopes = OperationScope.allCases
            },
            APITokenConfiguration(name: "guest", token: Secret(self.guest)) {
                $0.scopes = [.read, .control, .admin]
                $0.devices = ["office"]
            },
            APITokenConfiguration(name: "past", token: Secret(self.past)) { $0.expires = UTCTime(seconds: 1) },
        ]
    }

    /// Runs a gateway as long as the body does.
    static func with<Result: Sendable>(
        tls: Bool = false, tokens: [APITokenConfiguration] = APIBench.tokens,
        _ change: (inout APIConfiguration) -> Void = { _ in }, body: (APIBench) async throws -> Result
    ) async throws -> Result {
        var configuration = GatewayConfiguration.hallAndOffice
        configuration.api.listen = ListenAddress(host: "127.0.0.1", port: 0)
        configuration.api.tokens = tokens
        if tls { configuration.api.tls = .automatic }
        change(&configuration.api)
        let recorder = LogRecorder()
        return try await RunningGateway.with(configuration, makeLogger: { recorder.logger($0) }) { running in
            var context: NIOSSLContext?
            if tls {
                var client = TLSConfiguration.makeClientConfiguration()
                let root = try NIOSSLCertificate(bytes: running.gateway.rootCertificate().der, format: .der)
                client.trustRoots = .certificates([root])
                context = try NIOSSLContext(configuration: client)
            }
            let port = try #require(running.gateway.apiPort)
            return try await body(APIBench(running: running, recorder: recorder, port: port, tls: context))
        }
    }

    /// What a caller got.
    struct Answer: Sendable, CustomStringConvertible {
        let description: String

        /// The statuses of all answers, in their order.
        var statuses: [Int] {
            self.description.split(separator: "HTTP/1.1 ").compactMap { Int($0.prefix(3)) }
        }

        var status: Int { self.statuses.first ?? 0 }

        /// The body of the last answer.
        var json: JSONObject {
            let body = self.description.ranges(of: "\r\n\r\n").last.map { self.description[$0.upperBound...] } ?? ""
            return (try? JSONReader.read(String(body)))?.objectValue ?? [:]
        }

        var code: String? { self.json.string("code") }

        /// Whether a header stands in an answer.
        func has(_ header: String) -> Bool { self.description.lowercased().contains(header.lowercased()) }
    }

    /// Opens a connection.
    func connect(plain: Bool = false) async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
        let tls = plain ? nil : self.tls
        return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: self.port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls {
                        try channel.pipeline.syncOperations.addHandler(
                            NIOSSLClientHandler(context: tls, serverHostname: "localhost"))
                    }
                    return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
    }

    /// Sends bytes and reads until the gateway closes.
    func send(_ text: String, plain: Bool = false) async throws -> Answer {
        let channel = try await self.connect(plain: plain)
        return try await channel.executeThenClose { inbound, outbound in
            // The gateway may have closed already, which the answer tells.
            try? await outbound.write(ByteBuffer(string: text))
            var all = ByteBuffer()
            do {
                for try await var piece in inbound { all.writeBuffer(&piece) }
            } catch {
                // A reset is an end too.
            }
            return Answer(description: String(buffer: all))
        }
    }

    /// The text of a request.
    static func request(
        _ line: String, token: String? = nil, headers: [String] = [], body: String = "", isLast: Bool = true
    ) -> String {
        var lines = ["\(line) HTTP/1.1"]
        if !headers.contains(where: { $0.hasPrefix("Host:") }) { lines.append("Host: 127.0.0.1") }
        if let token { lines.append("Authorization: Bearer \(token)") }
        lines += headers + ["Content-Length: \(body.utf8.count)"]
        if isLast { lines.append("Connection: close") }
        return (lines + ["", body]).joined(separator: "\r\n")
    }

    /// Sends one request.
    func ask(
        _ line: String, token: String? = nil, headers: [String] = [], body: String = ""
    ) async throws -> Answer {
        try await self.send(Self.request(line, token: token, headers: headers, body: body))
    }

    /// The lines of the audit log.
    var audit: [LogRecorder.Entry] { self.recorder.entries.filter { $0.label == "Audit" } }

    /// Whether the audit log has an event with an outcome.
    func hasAudited(_ event: AuditEntry.Event, _ outcome: String) -> Bool {
        self.audit.contains { $0.metadata["event"] == "\(event.rawValue)" && $0.metadata["outcome"] == "\(outcome)" }
    }
}

/// An open connection over which one request after the other is sent.
struct APIConversation {
    let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    var pieces: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private var rest = ""

    init(
        _ inbound: NIOAsyncChannelInboundStream<ByteBuffer>, _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) {
        self.outbound = outbound
        self.pieces = inbound.makeAsyncIterator()
    }

    /// Sends a request, and reads its answer; nil when the gateway has closed.
    mutating func ask(_ request: String) async throws -> APIBench.Answer? {
        try await self.outbound.write(ByteBuffer(string: request))
        while true {
            if let answer = self.take() { return answer }
            guard let piece = try await self.pieces.next(isolation: #isolation) else { return nil }
            self.rest += String(buffer: piece)
        }
    }

    private mutating func take() -> APIBench.Answer? {
        guard let end = self.rest.firstRange(of: "\r\n\r\n") else { return nil }
        let head = self.rest[..<end.lowerBound].lowercased()
        let length = head.firstRange(of: "content-length: ").flatMap {
            Int(head[$0.upperBound...].prefix { $0.isNumber })
        }
        guard let length, self.rest[end.upperBound...].utf8.count >= length else { return nil }
        let stop = self.rest.utf8.index(end.upperBound, offsetBy: length)
        defer { self.rest = String(self.rest[stop...]) }
        return APIBench.Answer(description: String(self.rest[..<stop]))
    }
}
