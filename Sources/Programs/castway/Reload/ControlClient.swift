import CastTransport
import ControlAPI
import GatewayConfig
import NIOCore
import NIOHTTP1
import NIOPosix

/// Asks a running gateway at its admin listener; one connection, one request.
struct ControlClient {
    enum Address: Sendable, CustomStringConvertible {
        case socket(String)
        case tcp(ListenAddress)

        var description: String {
            switch self {
            case .socket(let path): path
            case .tcp(let address): "\(address)"
            }
        }
    }

    private typealias Connection = NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>

    /// More than any answer or any line of one has.
    private static let maximumLength = 16 << 20

    let address: Address

    /// Sends a request and waits for the answer.
    /// - Parameters:
    ///   - body: JSON; nil for none.
    ///   - timeout: how long the answer may take.
    /// - Throws: ``CommandFailure`` when no gateway answers, or it is lost before it has.
    func send(
        _ method: HTTPMethod, _ uri: String, headers: HTTPHeaders = [:], body: String? = nil, timeout: TimeAmount
    ) async throws -> ControlReply {
        let connection = try await self.connect()
        let deadline = NIODeadline.now() + timeout
        let late = connection.channel.eventLoop.scheduleTask(deadline: deadline) {
            connection.channel.close(promise: nil)
        }
        defer { late.cancel() }
        var answer = ByteBuffer()
        var end = "it closed the connection"
        var status: Int?
        do {
            status = try await self.exchange(method, uri, headers: headers, body: body, on: connection) { _, piece in
                answer.writeImmutableBuffer(piece)
                return answer.readableBytes <= Self.maximumLength
            }
        } catch { end = TransportError.text(of: error) }
        guard let status else {
            throw NIODeadline.now() >= deadline
                ? CommandFailure(.timedOut, "the gateway at \(self.address) did not answer")
                : CommandFailure(.unreachable, "the gateway at \(self.address) was lost before it answered: \(end)")
        }
        return ControlReply(status: status, body: String(buffer: answer))
    }

    /// Asks for an answer without end, and gives each piece of it as it comes; the next is read when the last was taken.
    /// - Parameters:
    ///   - failure: what a refusal means.
    ///   - each: takes a piece, and says whether there shall be more.
    /// - Throws: ``CommandFailure`` when no gateway answers, the gateway refuses, or it is lost.
    func pieces(
        _ uri: String, headers: HTTPHeaders = [:], failure: (ControlReply) -> CommandFailure,
        each: (ByteBuffer) throws -> Bool
    ) async throws {
        let connection = try await self.connect()
        var refusal = ByteBuffer()
        do {
            let status = try await self.exchange(.GET, uri, headers: headers, on: connection) { status, piece in
                if status == 200 { return try each(piece) }
                refusal.writeImmutableBuffer(piece)
                return true
            }
            guard let status, status != 200 else { return }
            throw failure(ControlReply(status: status, body: String(buffer: refusal)))
        } catch let error as CommandFailure {
            throw error
        } catch {
            throw CommandFailure(
                .unreachable, "the gateway at \(self.address) was lost: \(TransportError.text(of: error))")
        }
    }

    /// Asks for lines, and gives each as it comes, until the gateway ends them or the task is cancelled.
    /// - Parameter failure: what a refusal means.
    /// - Throws: ``CommandFailure`` when no gateway answers, the gateway refuses, or it is lost.
    func lines(_ uri: String, failure: (ControlReply) -> CommandFailure, each: (String) -> Void) async throws {
        var rest = ByteBuffer()
        try await self.pieces(uri, failure: failure) { piece in
            rest.writeImmutableBuffer(piece)
            while let line = rest.readLine() { each(line) }
            rest.discardReadBytes()
            return rest.readableBytes <= Self.maximumLength
        }
    }

    /// Sends a request on a new connection, reads the answer, and closes the connection.
    /// - Parameter each: takes the status with each piece of the body, and says whether there shall be more.
    /// - Returns: the status; nil when the answer did not come to its end.
    private func exchange(
        _ method: HTTPMethod, _ uri: String, headers: HTTPHeaders, body: String? = nil, on connection: Connection,
        each: (Int, ByteBuffer) throws -> Bool
    ) async throws -> Int? {
        var head = HTTPRequestHead(version: .http1_1, method: method, uri: uri, headers: headers)
        head.headers.add(name: "Host", value: self.host)
        head.headers.add(name: "Connection", value: "close")
        head.headers.add(name: "Content-Length", value: "\(body?.utf8.count ?? 0)")
        if body != nil { head.headers.add(name: "Content-Type", value: "application/json") }
        return try await connection.executeThenClose { inbound, outbound in
            try await outbound.write(.head(head))
            if let body { try await outbound.write(.body(.byteBuffer(ByteBuffer(string: body)))) }
            try await outbound.write(.end(nil))
            var status = 0
            for try await part in inbound {
                switch part {
                case .head(let head): status = Int(head.status.code)
                case .body(let piece): guard try each(status, piece) else { return nil }
                case .end: return status
                }
            }
            return nil
        }
    }

    private var host: String {
        switch self.address {
        case .socket: "localhost"
        case .tcp(let address): "\(address)"
        }
    }

    private func connect() async throws -> Connection {
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connectTimeout(.seconds(5))
        let initialize: @Sendable (any Channel) -> EventLoopFuture<Connection> = { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHTTPClientHandlers()
                return try NIOAsyncChannel(wrappingChannelSynchronously: channel)
            }
        }
        do {
            switch self.address {
            case .socket(let path):
                return try await bootstrap.connect(unixDomainSocketPath: path, channelInitializer: initialize)
            case .tcp(let address):
                return try await bootstrap.connect(
                    host: address.host, port: address.port, channelInitializer: initialize)
            }
        } catch {
            throw CommandFailure(
                .unreachable, "no gateway answers at \(self.address): \(TransportError.text(of: error))")
        }
    }
}

/// What the admin listener answered.
struct ControlReply: Sendable {
    var status: Int
    var body: String
}

extension ByteBuffer {
    /// Takes the first line, without its newline; nil until there is a whole one.
    mutating func readLine() -> String? {
        guard let end = self.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        defer { self.moveReaderIndex(forwardBy: 1) }
        return self.readString(length: end - self.readerIndex) ?? ""
    }
}
