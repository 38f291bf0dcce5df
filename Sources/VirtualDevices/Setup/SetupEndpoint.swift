import CastTransport
import CastWire
import GatewayConfig
import GatewayCore
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle

/// Answers `GET /setup/eureka_info`, by which some senders find out what an address is (protocol notes, 5.10).
struct SetupEndpoint: Service {
    /// A connection that says nothing for this long is closed.
    private static let idleTimeout = TimeAmount.seconds(10)

    let address: ListenAddress
    let description: VirtualDeviceDescription
    /// Set for HTTPS; the certificate is the one of the Cast channel.
    let certificate: CertificateBox?
    /// Learns the port when requests are answered; fails when that never comes to be.
    let listening: EventLoopPromise<Int>
    let logger: Logger
    /// Learns what becomes of accepting.
    let accepting: @Sendable (AcceptOutcome) -> Void

    func run() async throws {
        let router = Router()
        router.get("/setup/eureka_info") { request, _ in
            let params = request.uri.queryParameters["params"].map { String($0).split(separator: ",").map(String.init) }
            return Self.response(self.description.setupInformation(params: params))
        }
        let certificate = self.certificate
        let server = HTTPServerBuilder { responder in
            let http = HTTP1Channel(responder: responder, configuration: .init(idleTimeout: Self.idleTimeout))
            guard let certificate else { return http }
            return SetupTLSChannel(base: http, certificate: certificate)
        }
        var logger = self.logger
        logger.logLevel = max(logger.logLevel, .notice)
        let application = Application(
            router: router, server: server,
            configuration: .init(address: .hostname(self.address.host, port: self.address.port)),
            onServerRunning: { [address, listening, accepting] channel in
                // It cannot be put in earlier. A channel that is closed already needs it no more.
                try? await channel.eventLoop.submit {
                    let watch = AcceptWatch(report: accepting)
                    try channel.pipeline.syncOperations.addHandler(watch, position: .first)
                }.get()
                listening.succeed(channel.localAddress?.port ?? address.port)
            },
            logger: logger)
        do {
            try await application.run()
            self.listening.fail(GatewayError(.listenFailed, "the set-up endpoint was stopped"))
        } catch {
            let reason = TransportError.text(of: error)
            let failure = GatewayError(.listenFailed, "the set-up endpoint cannot listen on \(self.address): \(reason)")
            self.listening.fail(failure)
            throw failure
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
