import CastWire

/// The announcements to Home Assistant of the gateway and its devices: device discovery, one payload for each (Home Assistant 2024.11
/// and later; the keys are those of `homeassistant/components/mqtt` 2026.2).
///
/// Home Assistant has no media player over MQTT, so that a device is a set of sensors, buttons and the like. Its own Cast integration
/// gets a media player from a virtual device.
struct HomeAssistantDiscovery: Sendable {
    private let prefix: String
    private let gateway: String
    private let name: String
    private let version: String
    private let apps: [(name: String, id: String)]
    private let topics: MQTTTopics

    /// - Parameters:
    ///   - gateway: `gateway.id`.
    ///   - name: `gateway.name`.
    ///   - version: of Castway.
    init(
        _ configuration: HomeAssistantConfiguration, gateway: String, name: String, version: String, topics: MQTTTopics
    ) {
        self.prefix = configuration.prefix
        self.gateway = gateway
        self.name = name
        self.version = version
        self.apps = configuration.apps.map { ($0.key, $0.value) }.sorted { $0.name < $1.name }
        self.topics = topics
    }

    /// The topic where Home Assistant says that it has started.
    var statusTopic: String { "\(self.prefix)/status" }

    /// The prefix of all announcements.
    var root: String { "\(self.prefix)/device/" }

    /// The topic of the gateway's announcement.
    var gatewayTopic: String { "\(self.root)\(self.gatewayID)/config" }

    /// The topic of a device's announcement.
    func topic(of device: String) -> String { "\(self.root)\(self.id(of: device))/config" }

    private var gatewayID: String { "castway_\(self.gateway)" }

    /// The id of a device, of the characters that Home Assistant takes in topics; each name has one of its own.
    func id(of device: String) -> String {
        var id = self.gatewayID + "_"
        for byte in device.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"):
                id.unicodeScalars.append(Unicode.Scalar(byte))
            default: id += "_" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
        return id
    }

    /// The announcement of the gateway itself: whether it is there. Devices are connected `via` it.
    var gatewayAnnouncement: JSONObject {
        [
            "device": [
                "identifiers": [.string(self.gatewayID)], "name": .string(self.name), "manufacturer": "Castway",
                "model": "Cast gateway", "sw_version": .string(self.version),
            ],
            "origin": self.origin,
            "components": [
                "online": [
                    "platform": "binary_sensor", "unique_id": .string("\(self.gatewayID)_online"), "name": "Connection",
                    "device_class": "connectivity", "entity_category": "diagnostic",
                    "state_topic": .string(self.topics.bridgeState), "payload_on": "online", "payload_off": "offline",
                ]
            ],
            "qos": 1,
        ]
    }

    private var origin: JSONValue {
        ["name": "Castway", "sw_version": .string(self.version)]
    }

    /// The announcement of a device.
    func announcement(of device: String, _ documents: MQTTDeviceTable.Documents) -> JSONObject {
        let id = self.id(of: device)
        var about: JSONObject = [
            "identifiers": [.string(id)], "name": .string(documents.friendlyName),
            "via_device": .string(self.gatewayID),
        ]
        if let model = documents.model { about["model"] = .string(model) }
        return [
            "device": .object(about), "origin": self.origin,
            "availability": [
                ["topic": .string(self.topics.bridgeState)],
                ["topic": .string(self.topics.device(device, .availability))],
            ],
            "availability_mode": "all", "components": .object(self.components(of: device, id)), "qos": 1,
        ]
    }

    private func components(of device: String, _ id: String) -> JSONObject {
        let state = JSONValue.string(self.topics.device(device, .state))
        let media = JSONValue.string(self.topics.device(device, .media))
        var components: JSONObject = [:]
        func add(_ key: String, _ platform: String, _ name: String, _ members: JSONObject) {
            var component: JSONObject = [
                "platform": .string(platform), "unique_id": .string("\(id)_\(key)"), "name": .string(name),
            ]
            for member in members.members { component[member.name] = member.value }
            components[key] = .object(component)
        }
        add(
            "player", "sensor", "Player",
            [
                "device_class": "enum", "options": ["idle", "loading", "buffering", "playing", "paused"],
                "state_topic": media, "value_template": "{{ value_json.state }}",
                "icon": "mdi:cast-variant", "json_attributes_topic": media,
            ])
        for (key, name) in [("title", "Title"), ("artist", "Artist")] {
            add(
                key, "sensor", name,
                [
                    "state_topic": media,
                    "value_template": .string("{{ (value_json.\(key) | default('None', true))[:255] }}"),
                ])
        }
        add(
            "app", "sensor", "App",
            [
                "state_topic": state,
                "value_template":
                    "{{ (value_json.app.name | default(value_json.app.id, true))[:255] if value_json.app else 'None' }}",
            ])
        add(
            "volume", "number", "Volume",
            [
                "min": 0, "max": 100, "step": 1, "unit_of_measurement": "%", "icon": "mdi:volume-high",
                "state_topic": state,
                "value_template":
                    "{{ (value_json.volume * 100) | round(0) | int if value_json.volume is defined else 'None' }}",
                "command_topic": .string(self.topics.set(device: device)),
                "command_template": "{\"volume\": {{ value / 100 }} }",
            ])
        add(
            "mute", "switch", "Mute",
            [
                "icon": "mdi:volume-off", "state_topic": state,
                "value_template": "{{ 'true' if value_json.muted | default(false) else 'false' }}",
                "payload_on": "true", "payload_off": "false",
                "command_topic": .string(self.topics.verb("mute", device: device)),
            ])
        for (key, name, icon) in [
            ("play", "Play", "mdi:play"), ("pause", "Pause", "mdi:pause"), ("stop", "Stop", "mdi:stop"),
            ("next", "Next", "mdi:skip-next"), ("prev", "Previous", "mdi:skip-previous"),
        ] {
            add(
                key, "button", name,
                ["icon": .string(icon), "command_topic": .string(self.topics.verb(key, device: device))])
        }
        // A message entity sends its text: the address of a medium.
        add(
            "cast", "notify", "Cast",
            ["icon": "mdi:cast", "command_topic": .string(self.topics.verb("load", device: device))])
        add(
            "message", "event", "Message",
            [
                "event_types": ["message"],
                "state_topic": .string(self.topics.receivedFilter(device: device)),
                "value_template": "{{ {'event_type': 'message', 'message': value} | tojson }}",
            ])
        self.addApps(of: device, state, add)
        return components
    }

    private func addApps(of device: String, _ state: JSONValue, _ add: (String, String, String, JSONObject) -> Void) {
        guard !self.apps.isEmpty else { return }
        let ids = JSONObject(self.apps.map { ($0.name, .string($0.id)) })
        let names = JSONObject(self.apps.map { ($0.id, .string($0.name)) })
        add(
            "launch", "select", "Launch",
            [
                "options": .array(self.apps.map { .string($0.name) }), "state_topic": state,
                "value_template": .string(
                    "{{ \(JSONValue.object(names).text).get((value_json.app or {}).get('id'), 'None') }}"),
                "command_topic": .string(self.topics.verb("launch", device: device)),
                "command_template": .string("{{ \(JSONValue.object(ids).text)[value] }}"),
            ])
    }
}
