import CastWire
import GatewayOperations
import HTTPTypes
import Hummingbird

/// Answers requests with a method that their path does not have: 405 with `Allow`, or what `OPTIONS` asks (RFC 9110, 9.3.7 and
/// 15.5.6).
struct MethodGuard<Context: RequestContext>: RouterMiddleware {
    private let routes: [(parts: [Substring], method: String)]
    private let added: @Sendable () -> [OperationRoute]

    /// - Parameters:
    ///   - operations: the routes of the catalogue.
    ///   - added: the routes that come and go.
    ///   - pages: other paths, which are read with `GET`.
    ///   - forms: other paths, which take a form with `POST`.
    init(
        operations: [OperationRoute], added: @escaping @Sendable () -> [OperationRoute] = { [] }, pages: [String],
        forms: [String] = []
    ) {
        self.added = added
        self.routes =
            operations.map { (Self.parts(OperationRoute.prefix + $0.path), $0.method.rawValue) }
            + pages.map { (Self.parts($0), OperationRoute.Method.get.rawValue) }
            + forms.map { (Self.parts($0), OperationRoute.Method.post.rawValue) }
    }

    @concurrent func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            var response = try await next(request, context)
            guard response.status == .methodNotAllowed, response.headers[.allow] == nil else { return response }
            response.headers[.allow] = self.methods(at: request.uri.path).joined(separator: ", ")
            return response
        } catch let error as HTTPError where error.status == .notFound {
            let methods = self.methods(at: request.uri.path)
            guard !methods.isEmpty else { throw error }
            let isQuestion = request.method == .options
            let answer = ControlAnswer.problem(
                status: 405, code: "method_not_allowed",
                "\(request.uri.path) takes \(methods.joined(separator: ", ")), not \(request.method)")
            var response = isQuestion ? Response(status: .noContent) : answer.response
            response.headers[.allow] = methods.joined(separator: ", ")
            return response
        }
    }

    /// The methods of a path, without repetition; none for a path that there is not. Of `/sessions/join` and `/sessions/{session}` the
    /// router takes the first alone.
    func methods(at path: String) -> [String] {
        let parts = Self.parts(path)
        let added = self.added().map {
            (parts: Self.parts(OperationRoute.prefix + $0.path), method: $0.method.rawValue)
        }
        let fitting = (self.routes + added).filter { Self.fits($0.parts, parts) }
        let fewest = fitting.map { Self.parameterCount($0.parts) }.min()
        var methods = Set(fitting.filter { Self.parameterCount($0.parts) == fewest }.map(\.method))
        if methods.contains(OperationRoute.Method.get.rawValue) { methods.insert("HEAD") }
        return methods.sorted()
    }

    private static func parts(_ path: String) -> [Substring] { path.split(separator: "/") }

    private static func fits(_ route: [Substring], _ parts: [Substring]) -> Bool {
        route.count == parts.count && zip(route, parts).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
    }

    private static func parameterCount(_ route: [Substring]) -> Int { route.count { $0.hasPrefix("{") } }
}
