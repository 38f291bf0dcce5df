import GatewayConfig
import GatewaySettings
import Testing
import VirtualDevices

/// Words that select something and look like slips: a rule that forbids by one of them would forbid nothing.
@Suite struct SuspectWordTests {
    private static let rest = """
        virtual_devices:
          - name: lobby
            listen: "127.0.0.1:8009"
            target: local
            apps: {ABCD1234: {namespaces: ["urn:x-cast:com.example.quiz"]}, CC1AD845: {}}
          - {name: room-1, listen: "127.0.0.1:8010", target: local}
        channels: [{namespace: "urn:x-cast:com.example.chat", handler: echo}]
        """

    private static func load(_ text: String) -> GatewayConfigurationResult {
        GatewayConfiguration.load(
            path: "gateway.yaml", fileSystem: .memory(["gateway.yaml": "version: 1\n\(text)\n\(Self.rest)\n"]),
            environment: [:])
    }

    private static func rule(_ condition: String) -> String {
        "routing: {rules: [{name: a, when: {\(condition)}, action: reject}]}"
    }

    private static func bridge(_ keys: String) -> String {
        "bridges: {mqtt: {url: \"mqtt://broker.example.com\", \(keys)}}"
    }

    private static func hook(_ events: String) -> String {
        "bridges: {webhooks: [{name: a, url: \"https://a.example.com\", "
            + "secret: whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw, events: [\(events)]}]}"
    }

    @Test(arguments: [
        (Self.rule("type: LAUCH"), "message type 'LAUCH'", "LAUNCH"),
        (Self.rule("not_type: [LOAD, GET_STATSU]"), "message type 'GET_STATSU'", "GET_STATUS"),
        (Self.rule("type: launch"), "message type 'launch'", "LAUNCH"),
        (Self.rule("type: QEUE_*"), "message type 'QEUE_*'", "QUEUE_"),
        (Self.rule("type: PUASE, namespace: \"urn:x-cast:com.google.cast.*\""), "message type 'PUASE'", "PAUSE"),
        (Self.rule("namespace: \"urn:x-cast:com.google.cast.medai\""), "namespace", "urn:x-cast:com.google.cast.media"),
        (Self.rule("namespace: \"urn:x-cast:com.exmaple.quiz\""), "namespace", "urn:x-cast:com.example.quiz"),
        (Self.rule("not_namespace: \"urn:x-cast:com.exmaple.*\""), "namespace", "urn:x-cast:com.example.*"),
        (Self.rule("namespace: \"urn:x-cast:com.example.caht\""), "namespace", "urn:x-cast:com.example.chat"),
        (Self.rule("app: CC1AD854"), "app 'CC1AD854'", "CC1AD845"),
        (Self.rule("not_app: [ABCD1243]"), "app 'ABCD1243'", "ABCD1234"),
        (Self.rule("app: \"CC1AD4*\""), "app 'CC1AD4*'", "CC1AD845"),
        ("launch: {credentials: {233637DF: {credentials: a}}}", "app '233637DF'", "233637DE"),
        (Self.hook("sesion.*"), "event 'sesion.*'", "session."),
        (Self.hook("media.sesion_ended"), "event 'media.sesion_ended'", "media.session_ended"),
        (Self.bridge("events: [sender.conected]"), "event 'sender.conected'", "sender.connected"),
        (Self.bridge("devices: [loby]"), "device 'loby'", "lobby"),
        ("log: {levels: {DeviceSesion: debug}}", "component of the log 'DeviceSesion'", "DeviceSession"),
        ("log: {levels: [catalogues]}", "component of the log 'catalogues'", "Catalogues"),
    ])
    func aSlipIsWarnedOf(_ text: String, _ word: String, _ meant: String) throws {
        let problems = Self.load(text).problems.filter { $0.code == .suspectWord }
        let problem = try #require(problems.first, "\(Self.load(text).report.text())")
        #expect(problems.count == 1 && problem.severity == .warning)
        #expect(problem.message.hasPrefix("unknown \(word)"))
        #expect(problem.hint?.hasPrefix("did you mean '\(meant)") == true, "\(problem.hint ?? "")")
        #expect(problem.location.line > 0)
    }

    @Test(arguments: [
        Self.rule("type: [LAUNCH, \"QUEUE_*\", \"*\", eureka_info, MEDIA_STATUS]"), Self.rule("type: JOIN_TEAM"),
        Self.rule("type: STEP, namespace: \"urn:x-cast:com.example.quiz\""), Self.rule("type: \"A*\""),
        Self.rule("namespace: \"urn:x-cast:com.example.quiz2\""), Self.rule("namespace: \"urn:x-cast:org.other.*\""),
        Self.rule("namespace: [\"urn:x-cast:com.google.cast.media\", \"urn:x-cast:com.example.chat\"]"),
        Self.rule("app: [ABCD1234, 233637DE, \"CC1AD*\", 01234567]"), Self.hook("\"media.*\", loyalty.points, \"*\""),
        Self.bridge("devices: [room-2, \"room-*\", Kitchen speaker]"),
        "log: {levels: {\"DeviceSession*\": debug, GCKSession: debug, Elsewhere: off}}",
    ])
    func knownAndCustomWordsPass(_ text: String) {
        #expect(Self.load(text).problems.isEmpty, "\(Self.load(text).report.text())")
    }

    @Test(arguments: [("plugin:timetabel", 1), ("plugin:timetable", 0), ("sender", 0), ("plugin:*", 0)])
    func aPluginThatIsNotThereSendsNothing(_ source: String, count: Int) {
        let manifest = """
            manifest: 1
            id: a.b
            version: 1.0.0
            exec: [run]
            claims: [{match: "*", phase: observe}]
            """
        let text = """
            version: 1
            plugins: {directory: folders, instances: [{name: timetable, plugin: a.b}]}
            \(Self.rule("from: \"\(source)\""))
            \(Self.rest)
            """
        let result = GatewayConfiguration.load(
            path: "gateway.yaml",
            fileSystem: .memory(["gateway.yaml": text, "folders/a.b/plugin.yaml": manifest]), environment: [:])
        #expect(result.problems.count { $0.code == .suspectWord } == count, "\(result.report.text())")
    }

    @Test(arguments: [
        "routing: {rules: [{name: a, when: {type: []}, action: reject}]}",
        "routing: {rules: [{name: a, when: {not_device: []}, action: allow}]}",
        "virtual_device_defaults: {senders: {allow: []}}", "discovery: {allow: []}",
        "discovery: {mdns: {interfaces: []}}", "handlers: [{use: rules, devices: []}]",
        "discovery: {virtual_devices: {at_most: 1, ports: 8100-8101, senders: {allow: []}}}",
        "discovery: {virtual_devices: {at_most: 1, ports: 8100-8101, match: {name: []}}}",
        "virtual_device_defaults: {publish: {interfaces: []}}",
    ])
    func anEmptyListThatWouldMeanAllIsRefused(_ text: String) {
        let result = Self.load(text)
        #expect(result.configuration == nil)
        #expect(result.problems.contains { $0.code == .emptyList }, "\(result.report.text())")
    }

    /// What is printed of a configuration can be read again, so no default is an empty list that is refused.
    @Test func whatIsPrintedReadsBack() {
        let printed = Self.load("discovery: {virtual_devices: {at_most: 1, ports: 8100-8101}}").document.effectiveText(
            origins: false)
        let again = GatewayConfiguration.load(
            path: "gateway.yaml", fileSystem: .memory(["gateway.yaml": printed]), environment: [:])
        #expect(!again.problems.contains { $0.code == .emptyList }, "\(again.report.text())")
    }

    @Test func oneAddressAndOneTimeAreLists() throws {
        let text = "virtual_device_defaults: {senders: {allow: 10.20.0.0/16}}"
        let device = try #require(Self.load(text).configuration?.virtualDevices.first)
        #expect(device.device.allowedSenders.map(\.description) == ["10.20.0.0/16"])
    }
}
