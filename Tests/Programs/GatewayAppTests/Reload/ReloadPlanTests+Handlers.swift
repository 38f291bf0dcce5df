extension ReloadPlanTests {
    private static func handler(_ name: String, _ before: String, _ after: String) -> Sample {
        let others = """
            \(self.players)
            channels: [{namespace: "urn:x-cast:a", handler: echo}, {namespace: "urn:x-cast:b", handler: echo}]
            """
        return self.top(
            "handlers[].\(name)", "\(others)\nhandlers: [{\(before)}]", "\(others)\nhandlers: [{\(after)}]", "handlers")
    }

    static let handlerSamples: [Sample] = [
        handler("use", "use: media", "use: receiver"),
        handler("name", "use: plugin, name: one", "use: plugin, name: two"),
        handler("namespace", "use: channel, namespace: \"urn:x-cast:a\"", "use: channel, namespace: \"urn:x-cast:b\""),
        handler("enabled", "use: media", "use: media, enabled: false"),
        handler("devices", "use: media", "use: media, devices: lobby"),
        handler("deadline", "use: media", "use: media, deadline: 2s"),
        handler("on_failure", "use: media", "use: media, on_failure: closed"),
    ]
}
