public import CastTransport
import CastWire
import GatewayConfig
import GatewayCore
import HTTPServing
import HTTPTypes
import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
import NIOPosix
public import ServiceLifecycle

/// The admin listener: HTTP with JSON bodies, on a socket of the file system or on a loopback address.
///
/// | request | answer |
/// |---|---|
/// | `POST /api/v1/reload[?dry_run=true]` | what the reload changed, or why nothing did |
/// | `GET /api/v1/config/effective` | the configuration in force |
/// | `GET /api/v1/sessions`, `POST`, `DELETE /api/v1/sessions/{id}[?stop=true]` | the gateway's own sessions |
/// | `GET /livez`, `GET /readyz[?verbose]` | 200 or 503 |
/// | `GET /api/v1/plugins`, `GET /api/v1/plugins/NAME` | what there is to know of plugins |
/// | `POST /api/v1/plugins/NAME/restart`, `…/enable`, `…/disable` | the plugin afterwards |
/// | `GET /api/v1/plugins/NAME/trace` | what is said on its wire, a JSON object a line |
/// | `GET /api/v1/virtual-devices`, `DELETE /api/v1/virtual-devices/NAME` | virtual devices; one that is to be forgotten |
/// | `GET /version` | which Castway this is |
public struct ControlServer: Service, CustomStringConvertible {
    /// Callers are this machine's own; a caller that keeps its connection may think for a while.
    private static let limits = HTTPLimits(idleTimeout: .seconds(60), maximumBodyBytes: 64 * 1024)
    /// How long callers that are being answered have when the gateway ends.
    private static let farewell = TimeAmount.seconds(1)

    private let configuration: AdminConfiguration
    private let stateDirectory: String
    private let actions: ControlActions
    private let logger: Logger
    private let admission: Admission
    private let onListening: @Sendable (_ port: Int?) -> Void
    private let onSettled: @Sendable (_ place: ControlPlace) -> Void

    /// Describes the listener.
    /// - Parameters:
    ///   - stateDirectory: where the socket is made unless the configuration says otherwise.
    ///   - admission: counts connections over all listeners.
    ///   - onListening: called once, with the port of a TCP listener.
    ///   - onSettled: called when it listens, or will not: from then on no other gateway can take the place.
    public init(
        configuration: AdminConfiguration, stateDirectory: String, actions: ControlActions, admission: Admission,
        logger: Logger,
        onListening: @escaping @Sendable (_ port: Int?) -> Void = { _ in },
        onSettled: @escaping @Sendable (_ place: ControlPlace) -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.stateDirectory = stateDirectory
        self.actions = actions
        self.admission = admission
        self.logger = logger
        self.onListening = onListening
        self.onSettled = onSettled
    }

    /// What the service is called in logs.
    public var description: String { "admin listener" }

    /// Answers until graceful shutdown.
    /// - Throws: ``GatewayError`` with `listenFailed` when another gateway answers at the address, or it cannot be bound.
    public func run() async throws {
        switch self.configuration.listen {
        case .off:
            self.onSettled(.nowhere)
            try? await gracefulShutdown()
        case .tcp(let address):
            try await self.serve(
                at: .address(host: address.host, port: address.port), name: "\(address)", checksHost: true
            ) { port in
                self.logger.info("Admin listener ready", metadata: ["address": "\(address)"])
                self.onListening(port)
                self.onSettled(.tcp(ListenAddress(host: address.host, port: port ?? address.port)))
            }
        case .stateDirectory:
            let file = self.socketFile
            try file.removeStale()
            do {
                try await self.serve(on: file)
            } catch {
                // A state directory that takes no writing can still be worked from.
                self.logger.warning(
                    "No admin listener, since its socket cannot be made; SIGHUP reloads all the same",
                    metadata: ["reason": "\(error)"])
                self.onSettled(.nowhere)
                try? await gracefulShutdown()
            }
        case .socket:
            let file = self.socketFile
            try file.removeStale()
            try await self.serve(on: file)
        }
    }

    private var socketFile: SocketFile {
        SocketFile(path: self.configuration.listen.socketPath(stateDirectory: self.stateDirectory) ?? "")
    }

    private func serve(on file: SocketFile) async throws {
        let descriptor = try file.listen()
        let own = file.identity
        // Another gateway may have taken the place of one that was slow to end.
        defer { if let own, file.identity == own { file.remove() } }
        try await self.serve(at: .socket(descriptor: descriptor), name: file.path, checksHost: false) { _ in
            self.logger.info("Admin listener ready", metadata: ["socket": "\(file.path)"])
            self.onListening(nil)
            self.onSettled(.socket(file.path))
        }
    }

    private func serve(
        at place: HTTPListener.Place, name: String, checksHost: Bool, onListening: (_ port: Int?) -> Void
    ) async throws {
        var logger = self.logger
        logger.logLevel = max(logger.logLevel, .notice)
        let rules = HTTPListener.Rules(
            limits: { Self.limits },
            refused: { address, reason in
                self.logger.debug("Caller turned away", metadata: ["address": "\(address)", "reason": "\(reason)"])
            })
        let listener: HTTPListener
        do {
            listener = try await HTTPListener(
                at: place, kind: .admin, admission: self.admission, rules: rules, reserve: DescriptorReserve(),
                on: MultiThreadedEventLoopGroup.singleton, logger: logger,
                responder: Self.responder(self.routes(checksHost: checksHost), logger: logger))
        } catch {
            throw GatewayError(
                .listenFailed, "the admin listener cannot listen on \(name): \(TransportError.text(of: error))")
        }
        onListening(listener.port)
        await withGracefulShutdownHandler {
            await listener.run()
        } onGracefulShutdown: {
            listener.quiesce(within: Self.farewell)
        }
    }

    private static func responder(
        _ router: Router<BasicRequestContext>, logger: Logger
    ) -> HTTPChannelHandler.Responder {
        let routes = router.buildResponder()
        return { request, writer, channel in
            let context = BasicRequestContext(source: ApplicationRequestContextSource(channel: channel, logger: logger))
            let response = (try? await routes.respond(to: request, context: context)) ?? Response(status: .badRequest)
            try await writer.write(response: response.head, body: response.body)
        }
    }

    private func routes(checksHost: Bool) -> Router<BasicRequestContext> {
        let router = Router()
        router.add(middleware: RequestGuard(checksHost: checksHost))
        let actions = self.actions
        router.post("/api/v1/reload") { request, _ in
            switch Self.flag("dry_run", of: request) {
            case .success(let isDryRun): await actions.reload(isDryRun ?? false).response
            case .failure(let refusal): refusal.answer.response
            }
        }
        router.get("/api/v1/config/effective") { _, _ in actions.effectiveConfiguration().response }
        Self.addSessions(actions.sessions, to: router)
        router.get("/livez") { _, _ in await actions.liveness().response }
        router.get("/readyz") { request, _ in
            let isVerbose = request.uri.queryParameters["verbose"] != nil || request.uri.query == "verbose"
            return actions.readiness(isVerbose).response
        }
        Self.addPlugins(actions.plugins, to: router)
        Self.addHandlers(actions.handlers, to: router)
        if let devices = actions.virtualDevices { Self.addVirtualDevices(devices, to: router) }
        router.get("/version") { _, _ in actions.version().response }
        return router
    }
}

extension ControlServer {
    /// The routes about plugins.
    static func addPlugins(_ actions: PluginActions, to router: Router<BasicRequestContext>) {
        router.get("/api/v1/plugins") { _, _ in await actions.list().response }
        router.get("/api/v1/plugins/:name") { _, context in
            await actions.inspect(try context.parameters.require("name")).response
        }
        for command in PluginActions.Command.allCases {
            router.post("/api/v1/plugins/:name/\(command.rawValue)") { _, context in
                await actions.command(try context.parameters.require("name"), command).response
            }
        }
        router.get("/api/v1/plugins/:name/trace") { _, context in
            let name = try context.parameters.require("name")
            guard let lines = actions.trace(name) else {
                return ControlAnswer.error(
                    status: 404, code: "unknown_plugin", message: "no plugin named '\(name)' runs"
                ).response
            }
            return Response(
                status: .ok, headers: [.contentType: "application/x-ndjson"],
                body: ResponseBody { writer in
                    for await line in lines { try await writer.write(ByteBuffer(string: line)) }
                    try await writer.finish(nil)
                })
        }
    }
}

extension ControlServer {
    /// The routes about handlers. Names of handlers hold what a path may not, so they are parameters.
    static func addHandlers(_ actions: HandlerActions, to router: Router<BasicRequestContext>) {
        router.get("/api/v1/handlers") { _, _ in await actions.list().response }
        for command in HandlerActions.Command.allCases {
            router.post("/api/v1/handlers/\(command.rawValue)") { request, _ in
                guard let name = request.uri.queryParameters["name"], !name.isEmpty else {
                    return Refusal(400, "name must be the name of a handler").answer.response
                }
                switch Self.flag("keep", of: request) {
                case .success(true?) where command == .reset:
                    return Refusal(400, "a reset keeps nothing; leave keep out").answer.response
                case .success(let isKept):
                    return await actions.command(String(name), command, isKept ?? false).response
                case .failure(let refusal): return refusal.answer.response
                }
            }
        }
    }
}

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
