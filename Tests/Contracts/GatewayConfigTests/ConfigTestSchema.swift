import GatewayConfig

/// A schema with one key of every kind, and a short way to read text with it.
enum ConfigTestSchema {
    static let schema = ConfigSchema.object([
        ConfigField("text", .text(maximumBytes: 10), .optional, "A text"),
        ConfigField("name", .text(allowed: "a-z0-9-", length: 1...8), .optional, "A name"),
        ConfigField("word", .word("red", "green"), .defaultsTo("red"), "A word"),
        ConfigField("flag", .boolean, .defaultsTo("false"), "A flag"),
        ConfigField("count", .integer(-5...4096), .defaultsTo("7"), "A count"),
        ConfigField("ratio", .number(0...1), .defaultsTo("0.5"), "A ratio"),
        ConfigField("time", .duration(), .defaultsTo("5s"), "A time"),
        ConfigField("memory", .size(1024...1 << 40), .defaultsTo("64KiB"), "A size"),
        ConfigField("listen", .listenAddress, .optional, "Listens", example: "0.0.0.0:80"),
        ConfigField("dial", .dialAddress(defaultPort: 1883), .optional, "Dials"),
        ConfigField("ranges", .list(of: .addressRange), .defaultsTo("[]"), "Ranges"),
        ConfigField("namespace", .namespace, .optional, "A namespace"),
        ConfigField("pattern", .namespacePattern, .optional, "A pattern"),
        ConfigField("app", .appID, .optional, "An app"),
        ConfigField("glob", .glob, .optional, "A glob"),
        ConfigField("path", .path, .optional, "A path"),
        ConfigField("id", .uuid, .optional, "A UUID"),
        ConfigField("password", .secret, .optional, "A secret"),
        ConfigField("hidden", .map(key: .text(), value: .text(isSecret: true)), .defaultsTo("{}"), "Secrets by name"),
        ConfigField("config", .json, .optional, "Anything"),
        ConfigField("either", .oneOf(.word("auto"), .integer(0...9), .list(of: .text())), .optional, "One of three"),
        ConfigField("things", .list(of: Self.thing, uniqueKey: "name"), .defaultsTo("[]"), "Things"),
        ConfigField("map", .map(key: .glob, value: .integer(0...9)), .defaultsTo("{}"), "A map"),
        ConfigField("include", .list(of: .glob), .optional, "Includes"),
    ])

    static let thing = ConfigSchema.object([
        ConfigField("name", .text(), .required, "Its name", example: "one"),
        ConfigField("label", .text(), .sameAs("name"), "Its label"),
        ConfigField("value", .integer(0...9), .defaultsTo("1"), "Its value"),
    ])

    static func load(
        _ text: String,
        _ files: [String: String] = [:],
        permissions: [String: UInt32] = [:],
        environment: [String: String] = [:]
    ) -> ConfigDocument {
        ConfigDocument.load(
            path: "test.yaml",
            schema: self.schema,
            fileSystem: .memory(files.merging(["test.yaml": text]) { first, _ in first }, permissions: permissions),
            environment: environment
        )
    }

    /// The codes of the problems of a text, sorted by place.
    static func codes(
        _ text: String,
        _ files: [String: String] = [:],
        environment: [String: String] = [:]
    ) -> [ConfigProblem.Code] {
        self.load(text, files, environment: environment).report().problems.map(\.code)
    }
}
