import CastwayTestSupport
import Foundation
import GatewayConfig
import GatewayOperations
import Testing

@testable import MessageBridges

@Suite struct MQTTConfigurationTests {
    private func load(_ text: String) throws -> (configuration: MQTTConfiguration, report: String) {
        let folder = try TemporaryFolder()
        let file = try folder.write(text, to: "mqtt.yaml")
        let password = try folder.write("hunter2\n", to: "password")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: password)
        var document = ConfigDocument.load(path: file, schema: MQTTConfiguration.schema, environment: [:])
        MQTTConfiguration.checkAll(document.root, problems: &document.problems)
        return (MQTTConfiguration(reading: document.root), document.report().text())
    }

    @Test func everythingIsRead() throws {
        let (configuration, report) = try self.load(
            """
            url: mqtts://broker.example.com
            username: castway
            password_file: password
            prefix: sites/berlin
            protocol: 3.1.1
            scopes: [read, messages]
            devices: ["room-*"]
            home_assistant: {discovery: true, apps: {Player: CC1AD845}}
            principals: {lights: {scopes: [control], devices: [hall]}, panel: {language: fr}}
            language: de
            queue: {size: 1MiB, age: 1h}
            """)
        #expect(!report.contains("error"), "\(report)")
        #expect(configuration.address == MQTTAddress("mqtts://broker.example.com:8883"))
        #expect(configuration.password?.reveal() == "hunter2")
        #expect(configuration.version == .v311)
        #expect(configuration.homeAssistant.discovery && configuration.homeAssistant.prefix == "homeassistant")
        #expect(configuration.queue.size == 1 << 20 && configuration.queue.age == .seconds(3600))
        #expect(configuration.caller.name == "mqtt" && configuration.caller.scopes == [.read, .messages])
        #expect(configuration.caller.mayUse(device: "room-1") && !configuration.caller.mayUse(device: "hall"))
        let lights = try #require(configuration.caller(principal: "lights"))
        #expect(lights.name == "mqtt:lights" && lights.scopes == [.control] && !lights.mayUse(device: "room-1"))
        #expect(configuration.caller(principal: "others") == nil)
        #expect(configuration.language(principal: nil) == .german)
        #expect(configuration.language(principal: "panel") == .french)
        #expect(configuration.language(principal: "lights") == .german)
    }

    @Test func theDefaultsMayReadAndControlOnly() throws {
        let (configuration, report) = try self.load("url: mqtt://[fd00::1]:1884")
        #expect(report.isEmpty)
        #expect(configuration.address?.host == "fd00::1" && configuration.address?.port == 1884)
        #expect(configuration.caller.scopes == [.read, .control] && configuration.version == .v5)
        #expect(!configuration.homeAssistant.discovery && configuration.events.isEmpty)
        #expect(configuration.language(principal: nil) == nil)
    }

    @Test(arguments: [
        ("url: http://broker", "must be mqtt://"), ("url: mqtt://", "must be mqtt://"),
        ("url: mqtt://h:0", "must be mqtt://"), ("url: mqtt://h:65536", "must be mqtt://"),
        ("url: mqtt://h:01", "must be mqtt://"), ("url: mqtt://h/path", "must be mqtt://"),
        ("url: mqtt://h\nchannel_topic: \"castway/{device}\"", "must begin with a level of its own"),
        ("url: mqtt://h\nprefix: a/b\nchannel_topic: \"a/{device}\"", "must begin with a level of its own"),
        ("url: mqtt://h\nchannel_topic: \"homeassistant/{device}\"", "must begin with a level of its own"),
        ("url: mqtt://h\nchannel_topic: \"{device}/x\"", "must begin with a level of its own"),
        ("url: mqtt://h\nchannel_topic: \"apps/{room}\"", "has the placeholder '{room}'"),
        ("url: mqtt://h\nchannel_topic: \"apps/#\"", "must be a topic"),
        ("url: mqtt://h\nresponse_topics: [\"#\"]", "must be topics whose first level is written out"),
        ("url: mqtt://h\nresponse_topics: [\"$SYS/x\"]", "must be topics"),
        ("url: mqtt://h\nresponse_topics: [\"a/#/b\"]", "must be topics"),
        ("url: mqtt://fd00::1", "must be mqtt://"), ("url: mqtt://h\nscopes: [admin]", "may not have 'admin'"),
        ("url: mqtt://h\nprincipals: {a: {scopes: [credentials]}}", "may not have 'credentials'"),
        ("url: mqtt://h\nca_file: ca.crt", "without TLS"),
        ("url: mqtts://h\ncertificate_file: a.crt", "private_key_file"),
        ("url: mqtt://h\npassword: abc", "without 'username'"), ("url: mqtt://h\nprefix: /castway", "must be a topic"),
        ("url: mqtt://h\nprefix: cast/+/way", "must be a topic"), ("url: mqtt://h\nprefix: $SYS/a", "must be a topic"),
        ("url: mqtt://h\nprefix: homeassistant", "are the same topic"),
        ("url: mqtt://h\nhome_assistant: {prefix: a//b}", "must be a topic"),
        ("url: mqtt://h\ndevices: [\"a?\"]", "only * stands"), ("url: mqtt://h\nkeep_alive: 1s", "keep_alive"),
        ("url: mqtt://h\nlanguage: it", "language"),
    ])
    func whatIsWrongIsSaid(text: String, message: String) throws {
        #expect(try self.load(text).report.contains(message))
    }

    @Test func aPasswordInTheAddressIsNotRepeated() throws {
        let report = try self.load("url: mqtt://me:hunter2@h").report
        #expect(report.contains("keys of their own") && !report.contains("hunter2"))
    }
}
