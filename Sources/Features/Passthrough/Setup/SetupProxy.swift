import CastWire
import HTTPServing
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore

/// The set-up port of a device that is passed through: asks the real device what ``SetupPaths`` allow, and nothing else.
///
/// Nothing of the client's request but its target reaches the device, and of the answer only the body, of the type that was asked for.
struct SetupProxy: Sendable {
    private static let pictureTypes = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/x-icon"]

    let desk: SetupProxyState
    let eventLoop: any EventLoop
    let logger: Logger

    /// Answers a request.
    /// - Parameter limits: what it may cost the device.
    func response(to request: Request, _ limits: SetupProxyLimits) async -> Response {
        guard request.method == .get else {
            return Self.refusal(.methodNotAllowed, "method_not_allowed", "only GET is passed on")
        }
        guard let wanted = self.desk.wanted(request.head.path ?? "") else {
            return Self.refusal(.notFound, "not_found", "nothing else of the device's set-up port is passed on")
        }
        guard let host = self.desk.begin(most: limits.concurrent) else {
            return Self.refusal(.serviceUnavailable, "unavailable", "the device is away, or is asked too much")
        }
        defer { self.desk.end() }
        do {
            let fetch = SetupFetch(eventLoop: self.eventLoop, limits: limits)
            return self.response(try await fetch.get(wanted.target, from: host), for: wanted)
        } catch {
            self.logger.debug("The device's set-up port does not answer", metadata: ["reason": "\(error)"])
            return Self.refusal(.badGateway, "device_unreachable", "the device does not answer as it should")
        }
    }

    private func response(_ answer: SetupFetch.Answer, for wanted: SetupPaths.Wanted) -> Response {
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
            self.desk.learn(information)
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
