import ArgumentParser
import CastWire
import GatewayOperations
import Glibc

/// `castway status`
struct GatewayStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Shows what the running gateway does: devices, senders, sessions, what plays, plugins, warnings.",
        discussion: """
            Lines are as wide as the terminal, or as COLUMNS says. The same stands in the answer of the operation gateway.status.

            Examples:
              castway status
              watch --color castway status --color always
              castway status --json | jq -r '.warnings[].text'
            """)

    @OptionGroup var control: ControlOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    func run() async throws {
        let answer = try await OperationRequest(self.control).call("gateway.status")
        if self.output.isJSON { return StandardOutput.write(answer) }
        StandardOutput.write(lines: StatusSheet(answer, width: .output, paint: Terminal.output).lines)
    }
}

/// `castway senders`
struct SendersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "senders",
        abstract: "Lists who is connected to which virtual device of the running gateway, and since when.",
        discussion: """
            What a sender calls itself is its own word, and many say nothing. One sender is disconnected by \
            castway call virtual_device.disconnect.

            Examples:
              castway senders
              castway senders --json | jq -r '.senders[] | select(.throttled) | .address'
              castway call virtual_device.disconnect device=hall sender=c7
            """)

    @OptionGroup var control: ControlOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    func run() async throws {
        let answer = try await OperationRequest(self.control).call("senders.list")
        if self.output.isJSON { return StandardOutput.write(answer) }
        let rows = GatewayRows(answer, LocalTime(now: time(nil))).senders
        guard rows.count > 1 else { return StandardOutput.write("No sender is connected.\n") }
        StandardOutput.write(lines: ScreenWidth.output.fitted(rows.map { $0.map(\.printable) }).lines)
    }
}

/// `castway sessions`
struct SessionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions",
        abstract: "Lists the running gateway's own sessions with devices, the apps on virtual devices, and what plays.",
        discussion: """
            The gateway's own sessions are those that session.start began; senders begin the others.

            Examples:
              castway sessions
              castway sessions --json | jq '.sessions[].media'
            """)

    @OptionGroup var control: ControlOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    func run() async throws {
        let request = try OperationRequest(self.control)
        var answer = try await request.call("sessions.list")
        let devices = try await request.call("devices.list").array("virtual_devices") ?? []
        answer["virtual_devices"] = .array(devices)
        if self.output.isJSON {
            let apps = devices.compactMap(\.objectValue).flatMap { device in
                (device.array("apps") ?? []).compactMap(\.objectValue).map { app in
                    JSONValue.object(
                        JSONObject([("device", device["name"] ?? "")] + app.members.map { ($0.name, $0.value) }))
                }
            }
            return StandardOutput.write(["sessions": .array(answer.array("sessions") ?? []), "apps": .array(apps)])
        }
        let rows = GatewayRows(answer, LocalTime(now: time(nil)))
        let width = ScreenWidth.output
        let sections = [
            ("SESSIONS OF THE GATEWAY", rows.sessions), ("APPS ON VIRTUAL DEVICES", rows.apps), ("PLAYS", rows.playing),
        ].filter { $0.1.count > 1 }
        guard !sections.isEmpty else { return StandardOutput.write("Nothing runs.\n") }
        for (index, section) in sections.enumerated() {
            StandardOutput.write(
                lines: (index == 0 ? [] : [""]) + [section.0]
                    + width.fitted(section.1.map { $0.map(\.printable) }).lines)
        }
    }
}
