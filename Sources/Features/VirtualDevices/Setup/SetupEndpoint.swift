import CastWire
import HTTPServing
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore

/// Answers `GET /setup/eureka_info`, by which some senders find out what an address is (protocol notes, 5.10), and has the
/// picture that the device's announcement names.
enum SetupEndpoint {
    /// Answers requests.
    /// - Parameter description: what the device says of itself; asked for every request.
    static func responder(
        logger: Logger, _ description: @escaping @Sendable () -> VirtualDeviceDescription
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
            let context = BasicRequestContext(
                source: ApplicationRequestContextSource(channel: channel, logger: logger.quiet))
            let response: Response
            do {
                response = try await routes.respond(to: request, context: context)
            } catch {
                response = Self.refusal((error as? HTTPError)?.status ?? .internalServerError)
            }
            try await writer.write(response: response.head, body: response.body)
        }
    }

    /// Refuses a path at which there is nothing, as the other listeners do.
    private static func refusal(_ status: HTTPResponse.Status) -> Response {
        let code = status == .notFound ? "not_found" : status == .internalServerError ? "internal_error" : "bad_request"
        var response = Self.response([
            "type": "about:blank", "status": .number(status.code), "code": .string(code),
            "detail": .string(status.reasonPhrase),
        ])
        response.status = status
        response.headers = [.contentType: "application/problem+json"]
        for header in AnswerHeaders.all {
            if let name = HTTPField.Name(header.name) { response.headers[name] = header.value }
        }
        return response
    }

    private static func response(_ json: JSONObject) -> Response {
        var buffer = ByteBuffer()
        JSONWriter.write(.object(json), to: &buffer)
        return Response(
            status: .ok, headers: [.contentType: "application/json", .accessControlAllowOrigin: "*"],
            body: ResponseBody(byteBuffer: buffer))
    }
}

/// The picture of a virtual device, which its announcement names.
enum DeviceIcon {
    static let path = "/setup/icon.png"

    /// A screen with the waves of casting: PNG, 48 by 48, two colours.
    static let png: [UInt8] = [
        0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0x00, 0x00, 0x0D, 0x49, 0x48, 0x44, 0x52,
        0x00, 0x00, 0x00, 0x30, 0x00, 0x00, 0x00, 0x30, 0x01, 0x03, 0x00, 0x00, 0x00, 0x6D, 0xCC, 0x6B,
        0xC4, 0x00, 0x00, 0x00, 0x06, 0x50, 0x4C, 0x54, 0x45, 0xFF, 0xFF, 0xFF, 0x3C, 0x40, 0x43, 0x67,
        0x1F, 0x90, 0xA5, 0x00, 0x00, 0x00, 0x5C, 0x49, 0x44, 0x41, 0x54, 0x78, 0xDA, 0x63, 0x60, 0xA0,
        0x0A, 0x60, 0xFE, 0x0F, 0x04, 0x07, 0xD0, 0xA9, 0x06, 0x06, 0x06, 0x46, 0xA2, 0x28, 0x46, 0x08,
        0x05, 0x02, 0x40, 0x8A, 0x09, 0x42, 0x31, 0x7F, 0x80, 0x50, 0x7F, 0x20, 0x4A, 0xFE, 0x43, 0x94,
        0xF0, 0x37, 0x80, 0x95, 0xB0, 0x1F, 0x00, 0xCB, 0x3D, 0x7C, 0x00, 0xA6, 0x7E, 0x7C, 0x00, 0x2B,
        0xF9, 0x53, 0x00, 0x56, 0x62, 0x57, 0x01, 0x51, 0x69, 0x01, 0x51, 0x29, 0x03, 0x56, 0x72, 0x7C,
        0x0E, 0x98, 0x7A, 0x0C, 0xA3, 0xC0, 0x0E, 0x84, 0x52, 0x1F, 0xCF, 0xD5, 0xFF, 0x3F, 0x40, 0x9D,
        0x80, 0x00, 0x00, 0x26, 0xB1, 0x3C, 0x59, 0x26, 0x6A, 0xA0, 0x69, 0x00, 0x00, 0x00, 0x00, 0x49,
        0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82,
    ]
}
