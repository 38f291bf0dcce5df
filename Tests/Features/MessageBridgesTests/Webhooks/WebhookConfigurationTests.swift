import GatewayConfig
import Testing

@testable import MessageBridges

@Suite struct WebhookConfigurationTests {
    private static let secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

    private func load(_ text: String, url: String = "https://backend.example.com/cast") -> ConfigDocument {
        let yaml = "name: backend\nurl: \"\(url)\"\nsecret: \(Self.secret)\n\(text)\n"
        return self.document(yaml)
    }

    private func document(_ yaml: String, files: [String: String] = [:]) -> ConfigDocument {
        var document = ConfigDocument.load(
            path: "t", schema: WebhookConfiguration.schema,
            fileSystem: .memory(files.merging(["t": yaml]) { $1 }), environment: [:])
        WebhookConfiguration.checkAll(document.root, problems: &document.problems)
        return document
    }

    @Test func fourLinesAreEnough() throws {
        let document = self.load("")
        #expect(document.problems.all.isEmpty)
        let webhook = WebhookConfiguration(reading: document.root)
        #expect(webhook.deliveryOrder == .device(concurrency: 8, isStrict: false))
        #expect(webhook.timeout == .seconds(15))
        #expect(webhook.queue == OutboxBounds(age: .seconds(604_800)))
        #expect(webhook.deadLetters == OutboxBounds(age: .seconds(1_209_600)))
        #expect(!webhook.allowsPrivate && !webhook.allowsPlaintext)
        #expect(webhook.retry.pauses.count == 10 && webhook.retry.span == .seconds(272_105))
    }

    @Test func everyKeyIsRead() throws {
        let document = self.load(
            """
            events: ["session.*", media.status]
            order: none
            concurrency: 3
            timeout: 2s
            retry: [1s, 1m]
            queue: {age: 2h, size: 1MiB}
            dead_letters: {age: 1h}
            allow_private: true
            allow_http: true
            """, url: "http://10.0.0.1:8080/cast?key=a%20b")
        #expect(document.problems.all.isEmpty)
        let webhook = WebhookConfiguration(reading: document.root)
        #expect(webhook.deliveryOrder == .none(concurrency: 3))
        #expect(webhook.retry.pauses == [.zero, .seconds(1), .seconds(60)])
        #expect(webhook.queue.size == 1 << 20)
        #expect(webhook.deadLetters.age == .seconds(3600))
        #expect(webhook.wants(event: "session.started") && webhook.wants(event: "media.status"))
        #expect(!webhook.wants(event: "media.other"))
    }

    @Test func aFileMayHoldTwoSecrets() throws {
        let other = "whsec_\(String(repeating: "QUFB", count: 8))"
        let document = self.document(
            "{name: b, url: \"https://b.example/\", secret_file: k}", files: ["k": "\(other)\n\(Self.secret)\n"])
        #expect(document.problems.all.isEmpty)
        #expect(try WebhookSecret.all(in: WebhookConfiguration(reading: document.root).secret).count == 2)
    }

    @Test(arguments: [
        ("", "http://backend.example.com/", "no TLS"), ("", "https://10.0.0.1/", "needs allow_private: true"),
        ("allow_private: true", "https://169.254.169.254/", "metadata"),
        ("allow_private: true", "https://0xa9fea9fe/", "metadata"),
        ("", "https://[::1]/", "this machine"), ("", "https://u:geheim@b/", "a user or a password"),
        ("order: none\nstrict_order: true", "https://b/", "needs 'order: device'"),
        ("retry: []", "https://b/", "1 to 20 pauses"), ("queue: {age: 1h}", "https://b/", "is kept for 1h"),
        ("retry: [2h]\nqueue: {age: 1h}", "https://b/", "goes on for 2h"), ("retry: often", "https://b/", "retry"),
        ("ca_file: x.pem\nallow_http: true", "http://b/", "no effect without TLS"),
        ("concurrency: 0", "https://b/", "concurrency"),
        ("timeout: 5m", "https://b/", "timeout"),
    ])
    func whatDoesNotGoTogetherIsSaid(text: String, url: String, message: String) {
        let problems = self.load(text, url: url).problems.all
        #expect(problems.count == 1)
        #expect(problems.first?.message.contains(message) == true, "\(problems.map(\.message))")
        #expect(!problems.contains { $0.message.contains("geheim") })
    }

    @Test func aSecretThatIsNoneIsSaidAndNotShown() {
        let problems = self.document("{name: b, url: \"https://b.example/\", secret: whsec_QUFB}").problems.all
        #expect(problems.map(\.message) == ["'secret' has 3 bytes, and must have 24 to 64"])
    }
}
