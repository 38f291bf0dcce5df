import CastIdentity
import CastWire
import CastwayTestSupport
import FeatureContract
import GatewayConfig
import GatewayFixtures
import GatewayMetrics
import GatewayOperations
import NIOCore
import NIOPosix
import NIOSSL
import NamespaceHandlers
import Testing
import VirtualDevices

@testable import ControlAPI
@testable import GatewayApp
@testable import GatewaySettings
@testable import GuestAccess

/// The page of `api.join`, as a phone sees it, and as others try it.
@Suite(.timeLimit(.minutes(2))) struct JoinPageTests {
    /// A gateway with a page, and what speaks to it.
    private struct Page {
        let running: RunningGateway
        let api: APIBench

        func create(_ input: JSONObject = ["devices": ["hall"]]) async throws -> JSONObject {
            try await self.running.gateway.operations.call("join_code.create", input, for: .admin).get().body
        }

        func get(_ path: String = "/", headers: [String] = []) async throws -> APIBench.Answer {
            try await self.api.ask("GET \(path)", headers: headers)
        }

        func post(
            _ form: String, headers: [String] = [], type: String = "application/x-www-form-urlencoded"
        ) async throws -> APIBench.Answer {
            try await self.api.ask("POST /", headers: ["Content-Type: \(type)"] + headers, body: form)
        }

        func guests() async throws -> [JSONObject] {
            try await self.running.gateway.operations.call("guests.list", [:], for: .admin).get().body
                .array("guests")?.compactMap(\.objectValue) ?? []
        }
    }

    private static func with(
        _ change: (inout GatewayConfiguration) -> Void = { _ in }, body: (Page) async throws -> Void
    ) async throws {
        var configuration = GatewayConfiguration.hallAndOffice
        configuration.gateway.name = "Hotel <Seeblick>"
        configuration.virtualDevices[0].friendlyName = "Hall & Lobby"
        configuration.virtualDevices[0].join = .required
        configuration.api.join.listen = ListenAddress(host: "127.0.0.1", port: 0)
        change(&configuration)
        let recorder = LogRecorder()
        let isSecure = configuration.api.join.tls != nil
        try await RunningGateway.with(configuration, makeLogger: { recorder.logger($0) }) { running in
            var context: NIOSSLContext?
            if isSecure {
                var client = TLSConfiguration.makeClientConfiguration()
                let root = try NIOSSLCertificate(bytes: running.gateway.rootCertificate().der, format: .der)
                client.trustRoots = .certificates([root])
                context = try NIOSSLContext(configuration: client)
            }
            let port = try #require(running.gateway.joinPort)
            try await body(
                Page(
                    running: running,
                    api: APIBench(running: running, recorder: recorder, port: port, tls: context)))
        }
    }

    /// The digits as a browser sends them.
    private static func form(_ code: String?) -> String { "code=\((code ?? "").replacing(" ", with: "+"))" }

    // MARK: What a guest does

    @Test func aGuestTypesTheDigits() async throws {
        try await Self.with { page in
            let made = try await page.create()
            let form = try await page.get()
            #expect(form.status == 200 && form.has("Content-Type: text/html; charset=utf-8"))
            #expect(form.has("<input id=\"code\"") && form.has("Hotel &lt;Seeblick&gt;"))
            let welcome = try await page.post(Self.form(made.string("code")))
            #expect(welcome.status == 200 && welcome.has("Hall &amp; Lobby"), "\(welcome)")
            let guest = try #require(try await page.guests().first)
            #expect(guest.string("address") == "127.0.0.1" && guest.string("code") == made.string("id"))
            // Sent once more, by a reload of the page.
            #expect(try await page.post(Self.form(made.string("code"))).status == 200)
            #expect(try await page.guests().count == 1)
            let metrics = await page.running.gateway.context.metrics.text(.openMetrics)
            #expect(metrics.contains("castway_join_attempts_total{outcome=\"redeemed\"} 2"))
            #expect(metrics.contains("castway_guests 1") && metrics.contains("castway_join_codes{state=\"used\"} 1"))
        }
    }

    /// The page speaks the phone's language, and names the time zone of the end, since the phone's may be another.
    @Test(arguments: [
        ("de-AT,de;q=0.9,en;q=0.5", "de", "Code eingeben", "Sie können jetzt streamen", "Uhr (Asia/Tokyo)"),
        ("fr", "fr", "Saisissez votre code", "Vous pouvez caster maintenant", "à"),
        ("es-MX", "es", "Introduzca su código", "Ya puede enviar contenido", "a las"),
        ("ja,en;q=0.1", "en", "Enter your code", "You can cast now", "(Asia/Tokyo)"),
    ])
    func aGuestReadsItsOwnLanguage(
        _ accepted: String, _ language: String, _ title: String, _ welcome: String, _ time: String
    ) async throws {
        try await Self.with({ $0.routing.timeZone = "Asia/Tokyo" }) { page in
            let headers = ["Accept-Language: \(accepted)"]
            let form = try await page.get(headers: headers)
            #expect(form.has("<html lang=\"\(language)\">") && form.has("<h1>\(title)</h1>"), "\(form)")
            #expect(form.has("Content-Language: \(language)"))
            let refused = try await page.post("code=00000000", headers: headers)
            #expect(refused.status == 403 && refused.has("not good any more") == (language == "en"))
            let made = try await page.create()
            let answer = try await page.post(Self.form(made.string("code")), headers: headers)
            #expect(answer.has("<h1>\(welcome)</h1>") && answer.has(time), "\(answer)")
            let guest = try #require(try await page.guests().first)
            #expect(answer.has("<time datetime=\"\(guest.string("expires") ?? "")\">"))
        }
    }

    @Test func theEndIsToldInTheGatewaysTimeZone() {
        let welcome = GuestWelcome(
            devices: [], token: nil, end: UTCTime(seconds: 1_798_761_600),
            zone: .init(name: "America/New_York", offset: -5 * 3600), isAgain: false)
        let texts = ErrorLanguage.allCases.map { JoinPageTexts($0).time(welcome) }
        #expect(
            texts == [
                "2026-12-31 19:00 (America/New York)", "31.12.2026, 19:00 Uhr (America/New York)",
                "31/12/2026 à 19:00 (America/New York)", "31/12/2026 a las 19:00 (America/New York)",
            ])
    }

    /// Programs that preview links look at them, so looking redeems nothing.
    @Test func aLinkIsAButtonAndRedeemsNothingByItself() async throws {
        try await Self.with { page in
            let made = try await page.create()
            let link = try #require(made.string("link"))
            let base = "http://127.0.0.1:\(page.api.port)"
            #expect(link.hasPrefix(base + "/j/"))
            let path = String(link.dropFirst(base.count))
            for _ in 0..<3 {
                let shown = try await page.get(path)
                #expect(shown.status == 200 && shown.has("<button"))
            }
            #expect(try await page.guests().isEmpty)
            let secret = String(path.dropFirst("/j/".count))
            #expect(try await page.post("code=\(secret)").status == 200)
            #expect(try await page.guests().count == 1)
            // The secret stands in no log line.
            let lines = page.api.recorder.entries.map { "\($0.message) \($0.metadata)" }
            let digits = try #require(made.string("code"))
            for text in [secret, digits, digits.filter { $0 != " " }] {
                #expect(!lines.contains { $0.contains(text) })
            }
        }
    }

    @Test func aFormThatIsSentTwiceGivesTheLastTokenAlone() async throws {
        try await Self.with { page in
            let made = try await page.create(["devices": ["hall"], "scopes": ["read"], "connect": false])
            let welcome = try await page.post(Self.form(made.string("code")))
            #expect(welcome.status == 200 && welcome.has("<code>cwt_") && !welcome.has("You can cast now"))
            #expect(welcome.has("Cache-Control: no-store"))
            let again = try await page.post(Self.form(made.string("code")))
            #expect(again.status == 200 && again.has("<code>cwt_") && again.description != welcome.description)
            #expect(try await page.guests().count == 1)
        }
    }

    @Test func wrongCodesAreRefusedAndThenHaveToWait() async throws {
        try await Self.with { page in
            let made = try await page.create()
            for _ in 0..<5 {
                let refused = try await page.post("code=00000000")
                #expect(refused.status == 403 && refused.has("not good any more") && refused.has("<input id=\"code\""))
            }
            let late = try await page.post(Self.form(made.string("code")))
            #expect(late.status == 429 && late.has("Retry-After: 30") && late.has("Connection: close"), "\(late)")
            #expect(page.api.hasAudited(.joinRefused, "code_refused"))
            #expect(page.api.hasAudited(.joinRefused, "too_many_attempts"))
            #expect(try await page.guests().isEmpty)
        }
    }

    // MARK: What others try

    @Test func theListenerHasThePageAndNothingElse() async throws {
        try await Self.with { page in
            for path in [
                "/api/v1/gateway", "/api/v1/guests", "/openapi.json", "/docs", "/metrics", "/livez", "/api/v1/socket",
                "/x",
                "/j", "/j/a/b",
            ] {
                let answer = try await page.get(path)
                #expect(answer.status == 404, "\(path): \(answer)")
            }
            for line in ["PUT /", "DELETE /", "POST /j/abc", "POST /api/v1/guests"] {
                let answer = try await page.api.ask(line, headers: ["Content-Type: application/json"], body: "{}")
                #expect([404, 405].contains(answer.status), "\(line): \(answer)")
            }
            let socket = try await page.get(
                "/api/v1/socket",
                headers: [
                    "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                ])
            #expect(socket.status == 404, "\(socket)")
        }
    }

    @Test func thePageLoadsNothingAndIsShownInNoFrame() async throws {
        try await Self.with { page in
            let answers = [
                try await page.get(), try await page.get("/j/\(ShownCode.makeLink())"),
                try await page.post("code=00000000"),
            ]
            for answer in answers {
                #expect(
                    !answer.has("<script") && !answer.has(" src=") && !answer.has("http://") && !answer.has("https://"))
                #expect(answer.has("default-src 'none'; style-src 'nonce-") && answer.has("form-action 'self'"))
                #expect(answer.has("frame-ancestors 'none'") && answer.has("X-Frame-Options: DENY"))
                #expect(answer.has("Referrer-Policy: same-origin") && answer.has("Cache-Control: no-store"))
                #expect(answer.has("X-Content-Type-Options: nosniff") && !answer.has("Set-Cookie"))
            }
        }
    }

    /// Pages of others can neither send the form nor read the page; people may follow their links.
    @Test func pagesOfOthersAreKeptAway() async throws {
        try await Self.with { page in
            let made = try await page.create()
            let form = Self.form(made.string("code"))
            for headers in [
                ["Origin: https://evil.example"], ["Origin: null"], ["Origin: http://127.0.0.1:1"],
                ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"],
                ["Sec-Fetch-Site: same-site"], ["Host: evil.example"],
                ["Host: evil.example", "Origin: http://evil.example"],
            ] {
                let answer = try await page.post(form, headers: headers)
                #expect(answer.status == 403 && !answer.has("Access-Control"), "\(headers): \(answer)")
            }
            for headers in [
                ["Sec-Fetch-Site: cross-site"], ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: cors"],
                ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe"],
                ["Host: evil.example"],
            ] {
                #expect(try await page.get(headers: headers).status == 403, "\(headers)")
            }
            #expect(try await page.guests().isEmpty)
            let visit = ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"]
            #expect(try await page.get(headers: visit).status == 200)
            let own = ["Origin: http://127.0.0.1", "Sec-Fetch-Site: same-origin"]
            #expect(try await page.post(form, headers: own).status == 200)
        }
    }

    @Test(arguments: [
        "", "code", "code=", "code=1&code=2", "kode=12345678", "code=12345678&x=1", "code=%", "code=%ff%fe",
        "code=" + String(repeating: "1", count: 200), "code=%00", "{\"code\":\"12345678\"}",
    ])
    func whatIsNoFormIsRefusedAndCountsAsNoAttempt(_ body: String) async throws {
        try await Self.with { page in
            for _ in 0..<7 {
                let answer = try await page.post(body)
                #expect([400, 403].contains(answer.status), "\(answer)")
            }
            let made = try await page.create()
            #expect(try await page.post(Self.form(made.string("code"))).status == 200)
        }
    }

    @Test func whatIsTooLongIsRefused() async throws {
        try await Self.with { page in
            let long = try await page.post("code=" + String(repeating: "1", count: 600))
            #expect(long.status == 413)
            #expect(
                try await page.get(headers: ["X-Long: " + String(repeating: "a", count: 20_000)]).status == 431)
            let chunked = """
                POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\
                Content-Type: application/x-www-form-urlencoded\r\n\r\n400\r\n\(String(repeating: "1", count: 1024))\r\n0\r\n\r\n
                """
            #expect(try await page.api.send(chunked).status == 413)
        }
    }

    @Test func anAddressThatAsksTooOftenHasToWait() async throws {
        try await Self.with { page in
            // On one connection: new ones are limited before that.
            let requests = (1...40).map { APIBench.request("GET /", isLast: $0 == 40) }
            let statuses = try await page.api.send(requests.joined()).statuses
            #expect(statuses.first == 200 && statuses.contains(429), "\(statuses)")
        }
    }

    // MARK: Listening

    @Test func tlsIsServedUnderTheGatewaysRoot() async throws {
        try await Self.with({ $0.api.join.tls = .automatic }) { page in
            let answer = try await page.get()
            #expect(answer.status == 200)
            #expect(try await page.api.send(APIBench.request("GET /"), plain: true).description.isEmpty)
            #expect(try await page.create().string("link")?.hasPrefix("https://127.0.0.1:") == true)
        }
    }

    @Test func linksBeginAsTheConfigurationSays() async throws {
        try await Self.with({
            $0.api.join.url = "https://cast.example.com"
        }) { page in
            let made = try await page.create()
            #expect(made.string("link")?.hasPrefix("https://cast.example.com/j/") == true)
            // Behind a proxy the page's own site is that one.
            let headers = ["Host: cast.example.com", "Origin: https://cast.example.com"]
            #expect(try await page.post(Self.form(made.string("code")), headers: headers).status == 200)
        }
    }

    @Test func aReloadGivesThePageAnotherAddressOrNone() async throws {
        try await Self.with { page in
            let gateway = page.running.gateway
            let made = try await page.create()
            var configuration = gateway.configuration
            configuration.api.join.listen = ListenAddress(host: "127.0.0.2", port: 0)
            _ = try await gateway.reload(to: configuration).get()
            let link = try await page.create().string("link")
            #expect(link?.hasPrefix("http://127.0.0.2:") == true, "\(link ?? "")")
            configuration.api.join.listen = nil
            _ = try await gateway.reload(to: configuration).get()
            #expect(gateway.joinPort == nil)
            #expect(try await page.create()["link"] == nil)
            // Codes are redeemed by the operation all the same.
            let redeemed = try await gateway.operations.call(
                "join_code.redeem", ["code": made["code"] ?? "", "address": "192.0.2.7"], for: .admin
            ).get()
            #expect(redeemed.status == 201 && redeemed.body.bool("new") == true)
        }
    }
}
