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
    /// - Parameter timeout: how long the answer may take.
    /// - Throws: ``CommandFailure`` when nobody answers.
    func send(_ method: HTTPMethod, _ uri: String, timeout: TimeAmount) async throws -> ControlReply {
        let channel: any Channel
        let reply: EventLoopFuture<ControlReply>
        do {
            (channel, reply) = try await self.connect()
        } catch {
            throw CommandFailure(.unreachable, "no gateway answers at \(self.address): \(Self.reason(error))")
        }
        var head = HTTPRequestHead(version: .http1_1, method: method, uri: uri)
        head.headers.add(name: "Host", value: self.host)
        head.headers.add(name: "Content-Length", value: "0")
        head.headers.add(name: "Connection", value: "close")
        channel.write(HTTPClientRequestPart.head(head), promise: nil)
        channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
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

    private func connect() async throws -> (any Channel, EventLoopFuture<ControlReply>) {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let promise = eventLoop.makePromise(of: ControlReply.self)
        let bootstrap = ClientBootstrap(group: eventLoop).connectTimeout(.seconds(5)).channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHTTPClientHandlers()
                try channel.pipeline.syncOperations.addHandler(ControlReplyReader(promise: promise))
            }
        }
        do {
            let channel =
                switch self.address {
                case .socket(let path): try await bootstrap.connect(unixDomainSocketPath: path).get()
                case .tcp(let address): try await bootstrap.connect(host: address.host, port: address.port).get()
                }
            return (channel, promise.futureResult)
        } catch {
            promise.fail(error)
            throw error
        }
    }

    /// The reason without the names of system calls.
    private static func reason(_ error: any Error) -> String {
        switch error {
        case let error as IOError: SystemError.text(error.errnoCode)
        case let error as NIOConnectionError:
            error.connectionErrors.first.map { Self.reason($0.error) } ?? "the name has no address"
        default: "\(error)"
        }
    }
}
