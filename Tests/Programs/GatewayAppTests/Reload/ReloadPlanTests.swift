import FeatureContract
import GatewayConfig
import GatewaySettings
import Testing

/// What a change of each key comes to.
@Suite struct ReloadPlanTests {
    /// Two files that differ in one key, and the key of the plan.
    struct Sample: Sendable, CustomTestStringConvertible {
        let path: String
        let before: String
        let after: String
        var planKey: String?
        /// How many keys of the plan differ by it.
        var changes = 1

        var testDescription: String { self.path }
    }

    /// A file around what a sample is about.
    private static func file(_ top: String = "", device: String = "", statics: String = "", target: String = "local")
        -> String
    {
        """
        version: 1
        \(top)
        discovery:
          static:
            - {name: tv, address: 192.0.2.1}
            - {name: wall, address: 192.0.2.2}
            \(statics)
        virtual_devices:
          - name: lobby
            target: \(target)
            \(device.contains("listen:") ? "" : "listen: 127.0.0.1:8009")
            \(device)
        """
    }

    static func top(_ path: String, _ before: String, _ after: String, _ key: String? = nil) -> Sample {
        Sample(path: path, before: self.file(before), after: self.file(after), planKey: key)
    }

    private static func device(_ name: String, _ before: String, _ after: String, _ key: String? = nil) -> Sample {
        Sample(
            path: "virtual_devices[].\(name)", before: self.file(device: before), after: self.file(device: after),
            planKey: "virtual_devices.lobby.\(key ?? name)")
    }

    private static func statics(_ name: String, _ before: String, _ after: String) -> Sample {
        Sample(
            path: "discovery.static[].\(name)", before: self.file(statics: before), after: self.file(statics: after),
            planKey: "discovery.static.new.\(name)")
    }

    private static func info(_ name: String, _ text: String) -> Sample {
        self.top(
            "launch.sender_info.\(name)", "launch: {sender_info: {}}", "launch: {sender_info: {\(text)}}",
            "launch.sender_info")
    }

    /// A key beside the list of static devices, which the file begins with.
    private static func discovery(_ name: String, _ text: String) -> Sample {
        let before = self.file()
        return Sample(
            path: "discovery.\(name)", before: before,
            after: before.replacing("  static:", with: "  \(text)\n  static:", maxReplacements: 1))
    }

    /// A key of the template for discovered devices, which is compared as a whole.
    private static func template(_ name: String, _ text: String) -> Sample {
        func file(_ text: String) -> String {
            Self.file().replacing("  static:", with: "  virtual_devices: {\(text)}\n  static:", maxReplacements: 1)
        }
        return Sample(
            path: "discovery.virtual_devices.\(name)", before: file("at_most: 2, ports: 8100-8109"), after: file(text),
            planKey: "discovery.virtual_devices")
    }

    static func app(_ name: String, _ text: String) -> Sample {
        self.device(
            "apps.APP.\(name)", "apps: {CC1AD845: {}}", "apps: {CC1AD845: {\(text)}}", "apps")
    }

    /// Two plugins, each of which may be a player.
    static let players =
        "plugins: {directory: folders, instances: [{name: one, plugin: a.b}, {name: two, plugin: c.d}]}"

    static func option(_ name: String, _ text: String) -> Sample {
        self.app("options.\(name)", "options: {\(text)}")
    }

    private static func failure(_ name: String, _ before: String, _ after: String) -> Sample {
        self.device(
            "apps.APP.options.failures[].\(name)", "apps: {CC1AD845: {options: {failures: [{\(before)}]}}}",
            "apps: {CC1AD845: {options: {failures: [{\(after)}]}}}", "apps")
    }

    private static func rule(_ name: String, _ before: String, _ after: String) -> Sample {
        self.top(
            "routing.rules[].\(name)", "routing: {rules: [{\(before)}]}", "routing: {rules: [{\(after)}]}",
            "routing.rules")
    }

    private static func condition(_ name: String, _ text: String) -> Sample {
        self.rule(
            "when.\(name)", "name: a, when: {type: X, namespace: \"urn:x-cast:a\"}, action: drop",
            "name: a, when: {\(text)}, action: drop")
    }

    private static func channel(_ name: String, _ before: String, _ after: String) -> Sample {
        self.top("channels[].\(name)", "channels: [{\(before)}]", "channels: [{\(after)}]", "channels")
    }

    static let samples: [Sample] = [
        top("gateway.id", "", "gateway: {id: other}"), top("gateway.name", "", "gateway: {name: Other}"),
        top("gateway.state_directory", "", "gateway: {state_directory: other}"),
        top(
            "metrics.listen", "metrics: {listen: \"127.0.0.1:9095\"}", "metrics: {listen: \"127.0.0.1:9096\"}",
            "metrics"),
        top("metrics.allow_remote", "metrics: {}", "metrics: {allow_remote: true}", "metrics"),
        top("metrics.hosts", "metrics: {}", "metrics: {hosts: [gateway.example.com]}", "metrics"),
        top("metrics.per_device", "metrics: {}", "metrics: {per_device: true}", "metrics"),
        top(
            "identity.root_certificate_file", "identity: {root_certificate_file: a, root_private_key_file: b}",
            "identity: {root_certificate_file: c, root_private_key_file: b}"),
        top(
            "identity.root_private_key_file", "identity: {root_certificate_file: a, root_private_key_file: b}",
            "identity: {root_certificate_file: a, root_private_key_file: d}"),
        top("shutdown.drain", "", "shutdown: {drain: 1s}"), top("shutdown.total", "", "shutdown: {total: 9s}"),
        top("shutdown.stop_receivers", "", "shutdown: {stop_receivers: true}"),
        top("connections.heartbeat.interval", "", "connections: {heartbeat: {interval: 1s}}"),
        top("connections.heartbeat.timeout", "", "connections: {heartbeat: {timeout: 9s}}"),
        top("connections.reconnect.initial", "", "connections: {reconnect: {initial: 1s}}"),
        top("connections.reconnect.max", "", "connections: {reconnect: {max: 9s}}"),
        top("connections.reconnect.jitter", "", "connections: {reconnect: {jitter: 0}}"),
        top("connections.dial_timeout", "", "connections: {dial_timeout: 9s}"),
        top("connections.verify_device_certificate", "", "connections: {verify_device_certificate: off}"),
        top("connections.accept_missing_nonce", "", "connections: {accept_missing_nonce: true}"),
        top("connections.trust_anchors", "", "connections: {trust_anchors: [a.pem]}"),
        top("connections.revocation_anchors", "", "connections: {revocation_anchors: [a.pem]}"),
        top("connections.setup.handshake_timeout", "", "connections: {setup: {handshake_timeout: 9s}}"),
        top("connections.setup.request_timeout", "", "connections: {setup: {request_timeout: 9s}}"),
        top("connections.setup.idle_timeout", "", "connections: {setup: {idle_timeout: 9s}}"),
        top("connections.setup.max_total", "", "connections: {setup: {max_total: 9}}"),
        top("connections.setup.max_per_address", "", "connections: {setup: {max_per_address: 9}}"),
        top("connections.setup.new_per_second", "", "connections: {setup: {new_per_second: unlimited}}"),
        top("admin.max_connections", "", "admin: {max_connections: 9}"),
        top("connections.senders.heartbeat.interval", "", "connections: {senders: {heartbeat: {interval: 1s}}}"),
        top("connections.senders.heartbeat.timeout", "", "connections: {senders: {heartbeat: {timeout: 9s}}}"),
        top("connections.senders.handshake_timeout", "", "connections: {senders: {handshake_timeout: 9s}}"),
        top("connections.senders.frame_timeout", "", "connections: {senders: {frame_timeout: 9s}}"),
        top("connections.senders.max_total", "", "connections: {senders: {max_total: 9}}"),
        top("connections.senders.max_per_address", "", "connections: {senders: {max_per_address: 9}}"),
        top("connections.senders.new_per_second", "", "connections: {senders: {new_per_second: 9}}"),
        top("connections.senders.messages_per_second", "", "connections: {senders: {messages_per_second: unlimited}}"),
        top("sessions.restore_on_start", "", "sessions: {restore_on_start: false}"),
        top("sessions.polite", "", "sessions: {polite: false}"),
        top("sessions.stop_app_on_end", "", "sessions: {stop_app_on_end: true}"),
        top("sessions.suspend_after", "", "sessions: {suspend_after: 1s}"),
        top("sessions.wait_for_device", "", "sessions: {wait_for_device: 1s}"),
        top("sessions.join", "", "sessions: {join: own}"),
        top("sessions.suspend_when_unused", "", "sessions: {suspend_when_unused: 5m}"),
        top("sessions.timeouts.answer", "", "sessions: {timeouts: {answer: 20s}}"),
        top("sessions.timeouts.launch", "", "sessions: {timeouts: {launch: 1m}}"),
        top("sessions.timeouts.consent", "", "sessions: {timeouts: {consent: 5m}}"),
        top("sessions.timeouts.load", "", "sessions: {timeouts: {load: 2m}}"),
        top("launch.android_receiver_compatible", "", "launch: {android_receiver_compatible: true}"),
        top(
            "launch.credentials.APP.credentials", "launch: {credentials: {default: {credentials: a}}}",
            "launch: {credentials: {default: {credentials: b}}}", "launch.credentials"),
        top(
            "launch.credentials.APP.credentials_type", "launch: {credentials: {CC1AD845: {credentials: a}}}",
            "launch: {credentials: {CC1AD845: {credentials: a, credentials_type: t}}}", "launch.credentials"),
        top(
            "launch.credentials.APP.apply_to_load", "launch: {credentials: {CC1AD845: {credentials: a}}}",
            "launch: {credentials: {CC1AD845: {credentials: a, apply_to_load: true}}}", "launch.credentials"),
        top(
            "launch.credentials.APP.atv_credentials", "launch: {credentials: {CC1AD845: {credentials: a}}}",
            "launch: {credentials: {CC1AD845: {credentials: a, atv_credentials: b}}}", "launch.credentials"),
        top(
            "launch.credentials.APP.atv_credentials_type",
            "launch: {credentials: {CC1AD845: {credentials: a, atv_credentials: b}}}",
            "launch: {credentials: {CC1AD845: {credentials: a, atv_credentials: b, atv_credentials_type: c}}}",
            "launch.credentials"),
        top("launch.language", "", "launch: {language: de}"),
        top("launch.relaunch_if_running", "", "launch: {relaunch_if_running: true}"),
        top("launch.sender_name", "", "launch: {sender_name: Lobby}"),
        top("launch.user_agent", "", "launch: {user_agent: Lobby/2}"),
        info("platform", "platform: linux"), info("sdk", "sdk: 1"), info("version", "version: \"1\""),
        info("system_version", "system_version: \"6\""), info("model", "model: Lobby"),
        top("routing.default", "", "routing: {default: reject}"),
        top("routing.deadlines.filter", "", "routing: {deadlines: {filter: 1s}}"),
        top("routing.deadlines.handle", "", "routing: {deadlines: {handle: 2s}}"),
        top("routing.on_failure", "", "routing: {on_failure: closed}"),
        top("routing.time_zone", "", "routing: {time_zone: Europe/Berlin}"),
        rule("name", "name: a, when: {type: X}, action: drop", "name: b, when: {type: X}, action: drop"),
        rule("action", "name: a, when: {type: X}, action: drop", "name: a, when: {type: X}, action: reject"),
        rule(
            "reason", "name: a, when: {type: X}, action: reject",
            "name: a, when: {type: X}, action: reject, reason: no"),
        condition("namespace", "type: X, namespace: \"urn:x-cast:b\""),
        condition("type", "type: Y, namespace: \"urn:x-cast:a\""),
        condition("app", "type: X, namespace: \"urn:x-cast:a\", app: CC1AD845"),
        condition("app_not_in", "type: X, namespace: \"urn:x-cast:a\", app_not_in: [CC1AD845]"),
        condition("device", "type: X, namespace: \"urn:x-cast:a\", device: lobby"),
        condition("sender", "type: X, namespace: \"urn:x-cast:a\", sender: 192.0.2.0/24"),
        condition("not_namespace", "type: X, namespace: \"urn:x-cast:a\", not_namespace: \"urn:x-cast:c\""),
        condition("not_type", "type: X, namespace: \"urn:x-cast:a\", not_type: Y"),
        condition("not_app", "type: X, namespace: \"urn:x-cast:a\", not_app: CC1AD845"),
        condition("not_device", "type: X, namespace: \"urn:x-cast:a\", not_device: lobby"),
        condition("not_sender", "type: X, namespace: \"urn:x-cast:a\", not_sender: [192.0.2.0/24]"),
        condition("sender_name", "type: X, namespace: \"urn:x-cast:a\", sender_name: VLC"),
        condition("not_sender_name", "type: X, namespace: \"urn:x-cast:a\", not_sender_name: [VLC]"),
        condition("from", "type: X, namespace: \"urn:x-cast:a\", from: sender"),
        condition("leg", "type: X, namespace: \"urn:x-cast:a\", leg: own"),
        condition("not_from", "type: X, namespace: \"urn:x-cast:a\", not_from: \"plugin:*\""),
        condition("during", "type: X, namespace: \"urn:x-cast:a\", during: Mon"),
        condition("not_during", "type: X, namespace: \"urn:x-cast:a\", not_during: [Sun]"),
        condition("time_zone", "type: X, namespace: \"urn:x-cast:a\", during: Mon, time_zone: UTC"),
        rule(
            "set", "name: a, when: {type: X}, action: rewrite, set: {/a: 1}",
            "name: a, when: {type: X}, action: rewrite, set: {/a: 2}"),
        rule(
            "remove", "name: a, when: {type: X}, action: rewrite, remove: /a",
            "name: a, when: {type: X}, action: rewrite, remove: [/a, /b]"),
        rule(
            "limit.rate", "name: a, when: {type: X}, action: limit, limit: {rate: 1/1s}",
            "name: a, when: {type: X}, action: limit, limit: {rate: 2/1s}"),
        rule(
            "limit.volume", "name: a, when: {type: X}, action: limit, limit: {volume: 0.5}",
            "name: a, when: {type: X}, action: limit, limit: {volume: 0.6}"),
        channel(
            "namespace", "namespace: \"urn:x-cast:a\", handler: echo", "namespace: \"urn:x-cast:b\", handler: echo"),
        rule(
            "limit.play", "name: a, when: {type: X}, action: limit, limit: {play: 1s}",
            "name: a, when: {type: X}, action: limit, limit: {play: 2s}"),
        rule(
            "handler", "name: a, when: {type: X}, action: forward_to, handler: media",
            "name: a, when: {type: X}, action: forward_to, handler: setup"),
        channel(
            "devices", "namespace: \"urn:x-cast:a\", handler: echo",
            "namespace: \"urn:x-cast:a\", devices: lobby, handler: echo"),
        channel(
            "handler", "namespace: \"urn:x-cast:a\", handler: echo",
            "namespace: \"urn:x-cast:a\", handler: broadcast"),
        Sample(
            path: "discovery.static[].name", before: file(), after: file(statics: "- {name: new, address: 192.0.2.3}"),
            planKey: "discovery.static.new"),
        Sample(
            path: "discovery.static[].address", before: file(statics: "- {name: new, address: 192.0.2.4}"),
            after: file(statics: "- {name: new, address: 192.0.2.3}"), planKey: "discovery.static.new.address"),
        statics("id", "- {name: new, address: 192.0.2.3}", "- {name: new, address: 192.0.2.3, id: a1}"),
        discovery("mdns.enabled", "mdns: {enabled: false}"), discovery("mdns.passive", "mdns: {passive: false}"),
        discovery("mdns.interfaces", "mdns: {interfaces: [eth0]}"), discovery("receiver_app", "receiver_app: CC1AD845"),
        discovery("allow", "allow: [a]"), discovery("deny", "deny: [a]"),
        discovery("receiver_apps", "receiver_apps: [CC1AD845]"),
        discovery("namespaces", "namespaces: [\"urn:x-cast:a\"]"),
        discovery("stop_when_unused", "stop_when_unused: 1h"),
        template("at_most", "at_most: 3, ports: 8100-8109"), template("ports", "at_most: 2, ports: 8100-8108"),
        template("at_most_per_host", "at_most: 2, at_most_per_host: 1, ports: 8100-8109"),
        template("listen", "at_most: 2, ports: 8100-8109, listen: 127.0.0.1"),
        template("friendly_name", "at_most: 2, ports: 8100-8109, friendly_name: \"{name}\""),
        template("grace", "at_most: 2, ports: 8100-8109, grace: 1s"),
        template("senders.allow", "at_most: 2, ports: 8100-8109, senders: {allow: [192.0.2.0/24]}"),
        template("apps", "at_most: 2, ports: 8100-8109, apps: [CC1AD845]"),
        template("tls_key", "at_most: 2, ports: 8100-8109, tls_key: rsa"),
        template("match.name", "at_most: 2, ports: 8100-8109, match: {name: a}"),
        template("match.not_name", "at_most: 2, ports: 8100-8109, match: {not_name: a}"),
        template("match.model", "at_most: 2, ports: 8100-8109, match: {model: a}"),
        template("match.not_model", "at_most: 2, ports: 8100-8109, match: {not_model: a}"),
        template("match.groups", "at_most: 2, ports: 8100-8109, match: {groups: true}"),
        Sample(
            path: "virtual_devices[].target.device", before: file(target: "{device: tv}"),
            after: file(target: "{device: wall}"), planKey: "virtual_devices.lobby.target"),
        // Both addresses are those of devices that the file has.
        Sample(
            path: "virtual_devices[].target.address", before: file(target: "{address: 192.0.2.1}"),
            after: file(target: "{address: 192.0.2.2}"), planKey: "virtual_devices.lobby.target"),
        Sample(
            path: "virtual_devices[].name", before: file(),
            after: file().replacing("name: lobby", with: "name: foyer"), planKey: "virtual_devices.foyer"),
        device("friendly_name", "friendly_name: a", "friendly_name: b"), device("model", "", "model: Other"),
        device("listen", "", "listen: 127.0.0.1:8019"),
        device("senders.allow", "", "senders: {allow: [192.0.2.0/24]}"),
        device("senders.join", "", "senders: {join: required}"),
        device("idle_timeout", "", "idle_timeout: 1m"),
        device("backdrop", "", "backdrop: true"), device("volume.control", "", "volume: {control: fixed}"),
        device("volume.level", "", "volume: {level: 1}"), device("volume.step", "", "volume: {step: 1}"),
        device("setup.http", "", "setup: {http: 127.0.0.1:8008}"),
        device("setup.https", "", "setup: {https: 127.0.0.1:8443}"), device("capabilities", "", "capabilities: 5"),
        device("tls_key", "", "tls_key: rsa"),
        device("apps.preset", "apps: {preset: catt}", "apps: {preset: backdrop}", "apps"),
        app("name", "name: Film"), app("namespaces", "namespaces: [\"urn:x-cast:a\"]"),
        Sample(
            path: "virtual_devices[].apps.APP.player.plugin",
            before: file(players, device: "apps: {CC1AD845: {player: {plugin: one}}}"),
            after: file(players, device: "apps: {CC1AD845: {player: {plugin: two}}}"),
            planKey: "virtual_devices.lobby.apps", changes: 3),
        Sample(
            path: "virtual_devices[].apps.APP.queue.provider.plugin",
            before: file(players, device: "apps: {CC1AD845: {queue: {provider: {plugin: one}}}}"),
            after: file(players, device: "apps: {CC1AD845: {queue: {provider: {plugin: two}}}}"),
            planKey: "virtual_devices.lobby.apps"),
        app("queue.deadline", "queue: {deadline: 1s}"), app("queue.status_limit", "queue: {status_limit: 5}"),
        app("status_text", "status_text: hello"), app("type", "type: ANDROID_TV"),
        app("icon_url", "icon_url: http://192.0.2.1/a.png"), app("launch", "launch: timeout"),
        option("load_delay", "load_delay: 1s"), option("buffering", "buffering: 1s"),
        option("launch_delay", "launch_delay: 1s"), option("default_duration", "default_duration: 1s"),
        option("preload_time", "preload_time: 1s"), option("live_window", "live_window: 1s"),
        failure("match", "match: a", "match: b"), failure("reason", "match: a", "match: a, reason: BROKEN"),
        failure("detailed_error_code", "match: a", "match: a, detailed_error_code: 105"),
        failure("when", "match: a", "match: a, when: playback"), failure("after", "match: a", "match: a, after: 1s"),
    ]

    /// The version is always the same; what an include brings in, what defaults give and what groups name are other keys.
    private static let keysWithoutPlan: Set<String> = ["version", "include", "groups"]

    private func load(_ text: String) throws -> GatewayConfiguration {
        let certificate = try ConfigFixtures.text("GoodConfigs", "identity/root.crt")
        let key = try ConfigFixtures.text("GoodConfigs", "identity/root.key")
        let files = [
            "g": text, "a": certificate, "c": certificate, "b": key, "d": key, "a.pem": certificate,
            "ca.pem": certificate,
        ]
        let result = GatewayConfiguration.load(
            path: "g", fileSystem: .memory(Self.folders.merging(files) { $1 }), environment: [:])
        if result.configuration == nil { Issue.record("\(result.report.text())") }
        let configuration = result.configuration
        return try #require(configuration)
    }

    @Test(
        arguments: samples + appSamples + handlerSamples + gatewaySamples + pluginSamples + apiSamples + bridgeSamples
            + catalogueSamples + pictureSamples)
    func theClassIsTheOneOfTheSchema(
        sample: Sample
    ) throws {
        let plan = ReloadPlan(from: try self.load(sample.before), to: try self.load(sample.after))
        let change = try #require(plan.changes.first { $0.path == sample.planKey ?? sample.path })
        // What has another name is one that comes and one that goes.
        let isRenamed = [
            "virtual_devices[].name", "plugins.instances[].name", "bridges.webhooks[].name", "catalogues[].name",
        ]
        .contains(sample.path)
        #expect(plan.changes.count == (isRenamed ? 2 : sample.changes))
        let declared = GatewayConfiguration.schema.reloadKeys.filter { $0.path == sample.path }
        #expect(declared.map(\.reload) == [change.reload], "\(change)")
        #expect(ReloadPlan(from: try self.load(sample.after), to: try self.load(sample.after)).changes.isEmpty)
    }

    @Test func everyKeyHasAClassAndASample() {
        let sampled = Set(
            (Self.samples + Self.appSamples + Self.handlerSamples + Self.gatewaySamples + Self.pluginSamples
                + Self.apiSamples
                + Self.bridgeSamples + Self.catalogueSamples + Self.pictureSamples).map(\.path))
        for key in GatewayConfiguration.schema.reloadKeys
        where !Self.keysWithoutPlan.contains(key.path) && !key.path.hasPrefix("virtual_device_defaults.") {
            #expect(key.reload != nil, "\(key.path)")
            #expect(sampled.contains(key.path), "\(key.path)")
        }
    }

    @Test func aChangeReadsWell() throws {
        let before = try self.load(Self.file(device: "listen: 127.0.0.1:1"))
        let after = try self.load(
            Self.file(
                "log: {level: debug}", device: "listen: 127.0.0.1:2", statics: "- {name: new, address: 192.0.2.3}"))
        #expect(
            ReloadPlan(from: before, to: after).changes.map(\.description) == [
                "log.level (hot)", "discovery.static.new (device, added)",
                "virtual_devices.lobby.listen (listener)",
            ])
        let back = ReloadPlan(from: after, to: before)
        #expect(back.changes[1].description == "discovery.static.new (device, removed)")
        #expect(back.restartKeys.isEmpty)
    }

    /// The same configuration of a plugin, in another spelling.
    @Test func anotherSpellingIsNoChange() throws {
        let instance = { (config: String) in
            "plugins: {directory: folders, instances: [{name: one, plugin: a.b, config: \(config)}]}"
        }
        let before = try self.load("version: 1\n" + instance("{a: 1, b: [{c: 2.50, d: x}]}"))
        let after = try self.load("version: 1\n" + instance("{b: [{d: x, c: 2.5}], a: 1.0}"))
        #expect(ReloadPlan(from: before, to: after).changes == [])
        let other = try self.load("version: 1\n" + instance("{b: [{d: x, c: 2.5}], a: 1.5}"))
        #expect(ReloadPlan(from: before, to: other).changes.map(\.path) == ["plugins.instances.one.config"])
    }
}
