import CastTransport
import CastWire
import GatewayConfig
import GatewayCore
import HTTPServing
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore

/// Answers `GET /setup/eureka_info`, by which some senders find out what an address is (protocol notes, 5.10), and has the
/// picture that the device's announcement names.
final class SetupEndpoint: Sendable {
    let address: ListenAddress
    private let listener: HTTPListener

    /// Begins to listen; connections are answered while ``run()`` runs, which it must be called for.
    /// - Parameters:
    ///   - description: what the device says of itself; asked for every request.
    ///   - sharesAddress: as for ``CastListener``.
    ///   - rules: what connections go by; HTTPS serves the certificate of the Cast channel.
    /// - Throws: ``GatewayError`` with `listenFailed`.
    init(
        address: ListenAddress, description: @escaping @Sendable () -> VirtualDeviceDescription,
        on eventLoop: any EventLoop, sharesAddress: Bool, admission: Admission, rules: HTTPListener.Rules,
        logger: Logger
    ) async throws {
        var logger = logger
        logger.logLevel = max(logger.logLevel, .notice)
        self.address = address
        do {
            self.listener = try await HTTPListener(
                at: .address(host: address.host, port: address.port, sharesAddress: sharesAddress), kind: .setup,
                admission: admission, rules: rules, on: eventLoop, logger: logger,
                responder: Self.responder(description, logger: logger))
        } catch {
            let reason = TransportError.text(of: error)
            throw GatewayError(.listenFailed, "the set-up endpoint cannot listen on \(address): \(reason)")
        }
    }

    /// The listening socket.
    var channel: any Channel { self.listener.channel }

    /// Where it listens.
    var port: Int { self.listener.port ?? self.address.port }

    /// Answers until ``stop()``, or until the task is cancelled.
    func run() async {
        await self.listener.run()
    }

    /// Gives the address up, and closes every connection.
    func stop() async {
        await self.listener.stop()
    }

    /// Gives the address up without ever having answered.
    func discard() async {
        await self.listener.discard()
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
