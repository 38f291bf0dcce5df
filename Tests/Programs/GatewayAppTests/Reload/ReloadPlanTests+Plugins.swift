extension ReloadPlanTests {
    private static func file(_ instance: String = "", top: String = "", name: String = "one", plugin: String = "a.b")
        -> String
    {
        """
        version: 1
        plugins:
          directory: folders
          \(top)
          instances:
            - name: \(name)
              plugin: \(plugin)
              \(instance)
        """
    }

    private static func instance(_ name: String, _ before: String, _ after: String, _ key: String? = nil) -> Sample {
        Sample(
            path: "plugins.instances[].\(name)", before: self.file(before), after: self.file(after),
            planKey: "plugins.instances.one.\(key ?? name)")
    }

    private static func granted(_ name: String, _ text: String) -> Sample {
        let before = "match: \"urn:x-cast:a.b\", phase: filter"
        let after = text.hasPrefix("match") || text.hasPrefix("phase") ? text : "\(before), \(text)"
        return self.instance(
            "grant.namespaces[].\(name)", "grant: {namespaces: [{\(before)}]}", "grant: {namespaces: [{\(after)}]}",
            "grant.namespaces")
    }

    private static func replaced(_ name: String, _ text: String) -> Sample {
        self.instance(
            "grant.replaces[].\(name)", "grant: {replaces: [media]}", "grant: {replaces: [{\(text)}]}", "grant.replaces"
        )
    }

    private static func setting(_ name: String, _ text: String) -> [Sample] {
        [
            self.instance(name, "", text),
            Sample(
                path: "plugins.defaults.\(name)", before: "version: 1\n",
                after: "version: 1\nplugins: {defaults: {\(text)}}\n"),
        ]
    }

    /// Devices that are found have virtual ones, whose names are not known before.
    private static let found = "\ndiscovery: {virtual_devices: {at_most: 1, ports: 8100-8100}}\n"

    /// The plugins that the samples are about ask for everything.
    static let folders: [String: String] = Dictionary(
        ["a.b", "c.d"].map { id in
            (
                "folders/\(id)/plugin.yaml",
                """
                manifest: 1
                id: \(id)
                version: 1.0.0
                exec: [run]
                module: run.so
                claims:
                  - {match: "*", phase: filter, directions: [to_receiver, to_sender]}
                  - {match: "urn:x-cast:com.google.cast.*", phase: handle}
                  - {match: "*", phase: filter, leg: own}
                  - {match: "*", phase: observe, directions: [to_receiver, to_sender]}
                replaces: [media, setup]
                provides: [devices, queue, picture]
                operations: [{name: ask, summary: Asks, result: Nothing}]
                needs: {send: any, events: ["*"], network: any, storage: 1MiB, operations: ["*"], scopes: [read, control]}
                """
            )
        }, uniquingKeysWith: { first, _ in first })

    static let pluginSamples: [Sample] =
        [
            Sample(
                path: "plugins.directory", before: "version: 1\n", after: "version: 1\nplugins: {directory: other}\n"),
            Sample(
                path: "plugins.allow_in_process", before: file(), after: file(top: "allow_in_process: true")),
            Sample(
                path: "plugins.instances[].name", before: file(), after: file(name: "other"),
                planKey: "plugins.instances.other"),
            Sample(
                path: "plugins.instances[].plugin", before: file(), after: file(plugin: "c.d"),
                planKey: "plugins.instances.one.plugin"),
            instance("kind", "", "kind: socket"), instance("enabled", "", "enabled: false"),
            instance("required", "", "required: true"), instance("config", "", "config: {a: 1}"),
            instance("env", "", "env: {A: b}"), instance("readable", "", "readable: [/opt]"),
            instance("user", "", "user: nobody"), granted("leg", "leg: own"),
            granted("match", "match: \"urn:x-cast:c.d\", phase: filter"),
            granted("phase", "phase: observe, match: \"urn:x-cast:a.b\""), granted("types", "types: [LOAD]"),
            granted("directions", "directions: [to_sender]"), granted("devices", "leg: own, devices: [tv]"),
            granted("deadline", "deadline: 9ms"), granted("on_failure", "on_failure: closed"),
            replaced("handler", "handler: setup"),
            Sample(
                path: "plugins.instances[].grant.replaces[].devices",
                before: file("grant: {replaces: [media]}") + found,
                after: file("grant: {replaces: [{handler: media, devices: [room]}]}") + found,
                planKey: "plugins.instances.one.grant.replaces"),
            replaced("deadline", "handler: media, deadline: 9ms"),
            replaced("on_failure", "handler: media, on_failure: closed"),
            Sample(
                path: "plugins.instances[].grant.as", before: file(), after: file("grant: {as: manifest}"),
                planKey: "plugins.instances.one.grant.as", changes: 9),
            instance("grant.send", "", "grant: {send: any}"), instance("grant.events", "", "grant: {events: [a]}"),
            instance("grant.network", "", "grant: {network: any}"),
            instance("grant.storage", "", "grant: {storage: 1KiB}"),
            instance("grant.provides", "", "grant: {provides: [devices]}"),
            instance("grant.offers", "", "grant: {offers: [ask]}"),
            instance("grant.operations", "", "grant: {operations: [media.play]}"),
            instance("grant.scopes", "", "grant: {scopes: [read]}"),
            instance("grant.devices", "", "grant: {devices: [hall]}"),
        ]
        + [
            ("deadline.filter", "deadline: {filter: 9ms}"), ("deadline.handle", "deadline: {handle: 9ms}"),
            ("on_failure", "on_failure: closed"), ("restart.policy", "restart: {policy: always}"),
            ("restart.initial", "restart: {initial: 9s}"), ("restart.max", "restart: {max: 9s}"),
            ("restart.healthy_after", "restart: {healthy_after: 9s}"), ("start_timeout", "start_timeout: 9s"),
            ("drain", "drain: 9s"), ("resources.memory", "resources: {memory: 9MiB}"),
            ("resources.open_files", "resources: {open_files: 9}"),
            ("resources.processes", "resources: {processes: 9}"), ("resources.state", "resources: {state: 9MiB}"),
            ("resources.state_files", "resources: {state_files: 9}"), ("sandbox", "sandbox: strict"),
        ].flatMap { setting($0.0, $0.1) }
}
