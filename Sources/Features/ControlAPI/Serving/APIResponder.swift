import GatewayMetrics
import GatewayOperations
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore

/// Makes what answers the requests of one HTTP listener: the checks that hold for all of them, then who asks, then the routes.
enum APIResponder {
    /// - Parameters:
    ///   - rules: which requests are taken at all; asked for every request.
    ///   - gate: finds out who asks.
    ///   - audit: learns of requests that are refused.
    ///   - routes: what is offered; open ones come before the gate.
    ///   - metrics: where requests are counted.
    static func make(
        rules: @escaping @Sendable () -> RequestRules, gate: CallerGate, audit: (any AuditTrail)?,
        routes: [any APIRoutes], metrics: MetricsRegistry, logger: Logger
    ) -> HTTPChannelHandler.Responder {
        let router = Router(context: CallerContext.self, options: .autoGenerateHeadEndpoints)
        // A middleware holds for what is added after it.
        router.add(middleware: RequestCounter(metrics: metrics))
        router.add(middleware: RequestGuard(rules: rules, rates: gate.rates, audit: audit))
        router.add(
            middleware: MethodGuard<CallerContext>(
                operations: routes.flatMap(\.operations),
                added: { [added = routes.map(\.addedOperations)] in added.flatMap { $0() } },
                pages: routes.flatMap(\.pages), forms: routes.flatMap(\.forms)))
        for group in routes where group.isOpen { group.add(to: router) }
        router.add(middleware: gate)
        for group in routes where !group.isOpen { group.add(to: router) }
        let responder = router.buildResponder()
        return { request, writer, channel in
            let context = CallerContext(source: ApplicationRequestContextSource(channel: channel, logger: logger))
            let response: Response
            do {
                response = try await responder.respond(to: request, context: context)
            } catch {
                response = ControlAnswer(OperationProblem(fault: error, logger: logger)).response
            }
            try await writer.write(response: response.head, body: Self.paced(response.body, on: channel.eventLoop))
        }
    }

    /// What a single write of an answer may have.
    private static let atOnce = 64 << 10

    /// A body that waits before each piece until the event loop has seen the one before: only then does the writer know whether the peer
    /// keeps up, and a source that is quick would otherwise pile pieces up without end.
    static func paced(_ body: ResponseBody, on eventLoop: any EventLoop) -> ResponseBody {
        if let length = body.contentLength, length <= self.atOnce { return body }
        return body.map { piece in
            try await eventLoop.submit {}.get()
            return piece
        }
    }
}
