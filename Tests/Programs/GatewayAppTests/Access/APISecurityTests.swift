import CastWire
import CastwayTestSupport
import ControlAPI
import GatewayConfig
import GatewayFixtures
import GatewayOperations
import Logging
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import GatewayApp

/// What Docs/api-security.md says was tried, against the listener of a running gateway.
@Suite(.timeLimit(.minutes(2))) struct APISecurityTests {
    // MARK: Who asks

    @Test func whoShowsNoTokenGetsNothingWhereThereIsOne() async throws {
        try await APIBench.with { api in
            for line in ["GET /api/v1/gateway", "POST /api/v1/config/reload", "GET /nothing", "GET /livez"] {
                let answer = try await api.ask(line)
                #expect(answer.status == 401 && answer.code == "unauthorized", "\(line): \(answer)")
                #expect(answer.has("WWW-Authenticate: Bearer"))
            }
            #expect(api.hasAudited(.requestRefused, "unauthorized"))
        }
    }

    @Test func withoutAnyTokenThisMachineReadsAndControls() async throws {
        try await APIBench.with(tokens: []) { api in
            #expect(try await api.ask("GET /api/v1/gateway").status == 200)
            let refused = try await api.ask("GET /api/v1/tokens")
            #expect(refused.status == 403 && refused.code == "scope_missing", "\(refused)")
            #expect(api.hasAudited(.operationRefused, "scope_missing"))
            // A token that is made ends that.
            let made = try await api.running.gateway.operations.call("token.create", ["name": "a"], for: .admin).get()
            #expect(try await api.ask("GET /api/v1/gateway").status == 401)
            #expect(try await api.ask("GET /api/v1/gateway", token: made.body.string("token")).status == 200)
        }
    }

    @Test(arguments: [
        "Bearer", "Bearer wrong", "Basic cmVhZGVyOng=", "bearer  ", "Bearer a b", "Bearer \u{7f}", "cwt_x", "Bearer é",
    ])
    func whatIsNoTokenIsRefused(header: String) async throws {
        try await APIBench.with { api in
            let answer = try await api.ask("GET /api/v1/gateway", headers: ["Authorization: \(header)"])
            #expect([400, 401].contains(answer.status), "\(answer)")
        }
    }

    @Test func aTokenMayDoWhatItsScopesAndDevicesSay() async throws {
        try await APIBench.with { api in
            #expect(try await api.ask("GET /api/v1/gateway", token: APIBench.reader).status == 200)
            let scope = try await api.ask("GET /api/v1/config", token: APIBench.reader)
            #expect(scope.status == 403 && scope.code == "scope_missing")
            // The guest has the scope admin, and only one device: nothing that is the whole gateway's.
            for line in ["GET /api/v1/handlers", "GET /api/v1/config", "GET /api/v1/tokens"] {
                let answer = try await api.ask(line, token: APIBench.guest)
                #expect(answer.status == 403 && answer.code == "device_not_allowed", "\(line): \(answer)")
            }
            let made = try await api.ask(
                "POST /api/v1/tokens", token: APIBench.guest, headers: ["Content-Type: application/json"],
                body: #"{"name":"more"}"#)
            #expect(made.status == 403, "\(made)")
            #expect(api.hasAudited(.operationRefused, "device_not_allowed"))
        }
    }

    @Test func noCallerGivesMoreThanItHas() async throws {
        try await APIBench.with { api in
            let caller = Caller(name: "half", scopes: [.read, .admin])
            let outcome = await api.running.gateway.operations.call(
                "token.create", ["name": "more", "scopes": ["read", "credentials"]], for: caller)
            guard case .failure(let problem) = outcome else {
                Issue.record("a token was made")
                return
            }
            #expect(problem.code == "scope_missing" && problem.status == 403)
        }
    }

    @Test func aTokenThatIsOverIsRefused() async throws {
        try await APIBench.with { api in
            let answer = try await api.ask("GET /api/v1/gateway", token: APIBench.past)
            #expect(answer.status == 401 && answer.code == "unauthorized")
        }
    }

    @Test func aRevokedTokenIsRefusedOnAConnectionThatStands() async throws {
        try await APIBench.with { api in
            let made = try await api.running.gateway.operations.call(
                "token.create", ["name": "panel"], for: .admin
            ).get().body
            let token = try #require(made.string("token"))
            let ask = APIBench.request("GET /api/v1/gateway", token: token, isLast: false)
            let channel = try await api.connect()
            try await channel.executeThenClose { inbound, outbound in
                var conversation = APIConversation(inbound, outbound)
                let status1 = try await conversation.ask(ask)?.status
                #expect(status1 == 200)
                let status2 = try await conversation.ask(ask)?.status
                #expect(status2 == 200)
                _ = try await api.running.gateway.operations.call("token.revoke", ["id": "panel"], for: .admin).get()
                let status3 = try await conversation.ask(ask)?.status
                #expect(status3 == 401)
            }
            #expect(api.hasAudited(.operationDone, "done"))
        }
    }

    @Test func guessesAreSlowedDownAndEndTheirConnection() async throws {
        try await APIBench.with { api in
            var statuses: [Int] = []
            for number in 0..<14 {
                statuses.append(try await api.ask("GET /api/v1/gateway", token: "guess-\(number)").status)
            }
            #expect(statuses.first == 401 && statuses.last == 429, "\(statuses)")
            let answer = try await api.send(APIBench.request("GET /api/v1/gateway", token: "guess", isLast: false))
            #expect(answer.status == 429 && answer.code == "too_many_attempts" && answer.has("Retry-After:"))
            // A caller of the same address that has a token is served.
            #expect(try await api.ask("GET /api/v1/gateway", token: APIBench.reader).status == 200)
            // The log has some of them, with how many were left out; none has what was tried.
            let lines = api.audit.filter { $0.level >= .notice }
            #expect(lines.count < 14 && !api.audit.contains { "\($0)".contains("guess-") })
        }
    }

    // MARK: Web pages

    @Test(arguments: [
        (["Origin: https://evil.example"], "origin_not_allowed"), (["Origin: null"], "origin_not_allowed"),
        (["Origin: http://127.0.0.1:1"], "origin_not_allowed"), (["Sec-Fetch-Site: cross-site"], "origin_not_allowed"),
        (["Sec-Fetch-Site: same-site"], "origin_not_allowed"), (["Host: evil.example"], "host_not_allowed"),
        (["Host: evil.example", "Origin: http://evil.example"], "host_not_allowed"),
        (["Host: 127.0.0.1.evil.example"], "host_not_allowed"),
        (["Content-Type: application/x-www-form-urlencoded"], "unsupported_media_type"),
        (["Content-Type: text/plain;charset=UTF-8"], "unsupported_media_type"),
        (["Content-Type: multipart/form-data; boundary=x"], "unsupported_media_type"),
    ])
    func pagesOfOthersAreRefusedBeforeAnything(headers: [String], code: String) async throws {
        // Without any token a page could use the rights that callers of this machine have.
        try await APIBench.with(tokens: []) { api in
            let answer = try await api.ask(
                "POST /api/v1/sessions", headers: headers, body: #"{"device":"hall","app":"CC1AD845"}"#)
            #expect(answer.code == code, "\(answer)")
            #expect([403, 415].contains(answer.status) && !answer.has("Access-Control-Allow-Origin"))
            #expect(api.hasAudited(.requestRefused, code))
        }
    }

    @Test func allowedSitesMayAskAndNoOthers() async throws {
        try await APIBench.with({
            $0.origins = ["https://console.example.com"]
            $0.hosts = ["castway.example.com"]
        }) { api in
            let origin = "Origin: https://console.example.com"
            let preflight = ["Access-Control-Request-Method: POST", "Access-Control-Request-Headers: authorization"]
            let asked = try await api.ask("OPTIONS /api/v1/sessions", headers: [origin] + preflight)
            #expect(asked.status == 204 && asked.has("Access-Control-Allow-Origin: https://console.example.com"))
            #expect(asked.has("Vary: Origin") && !asked.has("Allow-Credentials"))
            let other = try await api.ask(
                "OPTIONS /api/v1/sessions", headers: ["Origin: https://evil.example"] + preflight)
            #expect(other.status == 403 && !other.has("Access-Control-Allow"))
            let headers = [origin, "Sec-Fetch-Site: cross-site", "Host: castway.example.com"]
            let answer = try await api.ask("GET /api/v1/gateway", token: APIBench.reader, headers: headers)
            #expect(answer.status == 200 && answer.has("Access-Control-Allow-Origin: https://console.example.com"))
            // The site is no caller: it needs a token all the same.
            #expect(try await api.ask("GET /api/v1/gateway", headers: headers).status == 401)
        }
    }

    @Test func everyAnswerHasItsHeaders() async throws {
        try await APIBench.with { api in
            for token in [APIBench.reader, "wrong"] {
                let answer = try await api.ask("GET /api/v1/gateway", token: token)
                for header in [
                    "X-Content-Type-Options: nosniff", "Cache-Control: no-store", "X-Frame-Options: DENY",
                    "Referrer-Policy: no-referrer",
                ] { #expect(answer.has(header), "\(header)") }
            }
        }
    }

    @Test(arguments: ["?token=x", "?access_token=x", "?a=1&Api-Key=x", "?%74oken=x", "?x=cwt_abc"])
    func aTokenInAQueryIsRefused(query: String) async throws {
        try await APIBench.with { api in
            let answer = try await api.ask("GET /api/v1/gateway\(query)", token: APIBench.reader)
            #expect(answer.status == 400 && answer.code == "token_in_query", "\(answer)")
        }
    }

    // MARK: Requests that cost

    @Test func tooManyRequestsOfOneCallerAreRefused() async throws {
        try await APIBench.with({ $0.limits.requestsPerSecond = 3 }) { api in
            let channel = try await api.connect()
            try await channel.executeThenClose { inbound, outbound in
                var conversation = APIConversation(inbound, outbound)
                var last: APIBench.Answer?
                for _ in 0..<20 where last?.status != 429 {
                    last = try await conversation.ask(
                        APIBench.request("GET /api/v1/gateway", token: APIBench.reader, isLast: false))
                }
                #expect(last?.status == 429 && last?.code == "rate_limited" && last?.has("Retry-After: 1") == true)
                // Another caller is not kept from asking.
                let other = try await conversation.ask(
                    APIBench.request("GET /api/v1/gateway", token: APIBench.operatorToken, isLast: false))
                #expect(other?.status == 200)
            }
            #expect(api.hasAudited(.requestRefused, "rate_limited"))
        }
    }

    @Test func whatIsTooLongIsRefused() async throws {
        try await APIBench.with({ $0.limits.body = 2048 }) { api in
            let body = #"{"name":""# + String(repeating: "x", count: 4096) + #""}"#
            let type = ["Content-Type: application/json"]
            #expect(
                try await api.ask("POST /api/v1/tokens", token: APIBench.operatorToken, headers: type, body: body)
                    .status
                    == 413)
            let chunks =
                "POST /api/v1/tokens HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(APIBench.operatorToken)\r\n"
                + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
                + String(repeating: "400\r\n\(String(repeating: "x", count: 1024))\r\n", count: 4) + "0\r\n\r\n"
            #expect(try await api.send(chunks).status == 413)
            let long = "X-Long: " + String(repeating: "x", count: 40_000)
            let status4 = try await api.ask("GET /api/v1/gateway", headers: [long]).status
            #expect([0, 400, 431].contains(status4))
            let many = (0..<300).map { "X-\($0): 1" }
            let status5 = try await api.ask("GET /api/v1/gateway", headers: many).status
            #expect([0, 400, 431].contains(status5))
            // The listener is as well as before.
            #expect(try await api.ask("GET /api/v1/gateway", token: APIBench.reader).status == 200)
        }
    }

    @Test func requestsThatFollowEachOtherAtOnceAreEachJudged() async throws {
        try await APIBench.with { api in
            let text =
                APIBench.request("GET /api/v1/gateway", token: APIBench.reader, isLast: false)
                + APIBench.request("GET /api/v1/gateway", isLast: false)
                + APIBench.request("GET /api/v1/config", token: APIBench.reader)
            let answers = try await api.send(text)
            #expect(answers.statuses == [200, 401, 403], "\(answers)")
        }
    }

    @Test(arguments: [
        "GET /api/v1/gateway HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n",
        "GET /api/v1/gateway HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1\r\nContent-Length: 9\r\n\r\nxxxxxxxxx",
        "GET /api/v1/gateway HTTP/1.1\r\nConnection: close\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}", "GET\r\n\r\n",
    ])
    func whatIsNoRequestIsNeverAnswered200(_ text: String) async throws {
        try await APIBench.with(tokens: []) { api in
            let answer = try await api.send(text)
            #expect(!answer.statuses.contains(200), "\(answer)")
            #expect(try await api.ask("GET /api/v1/gateway").status == 200)
        }
    }

    @Test func manyConnectionsThatSayNothingKeepNoCallerOut() async throws {
        try await APIBench.with({ $0.limits.clients = 20 }) { api in
            var held: [any Channel] = []
            for _ in 0..<60 {
                let channel = try? await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .connect(host: "127.0.0.1", port: api.port).get()
                if let channel { held.append(channel) }
            }
            let answer = try await api.ask("GET /api/v1/gateway", token: APIBench.reader)
            #expect(answer.status == 200, "\(answer)")
            for channel in held { try? await channel.close() }
        }
    }
}
