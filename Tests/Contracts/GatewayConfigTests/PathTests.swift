import GatewayConfig
import Testing

/// Where relative paths lead.
struct PathTests {
    private static let schema = ConfigSchema.object([
        ConfigField("path", .path, .defaultsTo("./state"), "A path"),
        ConfigField("paths", .list(of: .path), .defaultsTo("[]"), "Paths"),
        ConfigField("address", .text(pathPrefix: "unix:"), .optional, "An address"),
        ConfigField("password", .secret, .optional, "A secret"),
        ConfigField("nested", .object([ConfigField("path", .path, .defaultsTo("inner"), "A path")]), .optional, "More"),
        ConfigField("include", .list(of: .glob), .optional, "Includes"),
    ])

    private func load(
        _ path: String, _ files: [String: String], environment: [String: String] = [:], resolvesPaths: Bool = true
    ) -> ConfigSection {
        let document = ConfigDocument.load(
            path: path, schema: Self.schema, fileSystem: .memory(files), environment: environment,
            resolvesPaths: resolvesPaths)
        #expect(document.report().text() == "")
        return document.root
    }

    @Test func theyStartAtTheFolderOfTheirFile() {
        let text = "paths: [a, ./b, ../c, /d]\naddress: unix:run/s"
        let below = self.load("/etc/castway/gateway.yaml", ["/etc/castway/gateway.yaml": text])
        #expect(below.strings("paths") == ["/etc/castway/a", "/etc/castway/b", "/etc/castway/../c", "/d"])
        #expect(below.string("address") == "unix:/etc/castway/run/s")
        #expect(below.string("path") == "/etc/castway/state")
        let here = self.load("gateway.yaml", ["gateway.yaml": text])
        #expect(here.strings("paths") == ["a", "./b", "../c", "/d"])
        #expect(here.string("address") == "unix:run/s")
        #expect(here.string("path") == "./state")
    }

    @Test func addressesThatNameNoFileStay() {
        let root = self.load("/etc/g.yaml", ["/etc/g.yaml": "address: 127.0.0.1:9095"])
        #expect(root.string("address") == "127.0.0.1:9095")
    }

    @Test func thoseOfAnIncludedFileStartAtItsFolder() {
        let root = self.load(
            "/etc/g.yaml",
            ["/etc/g.yaml": "include: [conf.d/*.yaml]\npaths: [a]", "/etc/conf.d/x.yaml": "nested: {}\npath: b"])
        #expect(root.strings("paths") == ["/etc/a"])
        #expect(root.string("path") == "/etc/conf.d/b")
        // A default is of no file, so it starts where everything starts.
        #expect(root.section("nested").string("path") == "/etc/inner")
    }

    @Test func whatAVariableGivesIsNoDifferent() {
        let files = ["/etc/g.yaml": "path: ${DIR:-./state}\npaths: [\"${DIR:-x}/y\"]"]
        let unset = self.load("/etc/g.yaml", files)
        #expect(unset.string("path") == "/etc/state" && unset.strings("paths") == ["/etc/x/y"])
        let relative = self.load("/etc/g.yaml", files, environment: ["DIR": "elsewhere"])
        #expect(relative.string("path") == "/etc/elsewhere")
        let absolute = self.load("/etc/g.yaml", files, environment: ["DIR": "/var/lib/castway"])
        #expect(absolute.string("path") == "/var/lib/castway" && absolute.strings("paths") == ["/var/lib/castway/y"])
    }

    @Test func secretsAreReadWhereTheirFileSays() {
        let files = ["/etc/g.yaml": "password_file: keys/p", "/etc/keys/p": "hunter2"]
        #expect(self.load("/etc/g.yaml", files).secret("password").reveal() == "hunter2")
    }

    @Test func othersPathsStay() {
        let root = self.load("/etc/g.yaml", ["/etc/g.yaml": "path: a"], resolvesPaths: false)
        #expect(root.string("path") == "a")
    }

    /// Printed and saved beside the first one, the configuration means the same places.
    @Test func belowTheWorkingDirectoryPrintedPathsAreWhole() {
        var files = ConfigFileSystem.memory(["conf/g.yaml": "path: a"])
        files.workingDirectory = { "/home/user" }
        let document = ConfigDocument.load(
            path: "conf/g.yaml", schema: Self.schema, fileSystem: files, environment: [:])
        #expect(document.effectiveText(origins: false).contains("path: /home/user/conf/a\n"))
    }
}
