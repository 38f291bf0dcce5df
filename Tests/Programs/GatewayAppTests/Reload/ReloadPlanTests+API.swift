extension ReloadPlanTests {
    private static let digest = String(repeating: "0f", count: 32)

    /// A key of the API, which listens.
    private static func api(_ name: String, _ before: String, _ after: String, _ key: String? = nil) -> Sample {
        func file(_ text: String) -> String {
            text.hasPrefix("listen")
                ? "api: {\(text)}" : "api: {listen: 127.0.0.1:8480\(text.isEmpty ? "" : ", \(text)")}"
        }
        return Self.top("api.\(name)", file(before), file(after), "api.\(key ?? name)")
    }

    /// A key of a token, or the token itself.
    private static func token(_ name: String, _ before: String, _ after: String, _ token: String? = nil) -> Sample {
        Self.api("tokens[].\(name)", before, after, token.map { "tokens.\($0)" } ?? "tokens.a.\(name)")
    }

    /// A key of the page of guests, which listens.
    private static func join(
        _ name: String, _ after: String, _ key: String? = nil, before: String = ""
    ) -> Sample {
        func file(_ text: String) -> String {
            "api: {join: {listen: 127.0.0.1:8481\(text.isEmpty ? "" : ", \(text)")}}"
        }
        return Self.top("api.join.\(name)", file(before), file(after), "api.join.\(key ?? name)")
    }

    static let apiSamples: [Sample] = [
        api("listen", "", "listen: 127.0.0.1:8481"), api("allow_plaintext", "", "allow_plaintext: true"),
        api(
            "tls.certificate_file", "tls: {certificate_file: a, private_key_file: b}",
            "tls: {certificate_file: c, private_key_file: b}", "tls"),
        api(
            "tls.private_key_file", "tls: {certificate_file: a, private_key_file: b}",
            "tls: {certificate_file: a, private_key_file: d}", "tls"),
        api("hosts", "", "hosts: [a.example]"), api("origins", "", "origins: [\"https://a.example\"]"),
        token("name", "", "tokens: [{name: b, sha256: \(Self.digest)}]", "b"),
        token(
            "token", "tokens: [{name: a, token: 0123456789abcdef0123456789abcdef}]",
            "tokens: [{name: a, token: 0123456789abcdef0123456789abcdeX}]"),
        token(
            "sha256", "tokens: [{name: a, sha256: \(Self.digest)}]",
            "tokens: [{name: a, sha256: \(Self.digest.replacing("0", with: "1"))}]"),
        token(
            "scopes", "tokens: [{name: a, sha256: \(Self.digest)}]",
            "tokens: [{name: a, sha256: \(Self.digest), scopes: [admin]}]"),
        token(
            "devices", "tokens: [{name: a, sha256: \(Self.digest)}]",
            "tokens: [{name: a, sha256: \(Self.digest), devices: [lobby]}]"),
        token(
            "expires", "tokens: [{name: a, sha256: \(Self.digest)}]",
            "tokens: [{name: a, sha256: \(Self.digest), expires: 2999-01-01}]"),
        api("events.history", "", "events: {history: 1MiB}"),
        api("events.history_age", "", "events: {history_age: 1m}"),
        api("events.client_budget", "", "events: {client_budget: 2MiB}"),
        api("limits.requests_per_second", "", "limits: {requests_per_second: off}"),
        api("limits.body", "", "limits: {body: 2MiB}"),
        api("limits.clients", "", "limits: {clients: 20}"),
        top("api.join.listen", "api: {}", "api: {join: {listen: 127.0.0.1:8481}}"),
        join("url", "url: http://a.example"),
        join("allow_plaintext", "allow_plaintext: true"), join("hosts", "hosts: [a.example]"),
        join(
            "tls.certificate_file", "tls: {certificate_file: c, private_key_file: b}", "tls",
            before: "tls: {certificate_file: a, private_key_file: b}"),
        join(
            "tls.private_key_file", "tls: {certificate_file: a, private_key_file: d}", "tls",
            before: "tls: {certificate_file: a, private_key_file: b}"),
    ]
}
