import GatewayConfig
import Testing

/// Secrets as text and as files.
struct SecretTests {
    private func load(_ file: String, mode: UInt32 = 0o600) -> ConfigDocument {
        ConfigTestSchema.load("password_file: p", ["p": file], permissions: ["p": mode])
    }

    @Test func aFileLosesOneLineBreakAndNoMore() {
        #expect(self.load("hunter2\n").root.secret("password").reveal() == "hunter2")
        #expect(self.load("hunter2\r\n").root.secret("password").reveal() == "hunter2")
        #expect(self.load("hunter2\n\n").root.secret("password").reveal() == "hunter2\n")
        #expect(self.load(" hunter2").root.secret("password").reveal() == " hunter2")
        #expect(self.load("hunter2").root.origin("password").description == "file p")
    }

    @Test func badFiles() {
        let codes = { (document: ConfigDocument) in document.report().problems.map(\.code) }
        #expect(codes(self.load("x", mode: 0o640)) == [])
        #expect(codes(self.load("x", mode: 0o644)) == [.secretWorldReadable])
        #expect(codes(self.load("\n")) == [.secretUnreadable])
        #expect(codes(self.load(String(repeating: "x", count: 65_537))) == [.secretUnreadable])
        #expect(codes(ConfigTestSchema.load("password_file: nowhere")) == [.secretUnreadable])
        #expect(codes(ConfigTestSchema.load("password: a\npassword_file: b")) == [.secretTwice])
        #expect(codes(ConfigTestSchema.load("password_file: [b]")) == [.wrongType])
    }

    @Test func nothingPrintsASecret() {
        let secret = Secret("hunter2")
        var dumped = ""
        dump(secret, to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), String(describing: [secret]), dumped, "\(secret as Any)"]
        {
            #expect(!text.contains("hunter2"))
            #expect(text.contains("«redacted»") || text == dumped)
        }
        #expect(secret == Secret("hunter2") && secret != Secret("hunter3"))
        #expect(secret.reveal() == "hunter2")
    }

    @Test func aSecretFromTheFileIsMaskedOnEveryLine() throws {
        let document = ConfigTestSchema.load("{password: \"hunter2\nhunter3\", cuont: 1}")
        let problem = try #require(document.report().problems.first)
        #expect(problem.excerpt == "********, cuont: 1}")
    }

    @Test func printingRedacts() {
        let document = ConfigTestSchema.load("password: hunter2")
        #expect(document.effectiveText(origins: true).contains("password: «redacted»  # test.yaml:1\n"))
        #expect(self.load("hunter2").effectiveText(origins: false).contains("password_file: p\n"))
    }

    @Test(arguments: ["token", "apiToken", "client_secret", "PASSWORD", "x-api-key", "private-key"])
    func whatIsNamedAsASecretIsOne(_ name: String) throws {
        #expect(Secret.isNamed(name))
        let document = ConfigTestSchema.load("config: {tokens: 5, inner: [{\(name): hunter2}]}\ncuont: 1")
        #expect(!document.effectiveText(origins: true).contains("hunter2"))
        #expect(document.effectiveText(origins: true).contains("\"tokens\":5"))
        #expect(!document.effectiveJSON.text().contains("hunter2"))
    }

    @Test func messagesAboutOthersDataHideSecrets() throws {
        let text = #"""
            {"properties": {"token": {"type": "integer"}, "secret": {"pattern": "^a"}, "password": {"enum": ["a"]}}}
            """#
        let files = ConfigFileSystem.memory(["s": text])
        let schema = try #require(ValueSchema.load(path: "s", fileSystem: files).schema)
        var document = ConfigTestSchema.load("config: {token: hunter2, secret: hunter2, password: hunter2}")
        let value = try #require(document.root.value("config"))
        _ = schema.complete(value, path: "config", problems: &document.problems)
        let report = document.report()
        #expect(report.problems.count == 3)
        #expect(!report.text().contains("hunter2"))
    }
}
