import CastTransport
import CastWire
import GatewayConfig
import GatewayCore
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix

/// Answers `GET /setup/eureka_info`, by which some senders find out what an address is (protocol notes, 5.10), and has the
/// picture that the device's announcement names.
final class SetupEndpoint: Sendable {
    /// A connection that says nothing for this long is closed.
    private static let idleTimeout = TimeAmount.seconds(10)

    private typealias Connection = SetupTLSChannel<HTTP1Channel>.Value

    let address: ListenAddress
    private let server: NIOAsyncChannel<Connection, Never>
    private let http: SetupTLSChannel<HTTP1Channel>
    private let logger: Logger
    private let stopped: AsyncStream<Never>
    private let stopper: AsyncStream<Never>.Continuation

    /// Begins to listen; connections are answered while ``run()`` runs, which it must be called for.
    /// - Parameters:
    ///   - description: what the device says of itself; asked for every request.
    ///   - certificate: set for HTTPS; the certificate is the one of the Cast channel.
    ///   - sharesAddress: as for ``CastListener``.
    ///   - accepting: learns what becomes of accepting.
    /// - Throws: ``GatewayError`` with `listenFailed`.
    init(
        address: ListenAddress, description: @escaping @Sendable () -> VirtualDeviceDescription,
        certificate: CertificateBox?, on eventLoop: any EventLoop, sharesAddress: Bool, logger: Logger,
        accepting: @escaping @Sendable (AcceptOutcome) -> Void
    ) async throws {
        var logger = logger
        logger.logLevel = max(logger.logLevel, .notice)
        let responder = Self.responder(description, logger: logger)
        let http = SetupTLSChannel(
            base: HTTP1Channel(responder: responder, configuration: .init(idleTimeout: Self.idleTimeout)),
            certificate: certificate)
        self.address = address
        self.http = http
        self.logger = logger
        (self.stopped, self.stopper) = AsyncStream.makeStream(of: Never.self)
        do {
            self.server = try await ServerBootstrap(group: eventLoop)
                .serverChannelOption(.backlog, value: 256)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .serverChannelOption(.socketOption(SharedAddress.option), value: sharesAddress ? 1 : 0)
                .serverChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(AcceptWatch(report: accepting))
                    }
                }
                .childChannelOption(.allowRemoteHalfClosure, value: true)
                .bind(host: address.host, port: address.port) { [logger] channel in
                    http.setup(channel: channel, logger: logger)
                }
        } catch {
            let reason = TransportError.text(of: error)
            throw GatewayError(.listenFailed, "the set-up endpoint cannot listen on \(address): \(reason)")
        }
    }

    /// The listening socket.
    var channel: any Channel { self.server.channel }

    /// Where it listens.
    var port: Int { self.server.channel.localAddress?.port ?? self.address.port }

    /// Answers until ``stop()``, or until the task is cancelled.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.accept() }
            group.addTask { for await _ in self.stopped {} }
            await group.next()
            group.cancelAll()
        }
    }

    /// Gives the address up, and hangs up whoever is connected.
    func stop() async {
        // It may be closed already.
        try? await self.server.channel.close()
        self.stopper.finish()
    }

    /// Gives the address up without ever having answered.
    func discard() async {
        self.stopper.finish()
        try? await self.server.executeThenClose { _ in }
    }

    private func accept() async {
        await withDiscardingTaskGroup { group in
            do {
                try await self.server.executeThenClose { connections in
                    for try await connection in connections {
                        group.addTask { await self.http.handle(value: connection, logger: self.logger) }
                    }
                }
            } catch is CancellationError {
                return
            } catch {
                self.logger.error("The set-up endpoint stopped", metadata: ["reason": "\(error)"])
            }
        }
    }

    private static func responder(
        _ description: @escaping @Sendable () -> VirtualDeviceDescription, logger: Logger
    ) -> HTTPChannelHandler.Responder {
        let router = Router()
        router.get("/setup/eureka_info") { request, _ in
            let params = request.uri.queryParameters["params"].map { String($0).split(separator: ",").map(String.init) }
            return Self.response(description().setupInformation(params: params))
        }
        router.get("\(DeviceIcon.path)") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "image/png", .accessControlAllowOrigin: "*"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: DeviceIcon.png)))
        }
        let routes = router.buildResponder()
        return { request, writer, channel in
            let context = BasicRequestContext(source: ApplicationRequestContextSource(channel: channel, logger: logger))
            let response = (try? await routes.respond(to: request, context: context)) ?? Response(status: .badRequest)
            try await writer.write(response: response.head, body: response.body)
        }
    }

    private static func response(_ json: JSONObject) -> Response {
        var buffer = ByteBuffer()
        JSONWriter.write(.object(json), to: &buffer)
        return Response(
            status: .ok, headers: [.contentType: "application/json", .accessControlAllowOrigin: "*"],
            body: ResponseBody(byteBuffer: buffer))
    }
}
