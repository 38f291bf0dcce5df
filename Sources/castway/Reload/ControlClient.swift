import CastTransport
import ControlAPI
import GatewayConfig
import NIOCore
import NIOHTTP1
import NIOPosix

/// Asks a running gateway at its admin listener; one connection, one request.
struct ControlClient {
    /// Where the gateway is asked.
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

    let address: Address

    /// Sends a request and waits for the answer.
    /// - Parameters:
    ///   - body: JSON; nil for none.
    ///   - timeout: how long the answer may take.
    /// - Throws: ``CommandFailure`` when no gateway answers.
    func send(
        _ method: HTTPMethod, _ uri: String, headers: HTTPHeaders = [:], body: String? = nil, timeout: TimeAmount
    ) async throws -> ControlReply {
        let promise = MultiThreadedEventLoopGroup.singleton.next().makePromise(of: ControlReply.self)
        let reply = promise.futureResult
        let channel: any Channel
        do {
            channel = try await self.connect { ControlReplyReader(promise: promise) }
        } catch {
            promise.fail(error)
            throw error
        }
        self.write(method, uri, headers: headers, body: body, to: channel)
        let late = channel.eventLoop.scheduleTask(in: timeout) { channel.close(promise: nil) }
        defer { late.cancel() }
        do {
            return try await reply.get()
        } catch {
            throw CommandFailure(.timedOut, "the gateway at \(self.address) did not answer")
        }
    }

    private var host: String {
        switch self.address {
        case .socket: "localhost"
        case .tcp(let address): "\(address)"
        }
    }

    /// Asks for lines, and gives each as it comes, until the gateway ends them or the task is cancelled.
    /// - Parameter failure: what a refusal means.
    /// - Throws: ``CommandFailure`` when no gateway answers, or the gateway refuses.
    func lines(_ uri: String, failure: (ControlReply) -> CommandFailure, each: (String) -> Void) async throws {
        let (pieces, input) = AsyncThrowingStream.makeStream(
            of: ControlLineReader.Piece.self, bufferingPolicy: .bufferingNewest(1024))
        let channel = try await self.connect { ControlLineReader(input) }
        defer { channel.close(promise: nil) }
        self.write(.GET, uri, to: channel)
        do {
            for try await piece in pieces {
                switch piece {
                case .line(let line): each(line)
                case .refusal(let reply): throw failure(reply)
                }
            }
        } catch let error as CommandFailure {
            throw error
        } catch {
            throw CommandFailure(
                .unreachable, "the gateway at \(self.address) was lost: \(TransportError.text(of: error))")
        }
    }

    /// Asks for an answer without end, and gives each piece of it as it comes; the next is read when the last was taken.
    /// - Parameters:
    ///   - failure: what a refusal means.
    ///   - each: takes a piece, and says whether there shall be more.
    /// - Throws: ``CommandFailure`` when no gateway answers, the gateway refuses, or it is lost.
    func pieces(
        _ uri: String, headers: [(name: String, value: String)], failure: (ControlReply) -> CommandFailure,
        each: (ByteBuffer) throws -> Bool
    ) async throws {
        let channel = try await self.connect()
        do {
            try await channel.executeThenClose { inbound, outbound in
                try await outbound.write(.head(self.head(.GET, uri, headers: headers)))
                try await outbound.write(.end(nil))
                var refusal: ControlReply?
                for try await part in inbound {
                    switch part {
                    case .head(let head) where head.status != .ok:
                        refusal = ControlReply(status: Int(head.status.code), body: "")
                    case .head: break
                    case .body(let piece):
                        if refusal == nil {
                            guard try each(piece) else { return }
                        } else {
                            refusal?.body += String(buffer: piece)
                        }
                    case .end: if let refusal { throw failure(refusal) } else { return }
                    }
                }
            }
        } catch let error as CommandFailure {
            throw error
        } catch {
            throw CommandFailure(
                .unreachable, "the gateway at \(self.address) was lost: \(TransportError.text(of: error))")
        }
    }

    private func connect() async throws -> NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart> {
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connectTimeout(.seconds(5))
        let initialize:
            @Sendable (any Channel) -> EventLoopFuture<NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>> =
                {
                    channel in
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

    private func head(
        _ method: HTTPMethod, _ uri: String, headers: [(name: String, value: String)] = []
    ) -> HTTPRequestHead {
        var head = HTTPRequestHead(version: .http1_1, method: method, uri: uri)
        head.headers.add(name: "Host", value: self.host)
        for header in headers { head.headers.add(name: header.name, value: header.value) }
        head.headers.add(name: "Connection", value: "close")
        return head
    }

    private func write(
        _ method: HTTPMethod, _ uri: String, headers: HTTPHeaders = [:], body: String? = nil, to channel: any Channel
    ) {
        var head = self.head(method, uri, headers: [("Content-Length", "\(body?.utf8.count ?? 0)")])
        head.headers.add(contentsOf: headers)
        if body != nil { head.headers.add(name: "Content-Type", value: "application/json") }
        channel.write(HTTPClientRequestPart.head(head), promise: nil)
        if let body { channel.write(HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(string: body))), promise: nil) }
        channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
    }

    private func connect(_ reader: @escaping @Sendable () -> any ChannelHandler) async throws -> any Channel {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let bootstrap = ClientBootstrap(group: eventLoop).connectTimeout(.seconds(5)).channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHTTPClientHandlers()
                try channel.pipeline.syncOperations.addHandler(reader())
            }
        }
        do {
            switch self.address {
            case .socket(let path): return try await bootstrap.connect(unixDomainSocketPath: path).get()
            case .tcp(let address): return try await bootstrap.connect(host: address.host, port: address.port).get()
            }
        } catch {
            throw CommandFailure(
                .unreachable, "no gateway answers at \(self.address): \(TransportError.text(of: error))")
        }
    }
}

/// What the admin listener answered.
struct ControlReply: Sendable {
    /// The HTTP status.
    var status: Int
    /// The body as text.
    var body: String
}
