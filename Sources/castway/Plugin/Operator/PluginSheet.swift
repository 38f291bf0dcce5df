import CastWire

/// One plugin as `plugin inspect` prints it.
struct PluginSheet {
    let json: JSONObject

    init(_ json: JSONObject) {
        self.json = json
    }

    var lines: [String] {
        let json = self.json
        var rows: [(String, String)] = [
            ("plugin", "\(json.string("plugin") ?? "") \(json.string("version") ?? ""), \(json.string("kind") ?? "")"),
            ("state", [json.string("state"), json.string("reason")].compactMap { $0 }.joined(separator: ": ")),
        ]
        if let pid = json.int("pid") {
            let memory = json.int("rss_bytes").map { ", \($0 / 1_048_576) MiB" } ?? ""
            let ready = json.int("ready_ms").map { ", ready for \(Duration.milliseconds($0).shown)" } ?? ""
            rows.append(("process", "\(pid)\(memory)\(ready), started again \(json.int("restarts") ?? 0) times"))
        }
        if json.bool("required") == true { rows.append(("required", "the gateway is not ready without it")) }
        rows += (json.array("claims") ?? []).compactMap(\.objectValue).map { ("asked about", Self.claim($0)) }
        rows += (json.array("replaces") ?? []).compactMap(\.stringValue).map { ("replaces", $0) }
        if let grant = json.object("grant") { rows += Self.grant(grant) }
        if let limits = json.object("limits") {
            let memory = (limits.int("memory_bytes") ?? 0) / 1_048_576
            let state = (limits.int("state_bytes") ?? 0) / 1_048_576
            rows.append(
                (
                    "limits",
                    "\(memory) MiB, \(limits.int("open_files") ?? 0) open files, \(limits.int("processes") ?? 0) processes; sandbox \(json.string("sandbox") ?? "")"
                ))
            rows.append(("state folder", "\(state) MiB, \(limits.int("state_files") ?? 0) files; 0 is no limit"))
        }
        rows += (json.array("unenforced") ?? []).compactMap(\.stringValue).map { ("not enforced", $0) }
        rows.append(("in flight", "\(json.int("in_flight") ?? 0)"))
        rows += (json.array("open_breakers") ?? []).compactMap(\.stringValue).map {
            ("not asked", "on \($0), after failures")
        }
        let counts = (json.object("counts")?.members ?? []).filter { $0.value.intValue != 0 }
        let counted = counts.map { "\($0.value.intValue ?? 0) \($0.name.replacing("_", with: " "))" }
        rows.append(("counted", counted.isEmpty ? "nothing yet" : counted.joined(separator: ", ")))
        let width = (rows.map(\.0.count).max() ?? 0) + 2
        let stderr = (json.array("stderr") ?? []).compactMap(\.stringValue)
        let said = stderr.isEmpty ? [] : ["last of its standard error:"] + stderr.map { "  \($0)" }
        return ([json.string("name") ?? ""] + rows.map { "  \($0.0.padded(to: width))\($0.1)" } + said).map(\.printable)
    }

    private static func claim(_ claim: JSONObject) -> String {
        let words = ["types", "directions", "devices"].compactMap { name -> String? in
            guard let values = claim.array(name)?.compactMap(\.stringValue), !values.isEmpty else { return nil }
            return values.joined(separator: ", ")
        }
        let rest = words.isEmpty ? "" : " (\(words.joined(separator: "; ")))"
        return "\(claim.string("phase") ?? "") \(claim.string("match") ?? "")\(rest)"
    }

    private static func grant(_ grant: JSONObject) -> [(String, String)] {
        let events = grant.array("events")?.compactMap(\.stringValue) ?? []
        return [
            (
                "granted",
                "send \(grant.string("send") ?? "none"), events \(events.isEmpty ? "none" : events.joined(separator: ", ")), network \(grant.string("network") ?? "none"), storage \(grant.int("storage") ?? 0) bytes"
            )
        ]
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
