import GatewayConfig
import GatewaySettings
import Testing

/// Whatever part of a file is there, reading it ends with a report and never with a trap.
struct TruncationTests {
    @Test(.timeLimit(.minutes(2)))
    func everyPrefixIsRead() throws {
        let text = Array(try ConfigFixtures.text("GoodConfigs", "full.yaml").utf8)
        var refused = 0
        for length in 0..<text.count {
            let bytes = Array(text[..<length])
            let fileSystem = ConfigFileSystem(
                read: { (path, _) throws(ConfigFileError) in
                    guard path == "gateway.yaml" else { throw .notFound }
                    return bytes
                },
                find: { _, _ in [] },
                permissions: { _ in nil }
            )
            let result = GatewayConfiguration.load(
                path: "gateway.yaml",
                fileSystem: fileSystem,
                environment: ConfigFixtures.environment
            )
            #expect((result.configuration == nil) == result.report.hasErrors)
            if result.report.hasErrors { refused += 1 }
            _ = result.report.text()
            _ = result.document.effectiveText(origins: true)
        }
        #expect(refused > text.count / 2)
    }

    @Test(.timeLimit(.minutes(2)))
    func everySingleByteChangeIsRead() throws {
        let text = Array(try ConfigFixtures.text("GoodConfigs", "full.yaml").utf8)
        let replacements = Array("\t:{}[]&*!|>'\"%@#-?,$\n\u{0}\u{7F}".utf8) + [0xFF, 0xC3]
        for position in stride(from: 0, to: text.count, by: 3) {
            var bytes = text
            bytes[position] = replacements[position / 3 % replacements.count]
            let changed = bytes
            let fileSystem = ConfigFileSystem(
                read: { (_, _) throws(ConfigFileError) in changed },
                find: { _, _ in [] },
                permissions: { _ in nil }
            )
            let result = GatewayConfiguration.load(path: "g", fileSystem: fileSystem, environment: [:])
            #expect((result.configuration == nil) == result.report.hasErrors)
            _ = result.report.text()
        }
    }
}
