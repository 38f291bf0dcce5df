import CastClient
import CastWire
import DeviceControl
import FeatureContract
import GatewayApp
import GatewayOperations

/// What `gateway.status` answers, as `castway status` prints it.
struct StatusSheet {
    private let json: JSONObject
    private let time: LocalTime
    private let width: ScreenWidth
    private let paint: Paint

    init(_ json: JSONObject, width: ScreenWidth, paint: Paint) {
        self.json = json
        self.time = LocalTime(now: json[at: GatewayStatusResult.fields.time] ?? 0)
        self.width = width
        self.paint = paint
    }

    var lines: [String] {
        let rows = GatewayRows(self.json, self.time)
        let sections = [
            self.section("VIRTUAL DEVICES", rows.virtualDevices, state: 1),
            self.section("PLAYS", rows.playing, state: 2), self.section("MIRRORED STREAMS", rows.streams, state: nil),
            self.section("DEVICES", rows.devices, state: 1), self.section("SENDERS", rows.senders, state: nil),
            self.section("SESSIONS", rows.sessions, state: 3), self.section("PLUGINS", rows.plugins, state: 1),
            self.warnings,
        ]
        return [self.heading] + sections.filter { !$0.isEmpty }.flatMap { [""] + $0 }
    }

    private var heading: String {
        let fields = GatewayStatusResult.fields
        let (name, version) = (self.json.text(fields.name).printable, self.json.text(fields.version).printable)
        let phase = self.json.text(fields.phase, else: "unknown")
        let state = self.paint(phase.printable, phase == "ready" ? .good : .warning)
        return "\(name) (Castway \(version)) is \(state), runs since \(self.time.since(self.json[at: fields.since]))"
    }

    /// A table with a title; nothing when it has no rows.
    private func section(_ title: String, _ rows: [[String]], state column: Int?) -> [String] {
        guard rows.count > 1 else { return [] }
        let table = self.width.fitted(rows)
        return [title] + table.lines { at, cell in at == column ? self.paint(cell, Self.style(of: cell)) : cell }
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
        let warnings = self.json[at: GatewayStatusResult.fields.warnings] ?? []
        guard !warnings.isEmpty else { return [] }
        return ["WARNINGS"]
            + warnings.flatMap { warning in
                let since = warning[at: WarningResult.fields.since].map { ", since \(self.time.since($0))" } ?? ""
                let lines = self.width.wrapped(
                    (warning.text(WarningResult.fields.text) + since).printable, first: "  ! ", indent: "    ")
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

    private var allVirtualDevices: [(name: String, device: JSONObject)] {
        (self.json[at: DeviceListResult.fields.virtualDevices] ?? []).map {
            ($0.text(ListedVirtualDeviceResult.fields.name), $0)
        }
    }

    private var allApps: [(name: String, app: JSONObject)] {
        self.allVirtualDevices.flatMap { name, device in
            (device[at: VirtualDeviceResult.fields.apps] ?? []).map { (name, $0) }
        }
    }

    var virtualDevices: [[String]] {
        let (listed, fields) = (ListedVirtualDeviceResult.fields, VirtualDeviceResult.fields)
        return [["NAME", "STATE", "BEHIND IT", "SENDERS", "RUNS", "SINCE"]]
            + self.allVirtualDevices.map { name, device -> [String] in
                let isAlone = device[at: fields.isTargetOnline] == false
                let app = device[at: fields.apps]?.first
                return [
                    name, isAlone ? "target offline" : device.text(listed.state),
                    device.text(listed.target, else: "built-in"), "\(device[at: fields.senderCount] ?? 0)",
                    Self.name(of: app), self.time.since(app?[at: AppDescription.fields.since]),
                ]
            }
    }

    /// What plays on the virtual devices, and in the gateway's own sessions.
    var playing: [[String]] {
        let virtual = self.allApps.compactMap { name, app in app[at: AppDescription.fields.media].map { (name, $0) } }
        let own = self.ownSessions.compactMap { session in
            session[at: SessionResult.fields.media].map { (session.text(SessionResult.fields.device), $0) }
        }
        return [["ON", "WHAT", "STATE", "POSITION", "SINCE"]]
            + (virtual + own).map { device, media in
                [
                    device, Self.title(of: media), media[at: AppMediaResult.fields.playerState]?.rawValue ?? "",
                    Self.position(of: media), self.time.since(media[at: AppMediaResult.fields.since]),
                ]
            }
    }

    /// The streams of mirroring senders, with the datagrams that went to the device, came back, and did not pass.
    var streams: [[String]] {
        let fields = MirroringStreamResult.fields
        return [["ON", "SENDER", "TO DEVICE", "BACK", "DROPPED", "SINCE"]]
            + self.allVirtualDevices.flatMap { name, device -> [[String]] in
                (device[at: VirtualDeviceResult.fields.streams] ?? []).map { stream -> [String] in
                    let packets = stream[at: fields.packets] ?? [:]
                    return [
                        name, stream.text(fields.sender), "\(packets[at: BothWaysResult.fields.toDevice] ?? 0)",
                        "\(packets[at: BothWaysResult.fields.toSender] ?? 0)", "\(stream[at: fields.dropped] ?? 0)",
                        self.time.since(stream[at: fields.since]),
                    ]
                }
            }
    }

    var devices: [[String]] {
        let fields = RealDeviceResult.fields
        return [["NAME", "STATE", "SINCE", "ADDRESS", "MODEL", "PROOF"]]
            + (self.json[at: DeviceListResult.fields.devices] ?? []).map { device -> [String] in
                let name = device.text(fields.name)
                let shown = device.text(fields.friendlyName, else: name)
                return [
                    shown == name || device[at: fields.state] != "found" ? name : "\(shown) (\(name))",
                    device.text(fields.state), self.time.since(device[at: fields.since]),
                    device[at: fields.address] ?? device[at: fields.addresses]?.first ?? "-",
                    device.text(fields.model, else: "-"),
                    device[at: fields.proof]?[at: DeviceProofResult.fields.outcome]?.replacing("_", with: " ") ?? "-",
                ]
            }
    }

    var senders: [[String]] {
        let fields = SenderResult.fields
        return [["DEVICE", "SENDER", "ADDRESS", "NAME", "USES", "SINCE"]]
            + (self.json[at: SenderListResult.fields.senders] ?? []).map { sender -> [String] in
                let name = sender.string("name") ?? sender.string("user_agent") ?? "-"
                let apps = sender[at: fields.apps] ?? []
                return [
                    sender.text(ListedSenderResult.fields.device), sender.text(fields.id),
                    sender.text(fields.address) + (sender[at: fields.isThrottled] == true ? " (throttled)" : ""),
                    name, apps.isEmpty ? "-" : apps.joined(separator: " "), self.time.since(sender[at: fields.since]),
                ]
            }
    }

    /// The gateway's own sessions with apps on real devices.
    var sessions: [[String]] {
        [["ID", "DEVICE", "APP", "STATE", "SINCE"]]
            + self.ownSessions.map { session in
                let fields = SessionResult.fields
                let why = session[at: fields.suspendReason].map { ": " + $0.replacing("_", with: " ") } ?? ""
                return [
                    "\(session[at: fields.id] ?? 0)", session.text(fields.device),
                    Self.name(session[at: fields.displayName], session[at: fields.app]),
                    session.text(fields.state) + why, self.time.since(session[at: fields.since]),
                ]
            }
    }

    private var ownSessions: [JSONObject] { self.json[at: SessionListResult.fields.sessions] ?? [] }

    var apps: [[String]] {
        [["ON", "APP", "ID", "SINCE"]]
            + self.allApps.map { name, app in
                [
                    name, Self.name(of: app), app.text(AppDescription.fields.app),
                    self.time.since(app[at: AppDescription.fields.since]),
                ]
            }
    }

    var plugins: [[String]] {
        [["NAME", "STATE", "READY FOR", "RESTARTS", "MEMORY"]]
            + (self.json[at: PluginListResult.fields.plugins] ?? []).map { plugin in
                [
                    plugin.string("name") ?? "", plugin.string("state") ?? "",
                    plugin.int("ready_ms").map { Duration.milliseconds($0).shownInSeconds } ?? "-",
                    "\(plugin.int("restarts") ?? 0)", plugin.int("rss_bytes").map { "\($0 / 1_048_576) MiB" } ?? "-",
                ]
            }
    }

    private static func name(of app: JSONObject?) -> String {
        Self.name(app?[at: AppDescription.fields.displayName], app?[at: AppDescription.fields.app])
    }

    private static func name(_ name: String?, _ app: String?) -> String {
        name.flatMap { $0.isEmpty ? nil : $0 } ?? app ?? "-"
    }

    private static func title(of media: JSONObject) -> String {
        let title = media.text(AppMediaResult.fields.title, else: "(no title)")
        return media[at: AppMediaResult.fields.subtitle].map { "\(title), \($0)" } ?? title
    }

    private static func position(of media: JSONObject) -> String {
        let position = media[at: AppMediaResult.fields.position].map { Duration.clock($0) }
        if media[at: AppMediaResult.fields.streamType] == "live" { return position.map { "\($0), live" } ?? "live" }
        let duration = media[at: AppMediaResult.fields.duration].map { Duration.clock($0) }
        return [position, duration].compactMap(\.self).joined(separator: " of ")
    }
}
