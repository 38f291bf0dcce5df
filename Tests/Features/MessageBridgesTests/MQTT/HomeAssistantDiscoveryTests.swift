import CastWire
import GatewayConfig
import Testing

@testable import MessageBridges

/// The announcements beside what Home Assistant takes.
@Suite struct HomeAssistantDiscoveryTests {
    /// The keys of `homeassistant/components/mqtt` 2026.2.3: `schemas.py`, `config.py` and the file of each platform, with the
    /// abbreviations of `abbreviations.py`, of those that Castway writes or could.
    private enum Known {
        static let payload: Set<String> = [
            "device", "dev", "origin", "o", "components", "cmps", "availability", "avty", "availability_mode",
            "avty_mode",
            "availability_template", "availability_topic", "payload_available", "payload_not_available", "state_topic",
            "command_topic", "qos", "encoding",
        ]
        static let device: Set<String> = [
            "identifiers", "ids", "connections", "cns", "manufacturer", "mf", "model", "mdl", "model_id", "mdl_id",
            "name",
            "hw_version", "hw", "serial_number", "sn", "sw_version", "sw", "via_device", "suggested_area", "sa",
            "configuration_url", "cu",
        ]
        static let origin: Set<String> = ["name", "sw_version", "sw", "support_url", "url"]
        static let entity: Set<String> = [
            "platform", "p", "unique_id", "uniq_id", "name", "icon", "ic", "entity_category", "ent_cat",
            "enabled_by_default",
            "json_attributes_topic", "json_attributes_template", "qos", "encoding", "entity_picture",
            "default_entity_id",
        ]
        static let readOnly: Set<String> = ["state_topic", "stat_t", "value_template", "val_tpl"]
        static let readWrite: Set<String> = [
            "command_topic", "cmd_t", "optimistic", "opt", "retain", "ret", "state_topic", "stat_t",
        ]
        static let platforms: [String: Set<String>] = [
            "sensor": readOnly.union(["device_class", "options", "unit_of_measurement", "state_class", "expire_after"]),
            "binary_sensor": readOnly.union(["device_class", "payload_on", "payload_off", "off_delay", "expire_after"]),
            "number": readWrite.union([
                "command_template", "device_class", "min", "max", "mode", "payload_reset", "step",
                "unit_of_measurement",
                "value_template",
            ]),
            "switch": readWrite.union([
                "command_template", "payload_off", "payload_on", "state_off", "state_on", "value_template",
                "device_class",
            ]),
            "button": ["command_template", "command_topic", "device_class", "payload_press", "retain"],
            "select": readWrite.union(["command_template", "options", "value_template"]),
            "event": readOnly.union(["device_class", "event_types"]),
            "notify": ["command_template", "command_topic", "retain"],
        ]
        static let required: [String: Set<String>] = [
            "sensor": ["state_topic"], "binary_sensor": ["state_topic"], "number": ["command_topic"],
            "switch": ["command_topic"], "button": ["command_topic"], "select": ["command_topic", "options"],
            "event": ["state_topic", "event_types"], "notify": ["command_topic"],
        ]
    }

    private let discovery = HomeAssistantDiscovery(
        HomeAssistantConfiguration { $0.apps = ["Player \"1\"": "CC1AD845", "Other": "233637DE"] }, gateway: "gw1",
        name: "Castway", version: "1.2.3", topics: MQTTTopics(prefix: "castway", gateway: "gw1"))

    private func announcement(of device: String) throws -> JSONObject {
        var book = MQTTDeviceTable()
        book.receive(["type": "virtual_device.added", "device": .string(device)])
        return self.discovery.announcement(of: device, try #require(book.documents(of: device)))
    }

    private func names(_ object: JSONObject?) -> Set<String> { Set((object ?? [:]).members.map(\.name)) }

    @Test func homeAssistantKnowsEveryKey() throws {
        for payload in [try self.announcement(of: "hall/1"), self.discovery.gatewayAnnouncement] {
            #expect(self.names(payload).isSubset(of: Known.payload))
            #expect(self.names(payload.object("device")).isSubset(of: Known.device))
            #expect(self.names(payload.object("origin")).isSubset(of: Known.origin))
            #expect(payload.object("origin")?.string("name") != nil)
            #expect(payload.object("device")?.array("identifiers")?.count == 1)
            var ids: Set<String> = []
            let components = try #require(payload.object("components"))
            for (key, value) in components.members {
                let component = try #require(value.objectValue)
                let platform = try #require(component.string("platform"))
                let known = try #require(Known.platforms[platform], "\(platform)")
                #expect(self.names(component).isSubset(of: Known.entity.union(known)), "\(key)")
                #expect(try #require(Known.required[platform]).isSubset(of: self.names(component)), "\(key)")
                #expect(ids.insert(try #require(component.string("unique_id"))).inserted)
            }
        }
    }

    @Test func aDeviceIsThereWhenItAndTheGatewayAre() throws {
        let payload = try self.announcement(of: "hall/1")
        let topics = payload.array("availability")?.compactMap { $0.objectValue?.string("topic") }
        #expect(topics == ["castway/gw1/bridge/state", "castway/gw1/device/hall%2F1/availability"])
        #expect(payload.string("availability_mode") == "all")
        let components = try #require(payload.object("components"))
        #expect(
            self.names(components) == [
                "player", "title", "artist", "app", "volume", "mute", "play", "pause", "stop", "next", "prev", "cast",
                "message", "launch",
            ])
        #expect(
            components.object("launch")?.string("command_template")
                == #"{{ {"Other":"233637DE","Player \"1\"":"CC1AD845"}[value] }}"#)
    }

    @Test(arguments: [
        ("hall", "castway_gw1_hall"), ("a/b", "castway_gw1_a_2fb"), ("a_2fb", "castway_gw1_a_5f2fb"),
        ("ö", "castway_gw1__c3_b6"),
    ])
    func idsAreOfFewCharactersAndOfOneDeviceEach(device: String, id: String) {
        #expect(self.discovery.id(of: device) == id)
    }
}
