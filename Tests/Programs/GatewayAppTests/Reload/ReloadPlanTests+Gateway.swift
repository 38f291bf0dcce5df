/// The log, and preferences for media.
extension ReloadPlanTests {
    private static func style(_ name: String, _ value: String) -> Sample {
        self.top("media.text_style.\(name)", "", "media: {text_style: {\(name): \(value)}}", "media.text_style")
    }

    private static func check(_ name: String, _ before: String, _ after: String) -> Sample {
        func file(_ text: String) -> String { "\(self.backends)\nlaunch: {checks: [{\(text)}]}" }
        return self.top("launch.checks[].\(name)", file(before), file(after), "launch.checks")
    }

    private static func category(_ name: String, _ text: String) -> Sample {
        self.top(
            "launch.categories[].\(name)", "launch: {categories: [{category: cast}]}",
            "launch: {categories: [{category: cast, \(text)}]}", "launch.categories.cast.\(name)")
    }

    private static func policy(_ name: String, _ text: String) -> Sample {
        self.top("errors.\(name)", "", "errors: {\(text)}")
    }

    /// Two speakers, and a group.
    private static func group(_ members: String) -> String {
        """
        version: 1
        virtual_devices:
          - {name: hall, target: local, listen: "127.0.0.1:8011"}
          - {name: attic, target: local, listen: "127.0.0.1:8012"}
          - {name: house, target: local, listen: "127.0.0.1:8013", group: {members: [\(members)]}}
        """
    }

    static let gatewaySamples = platformSamples + passthroughSamples

    /// A device that stands for another, on which senders may mirror.
    private static func mirroring(_ name: String, _ text: String) -> Sample {
        func file(_ text: String) -> String {
            """
            version: 1
            discovery: {static: [{name: tv, address: 192.0.2.2}]}
            virtual_devices:
              - {name: hall, target: {device: tv}, listen: "127.0.0.1:8011"\(text)}
            """
        }
        return Sample(
            path: "virtual_devices[].mirroring.\(name)", before: file(""), after: file(", mirroring: {\(text)}"),
            planKey: "virtual_devices.hall.mirroring")
    }

    private static let platformSamples: [Sample] = [
        mirroring("udp", "udp: off"), mirroring("ports", "ports: 40000-40100"),
        Sample(
            path: "virtual_devices[].group.members", before: group("hall"), after: group("hall, attic"),
            planKey: "virtual_devices.house.group"),
        top("media.check.allow_private", "", "media: {check: {allow_private: true}}"),
        policy("launch.attempts", "launch: {attempts: 3}"), policy("launch.pause", "launch: {pause: 1s}"),
        policy("launch.codes", "launch: {codes: [timeout]}"), policy("load.attempts", "load: {attempts: 3}"),
        policy("load.pause", "load: {pause: 1s}"), policy("load.codes", "load: {codes: [timeout]}"),
        policy("after_failed_load", "after_failed_load: end"),
        check("webhook", "webhook: a", "webhook: b"), check("apps", "webhook: a", "webhook: a, apps: [CC1AD845]"),
        check("devices", "webhook: a", "webhook: a, devices: lobby"),
        check("deadline", "webhook: a", "webhook: a, deadline: 2s"),
        check("on_failure", "webhook: a", "webhook: a, on_failure: open"),
        check("credentials", "webhook: a", "webhook: a, credentials: true"),
        top(
            "launch.categories[].category", "", "launch: {categories: [{category: cast}]}", "launch.categories.cast"),
        category("android_receiver_compatible", "android_receiver_compatible: true"),
        category("language", "language: de"), category("relaunch_if_running", "relaunch_if_running: true"),
        category("sender_name", "sender_name: Lobby"),
        top("log.level", "", "log: {level: debug}"), top("log.format", "", "log: {format: json}"),
        top("log.levels", "", "log: {levels: {\"*\": debug}}"), top("log.payloads", "", "log: {payloads: true}"),
        top("log.origin", "", "log: {origin: location}"),
        top("log.functions", "", "log: {functions: {run: debug}}"),
        top("log.patterns[].regex", "log: {patterns: [{regex: a}]}", "log: {patterns: [{regex: b}]}", "log.patterns"),
        top(
            "log.patterns[].ignore_case", "log: {patterns: [{regex: a}]}",
            "log: {patterns: [{regex: a, ignore_case: true}]}", "log.patterns"),
        top(
            "log.patterns[].exclude", "log: {patterns: [{regex: a}]}", "log: {patterns: [{regex: a, exclude: true}]}",
            "log.patterns"),
        top("log.sinks[].console", "", "log: {sinks: [{console: false}]}", "log.sinks"),
        top("log.sinks[].events", "", "log: {sinks: [{events: true}]}", "log.sinks"),
        top(
            "log.sinks[].level", "log: {sinks: [{events: true}]}", "log: {sinks: [{events: true, level: info}]}",
            "log.sinks"),
        top(
            "log.sinks[].format", "log: {sinks: [{console: true}]}", "log: {sinks: [{console: true, format: text}]}",
            "log.sinks"),
        top(
            "log.sinks[].origin", "log: {sinks: [{events: true}]}",
            "log: {sinks: [{events: true, origin: location}]}", "log.sinks"),
        top(
            "log.sinks[].file.path", "log: {sinks: [{file: {path: /tmp/a.log}}]}",
            "log: {sinks: [{file: {path: /tmp/b.log}}]}", "log.sinks"),
        top(
            "log.sinks[].file.max_size", "log: {sinks: [{file: {path: /tmp/a.log}}]}",
            "log: {sinks: [{file: {path: /tmp/a.log, max_size: 1MiB}}]}", "log.sinks"),
        top(
            "log.sinks[].file.max_count", "log: {sinks: [{file: {path: /tmp/a.log}}]}",
            "log: {sinks: [{file: {path: /tmp/a.log, max_count: 3}}]}", "log.sinks"),
        top("log.redact", "", "log: {redact: []}"), top("admin.listen", "", "admin: {listen: off}"),
        top("media.preload_time", "", "media: {preload_time: 20s}"),
        style("font_scale", "1.5"),
        style("foreground_color", "\"#FFFFFFFF\""),
        style("background_color", "\"#FFFFFFFF\""),
        style("edge_type", "outline"),
        style("edge_color", "\"#FFFFFFFF\""),
        style("font_family", "Sans"),
        style("font_generic_family", "serif"),
        style("font_style", "bold"),
        style("window_type", "normal"),
        style("window_color", "\"#FFFFFFFF\""),
        style("window_corner_radius", "3"),
        style("custom_data", "{a: 1}"),
    ]
}
