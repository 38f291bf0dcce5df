extension ReloadPlanTests {
    private static let secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
    private static let otherSecret = "whsec_AQECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
    /// A file with two webhooks and a broker.
    static let backends =
        "bridges: {webhooks: [{name: a, url: \"https://a.example\", secret: \(Self.secret)}, "
        + "{name: b, url: \"https://b.example\", secret: \(Self.secret)}], mqtt: {url: \"mqtt://a.example\"}}"

    /// A key of a channel with something to deliver to.
    private static func bridged(_ name: String, _ before: String, _ after: String) -> Sample {
        func file(_ text: String) -> String {
            "\(Self.backends)\nchannels: [{namespace: \"urn:x-cast:a\"\(text.isEmpty ? "" : ", \(text)")}]"
        }
        return Self.top("channels[].\(name)", file(before), file(after), "channels")
    }

    private static func webhook(_ name: String, _ before: String, _ after: String, _ key: String? = nil) -> Sample {
        func file(_ text: String) -> String {
            let parts = [
                ("name", "name: a"), ("url", "url: \"https://a.example\""), ("secret", "secret: \(Self.secret)"),
            ]
            let missing = parts.filter { !text.contains("\($0.0): ") }.map(\.1)
            return "bridges: {webhooks: [{\((missing + [text]).filter { !$0.isEmpty }.joined(separator: ", "))}]}"
        }
        return Self.top(
            "bridges.webhooks[].\(name)", file(before), file(after), "bridges.webhooks.\(key ?? "a.\(name)")")
    }

    private static func mqtt(_ name: String, _ before: String, _ after: String) -> Sample {
        func file(_ text: String) -> String {
            let url = text.contains("url: ") ? "" : "url: \"mqtts://a.example\""
            return "bridges: {mqtt: {\([url, text].filter { !$0.isEmpty }.joined(separator: ", "))}}"
        }
        return Self.top("bridges.mqtt.\(name)", file(before), file(after), "bridges.mqtt")
    }

    static let bridgeSamples: [Sample] = [
        bridged("deliver[].webhook", "deliver: [{webhook: a}]", "deliver: [{webhook: b}]"),
        bridged("deliver[].mqtt", "deliver: [{webhook: a}]", "deliver: [{mqtt: true}]"),
        bridged("deliver[].events", "deliver: [{webhook: a}]", "deliver: [{events: true}]"),
        bridged("legs", "deliver: [{webhook: a}]", "deliver: [{webhook: a}], legs: [own]"),
        bridged("direction", "deliver: [{webhook: a}]", "deliver: [{webhook: a}], direction: both"),
        bridged("forward", "deliver: [{webhook: a}]", "deliver: [{webhook: a}], forward: false"),
        bridged("reply.webhook", "reply: {webhook: a}", "reply: {webhook: b}"),
        bridged("reply.deadline", "reply: {webhook: a}", "reply: {webhook: a, deadline: 1s}"),
        bridged("reply.on_failure", "reply: {webhook: a}", "reply: {webhook: a, on_failure: open}"),
        bridged("accept", "accept: [api]", "accept: [mqtt]"),
        bridged("when_absent.keep", "when_absent: {keep: 1h}", "when_absent: {keep: 2h}"),
        bridged("when_absent.at_most", "when_absent: {keep: 1h}", "when_absent: {keep: 1h, at_most: 3}"),
        bridged("format", "deliver: [{webhook: a}]", "deliver: [{webhook: a}], format: json"),
        bridged("limits.size", "deliver: [{webhook: a}]", "deliver: [{webhook: a}], limits: {size: 1KiB}"),
        bridged("limits.per_second", "deliver: [{webhook: a}]", "deliver: [{webhook: a}], limits: {per_second: 3}"),
        webhook("name", "", "name: b", "b"), webhook("url", "", "url: \"https://b.example\""),
        webhook("secret", "", "secret: \(Self.otherSecret)"), webhook("events", "", "events: [\"session.*\"]"),
        webhook("order", "", "order: none"), webhook("strict_order", "", "strict_order: true"),
        webhook("concurrency", "", "concurrency: 2"), webhook("timeout", "", "timeout: 1s"),
        webhook("retry", "", "retry: short"), webhook("queue.age", "", "queue: {age: 300h}"),
        webhook("queue.size", "", "queue: {size: 1MiB}"), webhook("dead_letters.age", "", "dead_letters: {age: 1h}"),
        webhook("dead_letters.size", "", "dead_letters: {size: 1MiB}"),
        webhook("allow_private", "", "allow_private: true"), webhook("allow_http", "", "allow_http: true"),
        webhook("ca_file", "", "ca_file: ca.pem"), mqtt("url", "", "url: \"mqtts://b.example\""),
        mqtt("username", "", "username: castway"),
        mqtt("password", "username: a, password: b", "username: a, password: c"), mqtt("client_id", "", "client_id: x"),
        mqtt("prefix", "", "prefix: x"), mqtt("protocol", "", "protocol: \"3.1.1\""),
        mqtt("ca_file", "", "ca_file: ca.pem"),
        mqtt(
            "certificate_file", "certificate_file: a, private_key_file: b", "certificate_file: c, private_key_file: b"),
        mqtt(
            "private_key_file", "certificate_file: a, private_key_file: b", "certificate_file: a, private_key_file: c"),
        mqtt("scopes", "", "scopes: [read]"), mqtt("devices", "", "devices: [hall]"),
        mqtt("events", "", "events: [\"session.*\"]"), mqtt("language", "", "language: de"),
        mqtt("channel_topic", "", "channel_topic: \"apps/{device}\""),
        mqtt("response_topics", "", "response_topics: [me/answers]"),
        mqtt("home_assistant.discovery", "", "home_assistant: {discovery: true}"),
        mqtt("home_assistant.prefix", "", "home_assistant: {prefix: x}"),
        mqtt("home_assistant.apps", "", "home_assistant: {apps: {a: CC1AD845}}"),
        mqtt(
            "principals.NAME.scopes", "principals: {a: {scopes: [read]}}", "principals: {a: {scopes: [control]}}"),
        mqtt("principals.NAME.devices", "principals: {a: {}}", "principals: {a: {devices: [hall]}}"),
        mqtt("principals.NAME.language", "principals: {a: {}}", "principals: {a: {language: fr}}"),
        mqtt("keep_alive", "", "keep_alive: 10s"), mqtt("queue.size", "", "queue: {size: 1MiB}"),
        mqtt("queue.age", "", "queue: {age: 1h}"), mqtt("dead_letters.size", "", "dead_letters: {size: 1MiB}"),
        mqtt("dead_letters.age", "", "dead_letters: {age: 1h}"),
    ]
}
