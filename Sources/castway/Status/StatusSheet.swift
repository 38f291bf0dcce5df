import CastWire

/// What `gateway.status` answers, as `castway status` prints it.
struct StatusSheet {
    private let json: JSONObject
    private let time: LocalTime
    private let width: ScreenWidth
    private let paint: Paint

    init(_ json: JSONObject, width: ScreenWidth, paint: Paint) {
        self.json = json
        self.time = LocalTime(now: json.int("time") ?? 0)
        self.width = width
        self.paint = paint
    }

    /// The lines to print.
    var lines: [String] {
        let rows = GatewayRows(self.json, self.time)
        let sections = [
            self.section("VIRTUAL DEVICES", rows.virtualDevices, state: 1),
            self.section("PLAYS", rows.playing, state: 2),
            self.section("MIRRORED STREAMS", rows.streams, state: nil),
            self.section("DEVICES", rows.devices, state: 1),
            self.section("SENDERS", rows.senders, state: nil),
            self.section("SESSIONS", rows.sessions, state: 3),
            self.section("PLUGINS", rows.plugins, state: 1),
            self.warnings,
        ]
        return [self.heading] + sections.filter { !$0.isEmpty }.flatMap { [""] + $0 }
    }

    private var heading: String {
        let name = (self.json.string("name") ?? "").printable
        let version = (self.json.string("version") ?? "").printable
        let phase = self.json.string("phase") ?? "unknown"
        let state = self.paint(phase.printable, phase == "ready" ? .good : .warning)
        return "\(name) (Castway \(version)) is \(state), runs since \(self.time.since(self.json.int("since")))"
    }

    /// A table with a title; nothing when it has no rows.
    private func section(_ title: String, _ rows: [[String]], state column: Int?) -> [String] {
        guard rows.count > 1 else { return [] }
        let table = self.width.fitted(rows.map { $0.map(\.printable) })
        return [title]
            + table.lines { at, cell in at == column ? self.paint(cell, Self.style(of: cell)) : cell }
    }

    private static func style(of state: String) -> Paint.Style {
        switch state {
        case "listening", "announced", "online", "connected", "ready", "playing": .good
        case "found", "disabled", "idle", "paused", "away", "not running": .faint
        case "offline", "crashlooped", "not listening": .error
        default: .warning
        }
    }

    private var warnings: [String] {
        let warnings = self.json.array("warnings")?.compactMap(\.objectValue) ?? []
        guard !warnings.isEmpty else { return [] }
        return ["WARNINGS"]
            + warnings.flatMap { warning in
                let since = warning.int("since").map { ", since \(self.time.since($0))" } ?? ""
                let lines = self.width.wrapped(
                    ((warning.string("text") ?? "") + since).printable, first: "  ! ", indent: "    ")
                return lines.enumerated().map { index, line in
                    index == 0 ? "  " + self.paint("!", .warning) + line.dropFirst(3) : line
                }
            }
    }
}

/// The rows of tables about what runs, each with its heading first.
struct GatewayRows {
    private let json: JSONObject
    private let time: LocalTime

    /// - Parameter json: an answer with any of the members of `gateway.status`.
    init(_ json: JSONObject, _ time: LocalTime) {
        self.json = json
        self.time = time
    }

    private func objects(_ name: String) -> [JSONObject] { self.json.array(name)?.compactMap(\.objectValue) ?? [] }

    /// The virtual devices.
    var virtualDevices: [[String]] {
        [["NAME", "STATE", "BEHIND IT", "SENDERS", "RUNS", "SINCE"]]
            + self.objects("virtual_devices").map { device in
                let isAlone = device.bool("target_online") == false
                let app = device.array("apps")?.first?.objectValue
                return [
                    device.string("name") ?? "", isAlone ? "target offline" : device.string("state") ?? "",
                    device.string("target") ?? "built-in",
                    "\(device.int("senders") ?? 0)", Self.name(of: app), self.time.since(app?.int("since")),
                ]
            }
    }

    /// What plays on the virtual devices, and in the gateway's own sessions.
    var playing: [[String]] {
        let virtual = self.objects("virtual_devices").flatMap { device in
            (device.array("apps") ?? []).compactMap { $0.objectValue?.object("media") }.map {
                (device.string("name") ?? "", $0)
            }
        }
        let own = self.objects("sessions").compactMap { session in
            session.object("media").map { (session.string("device") ?? "", $0) }
        }
        return [["ON", "WHAT", "STATE", "POSITION", "SINCE"]]
            + (virtual + own).map { device, media in
                [
                    device, Self.title(of: media), (media.string("player_state") ?? "").lowercased(),
                    Self.position(of: media), self.time.since(media.int("since")),
                ]
            }
    }

    /// The streams of mirroring senders, with the datagrams that went to the device, came back, and did not pass.
    var streams: [[String]] {
        [["ON", "SENDER", "TO DEVICE", "BACK", "DROPPED", "SINCE"]]
            + self.objects("virtual_devices").flatMap { device in
                (device.array("streams") ?? []).compactMap(\.objectValue).map { stream in
                    let packets = stream.object("packets")
                    return [
                        device.string("name") ?? "", stream.string("sender") ?? "",
                        "\(packets?.int("to_device") ?? 0)", "\(packets?.int("to_sender") ?? 0)",
                        "\(stream.int("dropped") ?? 0)", self.time.since(stream.int("since")),
                    ]
                }
            }
    }

    /// The real devices.
    var devices: [[String]] {
        [["NAME", "STATE", "SINCE", "ADDRESS", "MODEL", "PROOF"]]
            + self.objects("devices").map { device in
                let name = device.string("name") ?? ""
                let shown = device.string("friendly_name") ?? name
                return [
                    shown == name || device.string("state") != "found" ? name : "\(shown) (\(name))",
                    device.string("state") ?? "", self.time.since(device.int("since")),
                    device.string("address") ?? device.array("addresses")?.first?.stringValue ?? "-",
                    device.string("model") ?? "-",
                    device.object("authentication")?.string("outcome")?.replacing("_", with: " ") ?? "-",
                ]
            }
    }

    /// The senders.
    var senders: [[String]] {
        [["DEVICE", "SENDER", "ADDRESS", "NAME", "USES", "SINCE"]]
            + self.objects("senders").map { sender in
                let name = sender.string("name") ?? sender.string("user_agent") ?? "-"
                let apps = (sender.array("apps") ?? []).compactMap(\.stringValue)
                return [
                    sender.string("device") ?? "", sender.string("id") ?? "",
                    (sender.string("address") ?? "") + (sender.bool("throttled") == true ? " (throttled)" : ""), name,
                    apps.isEmpty ? "-" : apps.joined(separator: " "), self.time.since(sender.int("since")),
                ]
            }
    }

    /// The gateway's own sessions with apps on real devices.
    var sessions: [[String]] {
        [["ID", "DEVICE", "APP", "STATE", "SINCE"]]
            + self.objects("sessions").map { session in
                let state = session.string("state") ?? ""
                let why = session.string("suspend_reason").map { ": " + $0.replacing("_", with: " ") } ?? ""
                return [
                    "\(session.int("id") ?? 0)", session.string("device") ?? "", Self.name(of: session), state + why,
                    self.time.since(session.int("since")),
                ]
            }
    }

    /// The apps that run on virtual devices.
    var apps: [[String]] {
        [["ON", "APP", "ID", "SINCE"]]
            + self.objects("virtual_devices").flatMap { device in
                (device.array("apps") ?? []).compactMap(\.objectValue).map { app in
                    [
                        device.string("name") ?? "", Self.name(of: app), app.string("app") ?? "",
                        self.time.since(app.int("since")),
                    ]
                }
            }
    }

    /// The plugins.
    var plugins: [[String]] {
        [["NAME", "STATE", "READY FOR", "RESTARTS", "MEMORY"]]
            + self.objects("plugins").map { plugin in
                [
                    plugin.string("name") ?? "", plugin.string("state") ?? "",
                    plugin.int("ready_ms").map { Duration.milliseconds($0).shownInSeconds } ?? "-",
                    "\(plugin.int("restarts") ?? 0)", plugin.int("rss_bytes").map { "\($0 / 1_048_576) MiB" } ?? "-",
                ]
            }
    }

    private static func name(of app: JSONObject?) -> String {
        guard let app else { return "-" }
        return app.string("display_name").flatMap { $0.isEmpty ? nil : $0 } ?? app.string("app") ?? "-"
    }

    private static func title(of media: JSONObject) -> String {
        let title = media.string("title") ?? "(no title)"
        return media.string("subtitle").map { "\(title), \($0)" } ?? title
    }

    private static func position(of media: JSONObject) -> String {
        let position = media["position"]?.doubleValue.map { Duration.clock($0) }
        if media.string("stream_type") == "live" { return position.map { "\($0), live" } ?? "live" }
        let duration = media["duration"]?.doubleValue.map { Duration.clock($0) }
        return [position, duration].compactMap(\.self).joined(separator: " of ")
    }
}
