import FeatureContract
import Foundation
import GatewayConfig
import GatewaySettings
import NamespaceHandlers
import Testing
import VirtualDevices

/// What `gateway.yaml` says in short: defaults, `for_each`, groups, addresses as targets.
struct ShorthandTests {
    private func load(_ text: String) throws -> (GatewayConfiguration, ConfigDocument) {
        let result = GatewayConfiguration.load(path: "g", fileSystem: .memory(["g": text]), environment: [:])
        #expect(result.report.text() == "")
        return (try #require(result.configuration), result.document)
    }

    private static let rooms = """
        version: 1
        discovery:
          mdns: {enabled: false}
          static:
            - {for_each: {range: 1-2}, name: "tv-{item}", address: "192.0.2.{item+40}"}
        virtual_device_defaults:
          model: Screen
          senders: {allow: [10.0.0.0/8]}
          setup: {http: "0.0.0.0:0"}
        virtual_devices:
          - for_each: [{n: 1, floor: up}, {n: 2, floor: down}]
            name: room-{n}
            friendly_name: Room {n}, {floor}
            listen: 0.0.0.0:{n+8100}
            target: {device: "tv-{n}"}
          - {name: hall, listen: "0.0.0.0:8009", target: {address: "192.0.2.41"}, model: Ultra}
          - {name: foyer, listen: "0.0.0.0:8010", target: {address: "TV.example:8010"}}
          - {name: cellar, listen: "0.0.0.0:8011", target: {address: "tv.example:8010"}}
        groups:
          rooms: ["room-*"]
          ground: [hall, foyer]
        routing:
          rules:
            - {name: one, when: {device: [rooms, hall], type: LOAD}, action: reject}
            - {name: two, when: {not_device: ground, type: STOP}, action: drop}

        """

    @Test func everythingIsWrittenOut() throws {
        let (configuration, _) = try self.load(Self.rooms)
        let devices = configuration.virtualDevices
        #expect(devices.map(\.name) == ["room-1", "room-2", "hall", "foyer", "cellar"])
        #expect(devices.map(\.friendlyName).prefix(2) == ["Room 1, up", "Room 2, down"])
        #expect(devices.map(\.listen.port) == [8101, 8102, 8009, 8010, 8011])
        #expect(devices.map(\.model) == ["Screen", "Screen", "Ultra", "Screen", "Screen"])
        #expect(devices.allSatisfy { $0.allowedSenders.count == 1 && $0.setup.http?.port == 0 })
        let rules = configuration.routing.rules.map(\.condition)
        #expect(rules[0].device == ["room-*", "hall"])
        #expect(rules[1].notDevice == ["hall", "foyer"])
    }

    /// Two targets with one address are one device, which is that of `discovery.static` where that has it.
    @Test func anAddressIsADevice() throws {
        let (configuration, _) = try self.load(Self.rooms)
        #expect(configuration.discovery.staticDevices.map(\.name) == ["tv-1", "tv-2", "tv.example:8010"])
        #expect(
            configuration.virtualDevices.map(\.target) == [
                .device("tv-1"), .device("tv-2"), .device("tv-1"), .device("tv.example:8010"),
                .device("tv.example:8010"),
            ])
    }

    @Test func whatIsPrintedReadsBack() throws {
        let (configuration, document) = try self.load(Self.rooms)
        for origins in [false, true] {
            let (again, _) = try self.load(document.effectiveText(origins: origins))
            #expect(again == configuration)
        }
        let lines = document.effectiveText(origins: true).split(separator: "\n").map { $0.drop { " -".contains($0) } }
        for line in [
            "model: Screen  # g:7", "name: room-2  # g:12, item in line 11", "model: Ultra  # g:16",
            "allow: [10.0.0.0/8]  # g:8",
        ] {
            #expect(lines.contains { $0 == line }, "\(line)")
        }
        #expect(!document.effectiveText(origins: false).contains("for_each"))
    }

    @Test func anotherItemIsAnotherDeviceAlone() throws {
        let (before, _) = try self.load(Self.rooms)
        let more = Self.rooms.replacing("{n: 2, floor: down}]", with: "{n: 2, floor: down}, {n: 3, floor: up}]")
            .replacing("range: 1-2", with: "range: 1-3")
        let (after, _) = try self.load(more)
        #expect(
            ReloadPlan(from: before, to: after).changes.map(\.description) == [
                "discovery.static.tv-3 (device, added)", "virtual_devices.room-3 (listener, added)",
            ])
        // The order of the items says nothing.
        let other = Self.rooms.replacing(
            "[{n: 1, floor: up}, {n: 2, floor: down}]", with: "[{n: 2, floor: down}, {n: 1, floor: up}]")
        #expect(ReloadPlan(from: before, to: try self.load(other).0).changes.isEmpty)
        let model = Self.rooms.replacing("model: Screen", with: "model: Display")
        #expect(
            ReloadPlan(from: before, to: try self.load(model).0).changes.map(\.path) == [
                "virtual_devices.room-1.model", "virtual_devices.room-2.model", "virtual_devices.foyer.model",
                "virtual_devices.cellar.model",
            ])
        let group = Self.rooms.replacing("ground: [hall, foyer]", with: "ground: [hall]")
        #expect(ReloadPlan(from: before, to: try self.load(group).0).changes.map(\.path) == ["routing.rules"])
    }

    @Test func theSchemaForEditorsAllowsWhatTheReaderDoes() throws {
        let text = GatewayConfiguration.jsonSchema()
        let schema = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let root = try #require(schema["properties"] as? [String: [String: Any]])
        let device = try #require(root["virtual_devices"]?["items"] as? [String: Any])
        #expect(device["required"] as? [String] == ["name"])
        #expect((device["properties"] as? [String: Any])?["for_each"] != nil)
        #expect("\(device)".contains("#/definitions/template") && !"\(device)".contains("#/definitions/reference"))
        let defaults = try #require(root["virtual_device_defaults"]?["properties"] as? [String: Any])
        #expect(defaults["target"] != nil && defaults["name"] == nil && defaults["friendly_name"] == nil)
        let included = GatewayConfiguration.jsonSchema(included: true)
        let part = try JSONSerialization.jsonObject(with: Data(included.utf8)) as? [String: Any]
        #expect(part?["required"] == nil)
        #expect((part?["properties"] as? [String: Any])?.keys.sorted() == root.keys.sorted())
    }
}
