import CastWire
import HTTPTypes
import Hummingbird
import NIOCore

/// The routes of the gateway's own sessions.
extension ControlServer {
    /// Why a request is answered without being carried out.
    struct Refusal: Error {
        let answer: ControlAnswer

        init(_ status: Int, _ message: String) {
            self.answer = .error(status: status, code: "bad_request", message: message)
        }
    }

    /// More than a body of these routes ever has.
    private static let maximumBody = 16 << 10

    static func addSessions(_ sessions: SessionActions, to router: Router<BasicRequestContext>) {
        router.get("/api/v1/sessions") { _, _ in await sessions.list().response }
        router.post("/api/v1/sessions") { request, _ in
            guard let body = try? await request.body.collect(upTo: Self.maximumBody) else {
                return Refusal(413, "the body has more than \(Self.maximumBody) bytes").answer.response
            }
            do throws(Refusal) {
                let (device, app) = try Self.wish(body)
                return await sessions.start(device, app).response
            } catch {
                return error.answer.response
            }
        }
        router.delete("/api/v1/sessions/:id") { request, context in
            guard let id = context.parameters.get("id"), let number = Int(id) else {
                return Refusal(400, "the id of a session is a number").answer.response
            }
            switch Self.flag("stop", of: request) {
            case .success(let isStop): return await sessions.end(number, isStop).response
            case .failure(let refusal): return refusal.answer.response
            }
        }
    }

    /// A parameter that is true, false, or not there.
    static func flag(_ name: String, of request: Request) -> Result<Bool?, Refusal> {
        switch request.uri.queryParameters[Substring(name)] {
        case nil: .success(nil)
        case "false": .success(false)
        case "true", "": .success(true)
        case .some: .failure(Refusal(400, "\(name) must be true or false"))
        }
    }

    /// Reads which app is to be started where; none stands for the configured one.
    private static func wish(_ body: ByteBuffer) throws(Refusal) -> (device: String, app: AppID?) {
        let json: JSONObject?
        do {
            json = try JSONReader.read(body).objectValue
        } catch {
            throw Refusal(400, "the body is no JSON: \(error)")
        }
        guard let json else { throw Refusal(400, "the body must be a JSON object") }
        if let stranger = json.members.first(where: { $0.name != "device" && $0.name != "app" }) {
            throw Refusal(400, "there is no member \(stranger.name); a session has device and app")
        }
        guard let device = json.string("device"), !device.isEmpty else {
            throw Refusal(400, "device must be the name of a device")
        }
        guard json["app"] != nil else { return (device, nil) }
        guard let app = json.string("app").map(AppID.init(rawValue:)), app.isValid else {
            throw Refusal(400, "app must be an app id, such as CC1AD845")
        }
        return (device, app)
    }
}
