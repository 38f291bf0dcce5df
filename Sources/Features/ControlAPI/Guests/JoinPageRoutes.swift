import CastWire
import GatewayOperations
import HTTPTypes
import Hummingbird
import NIOCore
import SystemPrimitives

/// The routes of the join page: `/` with a field for the digits, `/j/SECRET` with a button for a link, and the form of both. Its texts are
/// in the language that `Accept-Language` prefers.
///
/// The secret of a link stands in the path, since the page works without scripts; looking at it redeems nothing, for programs that
/// show links look at them too. The page has no link to other sites and tells none where it is from, the gateway logs no paths, and a
/// link is good for as many guests as its code, mostly one.
struct JoinPageRoutes: APIRoutes {
    /// What stands before the secret of a link.
    static let linkPrefix = "/j/"

    let isOpen = false
    let pages = ["/", "/j/{link}"]
    let forms = ["/"]

    /// What the gateway is called; asked for every request.
    let gateway: @Sendable () -> String
    let reception: any GuestReception

    func add(to router: Router<CallerContext>) {
        router.get("/") { request, _ in self.page(.digits, for: request) }
        router.get("/j/:link") { request, context in
            self.page(.link(context.parameters.get("link")?.percentDecoded ?? ""), for: request)
        }
        router.post("/") { request, context in await self.redeem(request, context) }
    }

    private func redeem(_ request: Request, _ context: CallerContext) async -> Response {
        guard let bytes = try? await request.body.collect(upTo: JoinForm.maximumBytes),
            let form = JoinForm(bytes.readableBytesView)
        else {
            return self.page(.refused(.malformed), for: request, status: .badRequest)
        }
        do throws(OperationProblem) {
            let welcome = try await self.reception.redeem(form.code, from: context.address ?? "")
            return self.page(.welcome(welcome), for: request)
        } catch {
            var response = self.page(
                .refused(Self.reason(of: error)), for: request, status: HTTPResponse.Status(code: error.status))
            if let wait = error.members.int("retry_after") { response.headers[.retryAfter] = "\(wait)" }
            if error.code == ControlAnswer.lastCode { response.headers[.connection] = "close" }
            return response
        }
    }

    /// What a guest is told.
    private static func reason(of problem: OperationProblem) -> JoinRefusal {
        switch problem.code {
        case "code_refused": .wrong
        case ControlAnswer.lastCode: .tooOften(seconds: problem.members.int("retry_after") ?? 1)
        case "address_not_usable": .needsIPv4
        default: .unavailable
        }
    }

    private func page(
        _ content: JoinPage.Content, for request: Request, status: HTTPResponse.Status = .ok
    ) -> Response {
        let nonce = DocumentationPage.makeNonce()
        let language = ErrorLanguage(acceptLanguage: request.headers[.acceptLanguage] ?? "")
        let html = JoinPage(gateway: self.gateway(), content: content, language: language).html(nonce: nonce)
        var response = Response(
            status: status, headers: [.contentType: "text/html; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
        response.headers[.contentSecurityPolicy] = JoinPage.policy(nonce: nonce)
        response.headers[.contentLanguage] = language.rawValue
        if let name = HTTPField.Name("Referrer-Policy") { response.headers[name] = JoinPage.referrerPolicy }
        return response
    }
}
