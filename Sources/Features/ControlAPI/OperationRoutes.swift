import CastWire
package import GatewayOperations
import HTTPTypes
package import Hummingbird
import HummingbirdCore
import NIOCore
import SystemPrimitives

/// The routes of a catalogue: each operation at its method and path, and nothing else.
///
/// Those of plugins come and go: they share one path below ``addedPath``, and which there are is looked up for every request.
///
/// The keys of an input come from the path, and from the query (`GET`, `DELETE`) or a JSON object in the body (the other methods).
/// An answer is the operation's result as JSON; a refusal is a problem detail of RFC 9457 as `application/problem+json`, with a sentence
/// in the language that `Accept-Language` prefers where it is a failure of a device or a session.
package struct OperationRoutes: APIRoutes {
    private let catalogue: OperationCatalogue
    private let maximumBody: @Sendable () -> Int

    /// Offers operations.
    /// - Parameter maximumBody: the most bytes that a body may have; asked for every request.
    package init(_ catalogue: OperationCatalogue, maximumBody: @escaping @Sendable () -> Int) {
        self.catalogue = catalogue
        self.maximumBody = maximumBody
    }

    /// Where the operations of plugins are.
    private static let addedPath: RouterPath = "/api/v1/plugins/:plugin/operations/:operation"

    /// Those of the catalogue that are always there.
    package var operations: [OperationRoute] { self.catalogue.declarations.map(\.route) }

    /// Those of plugins that there are now.
    package var addedOperations: @Sendable () -> [OperationRoute] {
        let added = self.catalogue.added
        return { added?.declarations.map(\.route) ?? [] }
    }

    package func add(to router: Router<CallerContext>) {
        for declaration in self.catalogue.declarations {
            let method = HTTPRequest.Method(declaration.route.method.rawValue) ?? .get
            router.on(Self.path(declaration.route), method: method) { request, context in
                await self.answer(request, context, declaration).response
            }
        }
        guard self.catalogue.added != nil else { return }
        for method in [HTTPRequest.Method.get, .post] {
            router.on(Self.addedPath, method: method) { request, context in
                await self.answerAdded(request, context).response
            }
        }
    }

    private func answerAdded(_ request: Request, _ context: CallerContext) async -> ControlAnswer {
        let parts = ["plugin", "operation"].map { context.parameters.get($0)?.percentDecoded ?? "" }
        let text = parts.joined(separator: ".")
        guard let name = OperationName(text),
            let declaration = self.catalogue.added?.declarations.first(where: { $0.name == name })
        else { return ControlAnswer(.missing("unknown_operation", "there is no operation '\(text)'")) }
        guard
            declaration.route.method.rawValue == request.method.rawValue
                || (request.method == .head && declaration.route.method == .get)
        else {
            // The guard of methods says which it takes.
            return .problem(
                status: 405, code: "method_not_allowed",
                "\(request.uri.path) takes \(declaration.route.method.rawValue), not \(request.method)")
        }
        return await self.answer(request, context, declaration)
    }

    /// The path as the router writes it: `:session` for `{session}`.
    private static func path(_ route: OperationRoute) -> RouterPath {
        let parts = route.path.split(separator: "/").map { part in
            part.hasPrefix("{") ? ":" + part.dropFirst().dropLast() : part[...]
        }
        return RouterPath(OperationRoute.prefix + "/" + parts.joined(separator: "/"))
    }

    private func answer(
        _ request: Request, _ context: CallerContext, _ declaration: OperationDeclaration
    ) async -> ControlAnswer {
        do throws(OperationProblem) {
            let options = try Self.options(request, context, declaration)
            let input = try await self.input(request, context, declaration)
            let answer = try await self.catalogue.call(
                declaration.name, input, for: context.caller, options: options
            ).get()
            return ControlAnswer(status: answer.status, answer.body)
        } catch {
            guard let languages = request.headers[.acceptLanguage] else { return ControlAnswer(error) }
            return ControlAnswer(error, in: ErrorLanguage(acceptLanguage: languages))
        }
    }

    private func input(
        _ request: Request, _ context: CallerContext, _ declaration: OperationDeclaration
    ) async throws(OperationProblem) -> JSONObject {
        var texts: [(name: String, value: String)] = []
        for name in declaration.route.parameters {
            let raw = context.parameters.get(name) ?? ""
            guard let text = raw.percentDecoded else {
                throw Self.badRequest("the path is not encoded as UTF-8 in percent signs")
            }
            texts.append((name, text))
        }
        var body = JSONObject()
        if declaration.route.method.hasBody {
            body = try await self.body(request)
            guard request.uri.queryParameters.allSatisfy({ declaration.isCommand && $0.key == "wait" }) else {
                throw Self.badRequest(
                    "the input of \(declaration.route.method.rawValue) stands in the body, not in the query")
            }
        } else {
            guard try await self.body(request).isEmpty else {
                throw Self.badRequest(
                    "the input of \(declaration.route.method.rawValue) stands in the query, not in the body")
            }
            for (name, value) in request.queryTexts where !(declaration.isCommand && name == "wait") {
                texts.append((String(name), String(value)))
            }
        }
        let named = try declaration.input(fromTexts: texts)
        if declaration.isRepeated(in: texts) { throw Self.badRequest("a key stands twice in the query") }
        if let twice = named.members.first(where: { body[$0.name] != nil }) {
            throw Self.badRequest("'\(twice.name)' stands in the path and in the body")
        }
        return JSONObject(named.members.map { ($0.name, $0.value) } + body.members.map { ($0.name, $0.value) })
    }

    /// What the caller says beside the input: `?wait=SECONDS` for commands, and `Idempotency-Key`.
    private static func options(
        _ request: Request, _ context: CallerContext, _ declaration: OperationDeclaration
    ) throws(OperationProblem) -> CallOptions {
        var options = CallOptions()
        options.address = context.address
        if declaration.isCommand, let text = request.uri.queryParameters["wait"] {
            options.wait = try Self.wait(String(text))
        }
        guard let name = HTTPField.Name("Idempotency-Key") else { return options }
        let keys = request.headers[values: name]
        guard let key = keys.first else { return options }
        guard keys.count == 1, (1...255).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw Self.badRequest("Idempotency-Key takes 1 to 255 visible ASCII characters, once") }
        options.idempotencyKey = key
        return options
    }

    private static func wait(_ text: String) throws(OperationProblem) -> Duration {
        guard let seconds = (try? JSONReader.read(text))?.doubleValue, (0...10).contains(seconds) else {
            throw Self.badRequest("wait takes a number of seconds from 0 to 10")
        }
        return .seconds(seconds)
    }

    private func body(_ request: Request) async throws(OperationProblem) -> JSONObject {
        let bytes: ByteBuffer
        let limit = self.maximumBody()
        do {
            bytes = try await request.body.collect(upTo: limit)
        } catch {
            throw OperationProblem(
                "body_too_large", status: 413, "the body has more than \(limit) bytes, or did not come whole")
        }
        guard bytes.readableBytes > 0 else { return [:] }
        try MediaType.requireJSON(request.headers[.contentType])
        let json: JSONValue
        do {
            json = try JSONReader.read(document: bytes)
        } catch {
            throw Self.badRequest("the body is no JSON: \(error)")
        }
        guard let object = json.objectValue else { throw Self.badRequest("the body must be a JSON object") }
        return object
    }

    private static func badRequest(_ detail: String) -> OperationProblem {
        OperationProblem("bad_request", status: 400, detail)
    }
}
