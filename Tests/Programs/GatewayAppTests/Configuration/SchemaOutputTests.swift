import Foundation
import GatewayConfig
import GatewaySettings
import Testing

/// The JSON Schema and the reference are made from the same schema that checks.
struct SchemaOutputTests {
    @Test func jsonSchemaIsJSONAndClosed() throws {
        let text = GatewayConfiguration.jsonSchema()
        #expect(text == GatewayConfiguration.jsonSchema())
        let schema = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(schema["$schema"] as? String == "http://json-schema.org/draft-07/schema#")
        #expect(schema["required"] as? [String] == ["version"])
        self.expectClosed(schema, path: "")
    }

    private func expectClosed(_ schema: [String: Any], path: String) {
        if let properties = schema["properties"] as? [String: Any] {
            // A mapping that takes other keys, too, says which.
            #expect(
                schema["additionalProperties"] as? Bool == false || schema["propertyNames"] is [String: Any], "\(path)")
            #expect((schema["patternProperties"] as? [String: Any])?.keys.contains("^x-") == true, "\(path)")
            for (name, value) in properties {
                let property = value as? [String: Any] ?? [:]
                #expect(property["description"] is String, "\(path).\(name)")
                self.expectClosed(property, path: "\(path).\(name)")
            }
        }
        for key in ["items", "additionalProperties"] {
            if let inner = schema[key] as? [String: Any] { self.expectClosed(inner, path: "\(path).\(key)") }
        }
        for inner in schema["anyOf"] as? [[String: Any]] ?? [] { self.expectClosed(inner, path: path) }
    }

    @Test func jsonSchemaCarriesDefaultsEnumsAndPatterns() throws {
        let text = GatewayConfiguration.jsonSchema()
        let schema = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        let root = try #require(schema?["properties"] as? [String: Any])
        let log = try #require((root["log"] as? [String: Any])?["properties"] as? [String: Any])
        let level = try #require(log["level"] as? [String: Any])
        #expect(level["default"] as? String == "info")
        let words = (level["anyOf"] as? [[String: Any]])?.first?["enum"] as? [String]
        #expect(words == ["trace", "debug", "info", "notice", "warning", "error", "off"])
        let redact = try #require(log["redact"] as? [String: Any])
        #expect(redact["default"] as? [String] == ["credentials", "customData.token"])
        let shutdown = try #require((root["shutdown"] as? [String: Any])?["properties"] as? [String: Any])
        let drain = try #require(shutdown["drain"] as? [String: Any])
        #expect((drain["anyOf"] as? [[String: Any]])?.first?["pattern"] as? String == "^[0-9]+(ms|s|m|h|d)$")
    }

    @Test func referenceHasATableForEveryMapping() {
        let text = GatewayConfiguration.referenceMarkdown()
        #expect(text == GatewayConfiguration.referenceMarkdown())
        for heading in [
            "## Top level", "## `gateway`", "## `log`", "## `identity`", "## `shutdown`", "## `discovery`",
            "## `discovery.static[]`", "## `connections`", "## `connections.heartbeat`", "## `connections.reconnect`",
            "## `connections.senders`", "## `connections.senders.heartbeat`", "## `sessions`", "## `launch`",
            "## `launch.credentials.APP`", "## `virtual_devices[]`", "## `virtual_devices[].target`",
            "## `virtual_devices[].senders`", "## `virtual_devices[].apps.APP`",
            "## `virtual_devices[].apps.APP.options`", "## `virtual_devices[].apps.APP.options.failures[]`",
            "## `virtual_devices[].volume`", "## `virtual_devices[].setup`", "## `routing`", "## `routing.rules[]`",
            "## `routing.rules[].when`", "## `routing.deadlines`", "## `channels[]`", "## Problems",
        ] {
            #expect(text.contains("\n\(heading)\n"), "\(heading)")
        }
        #expect(
            text.contains("| `idle_timeout` | duration | `5m` | How long after its last sender left an app is closed"))
        #expect(text.contains("| `credentials` or `credentials_file` | secret | required |"))
    }

    @Test func everyExampleAndDefaultIsAcceptedByTheValidator() throws {
        // Examples of one mapping are written as a block in the reference; each block must read back without a problem.
        let blocks = GatewayConfiguration.referenceMarkdown().components(separatedBy: "```yaml\n").dropFirst()
            .compactMap { $0.components(separatedBy: "\n```").first }
        let device = try #require(blocks.first { $0.contains("friendly_name:") && $0.contains("target:") })
        let files = [
            "g": "version: 1\ndiscovery: {static: [{name: meeting-room, address: 192.0.2.40}]}\nvirtual_devices:\n- "
                + device.replacingOccurrences(of: "\n", with: "\n  ")
        ]
        let result = GatewayConfiguration.load(path: "g", fileSystem: .memory(files), environment: [:])
        #expect(result.report.text() == "")
    }
}
