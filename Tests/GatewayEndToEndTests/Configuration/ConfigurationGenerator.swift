import CastwayTestSupport
import GatewayConfig

/// Writes configurations at random: most of them nearly right, so that what is wrong is one thing among many.
struct ConfigurationGenerator {
    /// What values are taken from where any value would do.
    struct Pool {
        /// Ports on which nothing listens.
        var ports: [Int]
        /// Hosts at which the machine can listen.
        var hosts: [String]
        /// Files: certificates, keys, and some that are neither or not there.
        var files: [String]
        /// Where plugins lie.
        var pluginDirectories: [String]
        /// A folder for sockets.
        var folder: String
    }

    private static let names = ["hall", "lobby", "office", "bench"]
    private static let texts = ["hall", "lobby", "office", "Lobby — screen", "x", "media", "rules", "receiver"]
    private static let plugins = ["com.example.quiz", "com.example.points", "com.example.none", "com.example.schema"]
    private static let namespaces = [
        "urn:x-cast:com.example.echo", "urn:x-cast:com.example.chat", "urn:x-cast:com.example.quiz",
        "urn:x-cast:com.example.loyalty", "urn:x-cast:com.google.cast.media", "urn:x-cast:com.google.cast.receiver",
        "urn:x-cast:com.google.cast.multizone", "urn:x-cast:com.google.cast.setup",
        "urn:x-cast:com.google.cast.receiver.discovery", "urn:x-cast:com.google.cast.tp.heartbeat",
    ]
    private static let apps = ["CC1AD845", "ABCD1234", "0F5096E8", "YouTube"]

    var random: SeededGenerator
    let pool: Pool

    /// A whole file of the schema.
    mutating func text(of schema: ConfigSchema) -> String { self.value(of: schema, at: "") + "\n" }

    /// A file with a few changes.
    mutating func mutated(_ text: String) -> String {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        for _ in 0..<self.random.int(1...3) {
            let index = self.random.int(0...(lines.count - 1))
            switch self.random.int(0...5) {
            case 0: lines.remove(at: index)
            case 1: lines.insert(lines[index], at: index)
            case 2: lines.swapAt(index, self.random.int(0...(lines.count - 1)))
            case 3: lines[index] = self.replacing(lines[index], by: self.any(Self.namespaces), from: Self.namespaces)
            case 4:
                // Those of the file: of clashes and loops there are to be many.
                let ports = self.pool.ports.map(String.init).filter(text.contains)
                lines[index] = self.replacing(lines[index], by: self.any(ports), from: ports)
            default: lines[index] = self.replacing(lines[index], by: self.any(Self.texts), from: Self.names)
            }
        }
        return lines.joined(separator: "\n")
    }

    private func replacing(_ line: String, by new: String, from old: [String]) -> String {
        old.first { line.contains($0) }.map { line.replacing($0, with: new) } ?? line
    }

    // MARK: Values

    private mutating func value(of schema: ConfigSchema, at path: String) -> String {
        // Now and then something that belongs elsewhere.
        if self.random.once(in: 400) { return self.any(["null", "[]", "{}", "7", "\"\"", "true", "\"5s\""]) }
        switch schema.kind {
        case .object(let fields): return self.object(fields, at: path)
        case .list(let element, _):
            return "[" + self.several(0...2) { $0.value(of: element, at: path) }.joined(separator: ", ") + "]"
        case .map(let key, let value):
            let entries = self.several(0...2) { "\($0.value(of: key, at: path)): \($0.value(of: value, at: path))" }
            return "{" + entries.joined(separator: ", ") + "}"
        case .openObject(let fields, let key, let value):
            let chosen = self.value(of: .map(key: key, value: value), at: path)
            return self.random.once(in: 2) ? chosen : self.object(fields, at: path)
        case .text(let rule): return Self.quoted(self.text(rule, at: path))
        case .word(let words):
            // The other actions want keys beside them.
            let isPlain = path == "routing.rules.action" && !self.random.once(in: 8)
            return self.any(isPlain ? ["allow", "reject", "drop"] : words)
        case .boolean: return self.any(["true", "false"])
        case .integer(let range): return "\(self.number(range))"
        case .number(let range): return "\(self.any([range.lowerBound, range.upperBound]))"
        case .duration(let range): return "\(self.milliseconds(range))ms"
        case .size(let range): return "\(self.number(range))B"
        case .listenAddress: return Self.quoted(self.address)
        case .dialAddress: return "\"127.0.0.1:\(self.any(self.pool.ports))\""
        case .addressRange: return Self.quoted(self.any(["127.0.0.0/8", "::1", "10.20.0.0/16"]))
        case .namespace: return Self.quoted(self.any(Self.namespaces))
        case .namespacePattern: return Self.quoted(self.any(Self.namespaces + ["urn:x-cast:com.example.*"]))
        case .appID, .appIDPattern: return Self.quoted(self.any(Self.apps))
        case .glob: return Self.quoted(self.any(["*", "hall*", "x"]))
        case .path:
            let isDirectory = path.hasSuffix(".directory")
            return Self.quoted(self.any(isDirectory ? self.pool.pluginDirectories : self.pool.files))
        case .uuid: return "\"2b1f8b0e-6f0c-4c6b-9d3b-0c8f7b8a1d2e\""
        case .secret: return "\"secret\""
        case .formatVersion(let version): return "\(version)"
        case .json: return self.any(["{}", "{\"questions\": 5}", "[1]"])
        case .oneOf(let choices):
            // The last kind of target, a device that is passed through, contradicts most keys.
            let isUsual = path == "virtual_devices.target" && !self.random.once(in: 30)
            return self.value(of: choices[self.random.int(0...(choices.count - (isUsual ? 2 : 1)))], at: path)
        }
    }

    private mutating func object(_ fields: [ConfigField], at path: String) -> String {
        var members: [String] = []
        for field in fields where field.name != "include" {
            let place = path.isEmpty ? field.name : "\(path).\(field.name)"
            // The top has all of them often; below it most keys keep their defaults.
            let rarity = Self.isSeldom(place) ? 30 : path.isEmpty ? 2 : 5
            let isThere =
                field.presence == .required ? !self.random.once(in: 300) : self.random.once(in: rarity)
            guard isThere else { continue }
            members.append("\(Self.quoted(field.name)): \(self.value(of: field.schema, at: place))")
        }
        return "{" + members.joined(separator: ", ") + "}"
    }

    /// Whether a key mostly contradicts those beside it.
    private static func isSeldom(_ place: String) -> Bool {
        [
            "catalogues", "groups", "keys", "pictures.source", "virtual_device_defaults", "virtual_devices.group",
            "virtual_devices.mirroring", "virtual_devices.senders.during", "virtual_devices.senders.max",
            "virtual_devices.senders.stop_at_end", "virtual_devices.volume.max",
        ].contains(place)
            || place.hasPrefix("routing.rules.when.not_") || place == "routing.rules.when.time_zone"
            || ["routing.rules.set", "routing.rules.remove", "routing.rules.limit"].contains(place)
    }

    private mutating func text(_ rule: ConfigTextRule, at path: String) -> String {
        switch path {
        case "admin.listen":
            return self.any([
                "off", "unix:\(self.pool.folder)/a.sock", "127.0.0.1:\(self.any(self.pool.ports))", "127.0.0.1:0",
                "0.0.0.0:\(self.any(self.pool.ports))",
            ])
        case "plugins.instances.plugin": return self.any(Self.plugins)
        case "virtual_devices.name", "discovery.static.name", "virtual_devices.target.device":
            return self.any(Self.names)
        case "virtual_devices.mirroring.ports": return self.any(["40000-40100", "50000-50000"])
        case "routing.rules.when.during", "routing.rules.when.not_during":
            return self.any(["Mon-Fri 08:00-16:00", "Sat,Sun", "22:00-06:00"])
        case "routing.rules.when.from", "routing.rules.when.not_from": return self.any(["sender", "plugin:*"])
        case "routing.time_zone", "routing.rules.when.time_zone": return self.any(["Europe/Berlin", "UTC"])
        case "routing.rules.limit.rate": return self.any(["10/1m", "1/1s"])
        case "routing.rules.set", "routing.rules.remove":
            return self.any(["/media/title", "/credentials"])
        default: return self.any(rule.allowed == nil ? Self.texts : Self.names + ["media", "receiver", "rules"])
        }
    }

    private var address: String {
        mutating get {
            let host = self.any(self.pool.hosts)
            let port = self.random.once(in: 8) ? 0 : self.any(self.pool.ports)
            return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        }
    }

    private mutating func number(_ range: ClosedRange<Int>) -> Int {
        self.any([range.lowerBound, range.upperBound, range.lowerBound + (range.upperBound - range.lowerBound) / 2])
    }

    private mutating func milliseconds(_ range: ClosedRange<Duration>) -> Int64 {
        let chosen = self.any([
            range.lowerBound, min(range.upperBound, .seconds(1)), min(range.upperBound, .seconds(5)),
        ])
        let parts = max(chosen, range.lowerBound).components
        return parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000
    }

    private mutating func several(_ count: ClosedRange<Int>, _ make: (inout Self) -> String) -> [String] {
        (0..<self.random.int(count)).map { _ in make(&self) }
    }

    private mutating func any<Element>(_ elements: [Element]) -> Element {
        elements[self.random.int(0...(elements.count - 1))]
    }

    private static func quoted(_ text: String) -> String { "\"\(text)\"" }
}
