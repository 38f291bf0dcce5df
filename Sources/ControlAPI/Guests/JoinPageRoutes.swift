import CastWire
import GatewayOperations
import HTTPTypes
import Hummingbird
import NIOCore

/// The routes of the join page: `/` with a field for the digits, `/j/SECRET` with a button for a link, and the form of both.
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
        router.get("/") { _, _ in self.page(.digits) }
        router.get("/j/:link") { _, context in
            self.page(.link(context.parameters.get("link")?.percentDecoded ?? ""))
        }
        router.post("/") { request, context in await self.redeem(request, context) }
    }

    private func redeem(_ request: Request, _ context: CallerContext) async -> Response {
        guard let bytes = try? await request.body.collect(upTo: JoinForm.maximumBytes),
            let form = JoinForm(bytes.readableBytesView)
        else {
            return self.page(.refused("a code has eight digits"), status: .badRequest)
        }
        do throws(OperationProblem) {
            return self.page(.welcome(try await self.reception.redeem(form.code, from: context.address ?? "")))
        } catch {
            var response = self.page(
                .refused(Self.reason(of: error)), status: HTTPResponse.Status(code: error.status))
            if let wait = error.members.int("retry_after") { response.headers[.retryAfter] = "\(wait)" }
            if error.code == ControlAnswer.lastCode { response.headers[.connection] = "close" }
            return response
        }
    }

    /// What a guest is told.
    private static func reason(of problem: OperationProblem) -> String {
        switch problem.code {
        case "code_refused": "the code is not right, or is not good any more. Ask for another one"
        case ControlAnswer.lastCode:
            "too many wrong codes. Try again in \(problem.members.int("retry_after") ?? 1) seconds"
        case "address_not_usable": problem.detail
        default: "the gateway cannot take a code now. Ask the people who run it"
        }
    }

    private func page(_ content: JoinPage.Content, status: HTTPResponse.Status = .ok) -> Response {
        let nonce = DocumentationPage.makeNonce()
        let html = JoinPage(gateway: self.gateway(), content: content).html(nonce: nonce)
        var response = Response(
            status: status, headers: [.contentType: "text/html; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
        response.headers[.contentSecurityPolicy] = JoinPage.policy(nonce: nonce)
        if let name = HTTPField.Name("Referrer-Policy") { response.headers[name] = JoinPage.referrerPolicy }
        return response
    }
}
