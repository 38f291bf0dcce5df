import CastWire
import GatewayApp
import GatewayOperations

struct PluginSheet {
    let json: JSONObject

    init(_ json: JSONObject) { self.json = json }

    var lines: [String] {
        let json = self.json
        let (short, fields) = (PluginResult.fields, PluginDetailsResult.fields)
        var rows: [(String, String)] = [
            ("plugin", "\(json.text(short.plugin)) \(json.text(short.version)), \(json.text(short.pluginKind))"),
            ("state", [json.text(short.state), json[at: short.reason]].compactMap { $0 }.joined(separator: ": ")),
        ]
        if let pid = json[at: short.processID] {
            let memory = json[at: short.residentBytes].map { ", \($0 / 1_048_576) MiB" } ?? ""
            let ready = json[at: short.readyFor].map { ", ready for \(Duration.milliseconds($0).shown)" } ?? ""
            rows.append(("process", "\(pid)\(memory)\(ready), started again \(json[at: short.restarts] ?? 0) times"))
        }
        if json[at: short.isRequired] == true { rows.append(("required", "the gateway is not ready without it")) }
        rows += (json[at: fields.claims] ?? []).map { ("asked about", Self.claim($0)) }
        rows += (json[at: fields.replaces] ?? []).map { ("replaces", $0) }
        if let grant = json[at: fields.grant] { rows.append(("granted", Self.grant(grant))) }
        if let limits = json[at: fields.limits] {
            let memory = (limits.int("memory_bytes") ?? 0) / 1_048_576
            let state = (limits.int("state_bytes") ?? 0) / 1_048_576
            let counts = "\(limits.int("open_files") ?? 0) open files, \(limits.int("processes") ?? 0) processes"
            rows.append(("limits", "\(memory) MiB, \(counts); sandbox \(json.text(fields.sandbox))"))
            rows.append(("state folder", "\(state) MiB, \(limits.int("state_files") ?? 0) files; 0 is no limit"))
        }
        rows += (json[at: short.unenforced] ?? []).map { ("not enforced", $0) }
        rows.append(("in flight", "\(json[at: fields.inFlight] ?? 0)"))
        rows += (json[at: fields.openBreakers] ?? []).map { ("not asked", "on \($0), after failures") }
        let counts = (json[at: fields.counts]?.members ?? []).filter { $0.value.intValue != 0 }
        let counted = counts.map { "\($0.value.intValue ?? 0) \($0.name.replacing("_", with: " "))" }
        rows.append(("counted", counted.isEmpty ? "nothing yet" : counted.joined(separator: ", ")))
        let width = (rows.map(\.0.count).max() ?? 0) + 2
        let stderr = json[at: fields.standardError] ?? []
        let said = stderr.isEmpty ? [] : ["last of its standard error:"] + stderr.map { "  \($0)" }
        return ([json.text(short.name)] + rows.map { "  \($0.0.padded(to: width))\($0.1)" } + said).map(\.printable)
    }

    private static func claim(_ claim: JSONObject) -> String {
        let words = ["types", "directions", "devices"].compactMap { claim.texts($0).ifGiven?.joined(separator: ", ") }
        let rest = words.isEmpty ? "" : " (\(words.joined(separator: "; ")))"
        return "\(claim.string("phase") ?? "") \(claim.string("match") ?? "")\(rest)"
    }

    private static func grant(_ grant: JSONObject) -> String {
        let events = grant.texts("events").ifGiven?.joined(separator: ", ") ?? "none"
        let (send, network) = (grant.string("send") ?? "none", grant.string("network") ?? "none")
        return "send \(send), events \(events), network \(network), storage \(grant.int("storage") ?? 0) bytes"
    }
}

extension Duration {
    /// Two units at most: `3d 4h`, `12m 5s`, `850ms`.
    var shown: String {
        let milliseconds = Int(self / .milliseconds(1))
        if milliseconds < 1000 { return "\(milliseconds)ms" }
        let units = [("d", 86_400), ("h", 3600), ("m", 60), ("s", 1)]
        var rest = milliseconds / 1000
        var parts: [String] = []
        for (unit, seconds) in units where rest >= seconds || !parts.isEmpty {
            guard parts.count < 2 else { break }
            if rest / seconds > 0 || parts.isEmpty { parts.append("\(rest / seconds)\(unit)") }
            rest %= seconds
        }
        return parts.joined(separator: " ")
    }
}
