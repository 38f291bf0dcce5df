import GatewayConfig
import GatewaySettings

/// Whatever stands in `gateway.yaml`, it gives a configuration or problems with their places.
///
/// The input: files, a byte 0x1E between them. The first is `gateway.yaml`, the others are there to be included.
package enum YAMLTarget: FuzzTarget {
    /// `yaml`
    package static let name = "yaml"

    private static let names = ["gateway.yaml", "conf.d/1.yaml", "conf.d/2.yaml", "other.yaml"]

    /// Loads the files.
    package static func run(_ input: [UInt8]) throws {
        let parts = input.split(separator: 0x1E, maxSplits: Self.names.count - 1, omittingEmptySubsequences: false)
        let files = Dictionary(zip(Self.names, parts.map(Array.init))) { first, _ in first }
        let patterns = ConfigFileSystem.memory(files.mapValues { _ in "" })
        let fileSystem = ConfigFileSystem(
            read: { (path, limit) throws(ConfigFileError) in
                guard let bytes = files[path] else { throw .notFound }
                guard bytes.count <= limit else { throw .tooLarge }
                return bytes
            },
            find: { folder, pattern in patterns.find(folder, pattern).sorted() }, permissions: patterns.permissions)
        let result = GatewayConfiguration.load(
            path: Self.names[0], fileSystem: fileSystem, environment: ["PORT": "8009", "NAME": "hall"])
        let report = result.report
        try Violation.unless(
            (result.configuration == nil) == report.hasErrors,
            "a configuration \(result.configuration == nil ? "is refused without" : "stands in spite of") errors")
        for problem in report.problems { try Self.check(problem, files) }
        try Violation.unless(report.isEmpty || !report.text().isEmpty, "problems, but no text")
        _ = result.document.effectiveText(origins: true)
    }

    private static func check(_ problem: ConfigProblem, _ files: [String: [UInt8]]) throws {
        let location = problem.location
        guard let bytes = files[location.file] else { throw Violation("\(problem) is in no file") }
        // CR LF is one line break, and so are NEL, LS and PS for YAML; a file has at most this many lines.
        let lines = 2 + bytes.count
        try Violation.unless(
            (0...lines).contains(location.line) && location.column >= (location.line == 0 ? 0 : 1)
                && (location.endLine, location.endColumn) >= (location.line, location.column),
            "\(problem) has no place in a file of \(bytes.count) bytes")
        try Violation.unless(!problem.message.isEmpty, "\(problem) says nothing")
    }
}
