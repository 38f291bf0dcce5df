import CastTransport
import CastWire
import GatewayConfig
import GatewayCore
import HTTPServing
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore

/// The set-up port of a device that is passed through: asks the real device what ``SetupPaths`` allow, and nothing else.
///
/// Nothing of the client's request but its target reaches the device, and of the answer only the body, of the type that was asked for.
final class SetupProxy: Sendable {
    let address: ListenAddress
    private let listener: HTTPListener

    /// Begins to listen; connections are answered while ``run()`` runs, which it must be called for.
    /// - Parameters:
    ///   - desk: knows where the device is.
    ///   - limits: what a request may cost the device; asked for each.
    ///   - sharesAddress: as for ``CastListener``.
    /// - Throws: ``GatewayError`` with `listenFailed`.
    init(
        address: ListenAddress, desk: SetupDesk, limits: @escaping @Sendable () -> SetupProxyLimits,
        on eventLoop: any EventLoop, sharesAddress: Bool, admission: Admission, rules: HTTPListener.Rules,
        logger: Logger
    ) async throws {
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .notice)
        self.address = address
        do {
            self.listener = try await HTTPListener(
                at: .address(host: address.host, port: address.port, sharesAddress: sharesAddress), kind: .setup,
                admission: admission, rules: rules, on: eventLoop, logger: quiet
            ) { request, writer, _ in
                let response = await Self.response(
                    to: request, desk, SetupFetch(eventLoop: eventLoop, limits: limits()), logger: logger)
                try await writer.write(response: response.head, body: response.body)
            }
        } catch {
            throw GatewayError(
                .listenFailed,
                "the set-up endpoint cannot listen on \(address): \(TransportError.text(ofListening: error))")
        }
    }

    /// The listening socket.
    var channel: any Channel { self.listener.channel }

    /// Where it listens.
    var port: Int { self.listener.port ?? self.address.port }

    /// Answers until ``stop()``, or until the task is cancelled.
    func run() async { await self.listener.run() }

    /// Gives the address up, and closes every connection.
    func stop() async { await self.listener.stop() }

    /// Gives the address up without ever having answered.
    func discard() async { await self.listener.discard() }

    // MARK: Answers

    private static let pictureTypes = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/x-icon"]

    private static func response(
        to request: Request, _ desk: SetupDesk, _ fetch: SetupFetch, logger: Logger
    ) async -> Response {
        guard request.method == .get else {
            return Self.refusal(.methodNotAllowed, "method_not_allowed", "only GET is passed on")
        }
        guard let wanted = desk.wanted(request.head.path ?? "") else {
            return Self.refusal(.notFound, "not_found", "nothing else of the device's set-up port is passed on")
        }
        guard let host = desk.begin(most: fetch.limits.concurrent) else {
            return Self.refusal(.serviceUnavailable, "unavailable", "the device is away, or is asked too much")
        }
        defer { desk.end() }
        do {
            let answer = try await fetch.get(wanted.target, from: host)
            return Self.response(answer, for: wanted, desk)
        } catch {
            logger.debug("The device's set-up port does not answer", metadata: ["reason": "\(error)"])
            return Self.refusal(.badGateway, "device_unreachable", "the device does not answer as it should")
        }
    }

    private static func response(_ answer: SetupFetch.Answer, for wanted: SetupPaths.Wanted, _ desk: SetupDesk)
        -> Response
    {
        guard answer.status == 200 else {
            let isRefusal = (400...499).contains(answer.status)
            return Self.refusal(
                isRefusal ? .notFound : .badGateway, isRefusal ? "not_found" : "device_unreachable",
                "the device answers with the status \(answer.status)")
        }
        let type: String
        switch wanted {
        case .information:
            guard let information = try? JSONReader.read(document: answer.body), information.objectValue != nil else {
                return Self.refusal(.badGateway, "device_unreachable", "the device's answer is no JSON object")
            }
            desk.learn(information)
            type = "application/json"
        case .picture:
            let said = answer.contentType.split(separator: ";").first.map { $0.lowercased() } ?? ""
            guard let known = Self.pictureTypes.first(where: { $0 == said }) else {
                return Self.refusal(.badGateway, "device_unreachable", "the device's answer is no picture")
            }
            type = known
        }
        return Response(
            status: .ok, headers: [.contentType: type, .accessControlAllowOrigin: "*"],
            body: ResponseBody(byteBuffer: answer.body))
    }

    private static func refusal(_ status: HTTPResponse.Status, _ code: String, _ detail: String) -> Response {
        var body = ByteBuffer()
        let json: JSONObject = [
            "type": "about:blank", "status": .number(status.code), "code": .string(code), "detail": .string(detail),
        ]
        JSONWriter.write(.object(json), to: &body)
        var headers: HTTPFields = [.contentType: "application/problem+json"]
        for header in AnswerHeaders.all {
            if let name = HTTPField.Name(header.name) { headers[name] = header.value }
        }
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: body))
    }
}
