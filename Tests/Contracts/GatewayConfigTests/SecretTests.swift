import CastWire
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
        #expect(self.load("\u{FEFF}hunter2\r\n").root.secret("password").reveal() == "hunter2")
        #expect(self.load("hunter2").root.origin("password").description == "file p")
    }

    @Test(arguments: [
        ("mqtt://user:hunter2@broker.example.com/x", "mqtt://«redacted»@broker.example.com/x"),
        ("see https://hunter2@a and https://b/c@d", "see https://«redacted»@a and https://b/c@d"),
        ("a@b", "a@b"), ("https://a.example/?q=x@y", "https://a.example/?q=x@y"),
    ])
    func usersOfURLsAreHidden(_ text: String, _ shown: String) {
        #expect(Secret.hidingUsers(in: text) == shown)
    }

    @Test func aURLWithAPasswordIsShownByNothing() {
        let document = ConfigTestSchema.load(
            "things: [{name: \"https://user:hunter2@a.example\"}]\ncount: \"https://u:hunter2@b\"")
        let report = document.report()
        #expect(report.problems.map(\.code) == [.wrongType])
        #expect(!report.text().contains("hunter2") && report.text().contains("@b"))
        #expect(!document.effectiveText(origins: true).contains("hunter2"))
        #expect(!document.effectiveJSON.text.contains("hunter2"))
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

    /// Service managers hand secrets over in a folder that only the service may enter, whatever the files' own modes.
    @Test(arguments: [
        (mode: UInt32(0o444), folder: UInt32(0o500), isRead: true), (0o440, 0o550, true), (0o400, 0o755, true),
        (0o444, 0o755, false), (0o444, 0o501, false),
    ])
    func theFolderOfCredentialsProtects(mode: UInt32, folder: UInt32, isRead: Bool) {
        let document = ConfigTestSchema.load(
            "password_file: ${CREDENTIALS_DIRECTORY}/p", ["/run/c/p": "hunter2", "/run/c": ""],
            permissions: ["/run/c/p": mode, "/run/c": folder], environment: ["CREDENTIALS_DIRECTORY": "/run/c"])
        #expect(document.report().problems.map(\.code) == (isRead ? [] : [.secretWorldReadable]))
        #expect(document.root.secret("password").reveal() == (isRead ? "hunter2" : ""))
    }

    @Test func noOtherFolderProtects() {
        for path in ["/run/c/../p", "/run/cp", "/run/p"] {
            let document = ConfigTestSchema.load(
                "password_file: \(path)", [path: "hunter2", "/run/c": ""], permissions: [path: 0o644, "/run/c": 0o500],
                environment: ["CREDENTIALS_DIRECTORY": "/run/c"])
            #expect(document.report().problems.map(\.code) == [.secretWorldReadable], "\(path)")
        }
        let unset = ConfigTestSchema.load("password_file: ${CREDENTIALS_DIRECTORY}/p").report()
        #expect(unset.text().contains("LoadCredential="))
    }

    /// What is left out of the tree is not checked, and is a secret all the same.
    @Test(arguments: [
        "password: hunter1\npassword: hunter2", "{password: hunter1, password: hunter2}",
        "config:\n  api_token: hunter1\n  api_token: hunter2", "{config: {token: hunter1, token: hunter2}}",
        "hidden: {A: hunter1}\nhidden: {A: hunter2}", "hidden:\n  A: hunter1\n  A: hunter2",
        "\"passw\\u006frd\": hunter1\n\"passw\\u006frd\": hunter2",
        "config: {token: hunter1}\nconfig: {token: hunter2}",
        "hidden:\n  A: hunter1\n  B: \"hunter2\n", "config:\n  apiToken: \"hunter2\n\u{1}",
        "hidden: {A: \"\(String(repeating: "hunter2", count: 600))\"}", "password: [hunter1]", "hidden: hunter2",
    ])
    func noMessagePrintsASecret(_ text: String) {
        let report = ConfigTestSchema.load(text).report()
        #expect(report.hasErrors)
        #expect(!report.text().contains("hunter"), "\(report.text())")
        #expect(!report.json().contains("hunter") && !report.github().contains("hunter"))
    }

    @Test func aSecretOfTwoFilesIsNotPrinted() {
        let report = ConfigTestSchema.load(
            "include: [b.yaml]\npassword: hunter1\nhidden: {A: hunter1}",
            ["b.yaml": "password: hunter2\nhidden: {A: hunter2}"]
        ).report()
        #expect(report.problems.map(\.code) == [.setInTwoFiles, .setInTwoFiles])
        #expect(!report.text().contains("hunter"), "\(report.text())")
    }

    @Test func hiddenTextsAreReadAndNotPrinted() throws {
        let document = ConfigTestSchema.load("hidden: {A: hunter2, B: \"${HOME}\"}", environment: ["HOME": "hunter3"])
        #expect(document.root.map("hidden").map { $0.value.secret?.reveal() } == ["hunter2", "hunter3"])
        for text in [document.effectiveText(origins: true), document.effectiveJSON.text(indented: false)] {
            #expect(!text.contains("hunter") && text.contains("«redacted»"), "\(text)")
        }
        #expect(ConfigTestSchema.load("hidden: {A: \"\\0\"}").report().problems.map(\.code) == [.malformedValue])
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
        #expect(!document.effectiveJSON.text(indented: false).contains("hunter2"))
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

    /// Which of several shapes a value has is tried out, and the one that fits may be a secret.
    @Test func aSecretAmongSeveralShapesIsMasked() throws {
        let schema = ConfigSchema.object([
            ConfigField("either", .oneOf(.boolean, .text(isSecret: true)), .optional, "One of two"),
            ConfigField("count", .integer(0...9), .optional, "A count"),
        ])
        let document = ConfigDocument.load(
            path: "t", schema: schema, fileSystem: .memory(["t": "{either: hunter2, cuont: 1}"]), environment: [:])
        #expect(document.root.value("either")?.secret?.reveal() == "hunter2")
        let problem = try #require(document.report().problems.first)
        #expect(problem.excerpt == "{either: *******, cuont: 1}")
    }
}
