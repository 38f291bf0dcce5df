import GatewayMetrics
import Hummingbird

/// Counts requests by the pattern of their route, never by their path, and by the status of their answer.
struct RequestCounter: RouterMiddleware {
    let metrics: MetricsRegistry

    @concurrent func handle(
        _ request: Request, context: CallerContext,
        next: @concurrent (Request, CallerContext) async throws -> Response
    ) async throws -> Response {
        let response = try await next(request, context)
        self.metrics.counter(.httpRequests, Self.pattern(context.endpointPath), "\(response.status.code)").increment()
        return response
    }

    /// The route as the reference of operations writes it, `/api/v1/sessions/{session}`.
    private static func pattern(_ path: String?) -> String {
        // Where there is no route, the router says so in a word of its own.
        guard let path, path.hasPrefix("/") else { return "other" }
        return path.split(separator: "/", omittingEmptySubsequences: false)
            .map { $0.hasPrefix(":") ? "{\($0.dropFirst())}" : String($0) }.joined(separator: "/")
    }
}
