import CastWire
import GatewayConfig
import GatewayCore
import PluginHosting

/// Warns of words that select something, are not known, and look like slips in known ones: with a slip in it a rule that forbids
/// something forbids nothing.
struct WordCheck {
    /// The keys whose apps the file offers or starts, so that they are known.
    static let appLists: Set<String> = [
        "virtual_devices[].apps[]", "virtual_devices[].apps.*", "discovery.receiver_app", "discovery.receiver_apps[]",
        "discovery.virtual_devices.apps[]", "bridges.mqtt.home_assistant.apps.*",
    ]
    /// The keys that select events.
    private static let eventKeys: Set<String> = ["bridges.webhooks[].events[]", "bridges.mqtt.events[]"]
    /// The keys that select components of the log.
    private static let componentKeys: Set<String> = ["log.levels[]", "log.levels.*"]
    /// The keys that select devices, and take names that the file does not have: those of devices that are found.
    private static let deviceKeys: Set<String> = [
        "api.tokens[].devices[]", "bridges.mqtt.devices[]", "bridges.mqtt.principals.*.devices[]",
        "plugins.instances[].grant.devices[]",
    ]
    /// The keys that select what messages come from.
    private static let sourceKeys: Set<String> = ["from", "not_from"]
    /// What begins every namespace.
    private static let namespacePrefix = "urn:x-cast:"

    private let root: ConfigSection
    private let texts: [ConfigText]
    private let known: KnownWords
    /// What was found of a word before, by the words that it was compared with.
    private var found: [String: [String: String?]] = [:]

    /// - Parameters:
    ///   - root: the checked configuration.
    ///   - folders: the plugins that it names.
    init(_ root: ConfigSection, folders: PluginFolders) {
        self.root = root
        self.texts = root.writtenTexts
        self.known = KnownWords(root, texts: self.texts, folders: folders)
    }

    /// Adds every word that looks like a slip.
    mutating func check(_ problems: inout ConfigProblems) {
        for text in self.texts { self.check(text, &problems) }
        for rule in self.root.section("routing").sections("rules") {
            guard let condition = rule.optionalSection("when") else { continue }
            if Self.mayBeCast(condition.values(of: "namespace")) {
                for key in ["type", "not_type"] { self.checkTypes(condition.values(of: key), &problems) }
            }
            for key in Self.sourceKeys.sorted() { self.checkPlugins(condition.values(of: key), &problems) }
        }
        for instance in self.root.section("plugins").sections("instances") {
            for granted in instance.section("grant").sections("namespaces")
            where Self.mayBeCast(granted.values(of: "match")) {
                self.checkTypes(granted.values(of: "types"), &problems)
            }
        }
    }

    private mutating func check(_ text: ConfigText, _ problems: inout ConfigProblems) {
        switch text.kind {
        case .appID, .appIDPattern:
            let isOffered = Self.appLists.contains(text.path)
            let (words, list) = isOffered ? (self.known.wellKnownApps, "offered") : (self.known.apps, "apps")
            guard let meant = self.slip(in: text.text, among: words, list, numbersDiffer: false) else { return }
            problems.addSuspect(text.text, what: "app", at: text.location, meant: meant)
        case .namespace, .namespacePattern:
            // Those of plugins are compared with what their manifests ask for, those of handlers with `channels`.
            guard !text.path.hasPrefix("plugins."), !text.path.hasPrefix("handlers") else { return }
            self.checkNamespace(text, &problems)
        default:
            self.checkName(text, &problems)
        }
    }

    private mutating func checkNamespace(_ text: ConfigText, _ problems: inout ConfigProblems) {
        // An app's own are what is known.
        guard !text.path.hasPrefix("virtual_devices") else { return }
        let isChannel = text.path.hasPrefix("channels")
        var words = self.known.namespaces + (isChannel ? [] : self.known.channels.filter { !$0.hasSuffix(".*") })
        guard !words.contains(where: { NamespacePattern(text.text)?.matches(Namespace(rawValue: $0)) ?? true }) else {
            return
        }
        let isPrefix = text.text.hasSuffix(".*")
        let name = isPrefix ? String(text.text.dropLast(2)) : text.text
        if isPrefix { words += words.flatMap(Self.prefixes) }
        let list = "\(isChannel ? "channels" : "namespaces")\(isPrefix ? ".*" : "")"
        guard let meant = self.slip(in: name, among: words, list, ignoring: Self.namespacePrefix) else { return }
        problems.addSuspect(
            text.text, what: "namespace", at: text.location, meant: isPrefix ? "\(meant).*" : meant)
    }

    /// What a namespace begins with, of at least two words: `urn:x-cast:com.example` of `urn:x-cast:com.example.quiz`.
    private static func prefixes(of namespace: String) -> [String] {
        let words = namespace.split(separator: ".")
        return words.count < 3 ? [] : (2..<words.count).map { words[..<$0].joined(separator: ".") }
    }

    private mutating func checkName(_ text: ConfigText, _ problems: inout ConfigProblems) {
        if Self.eventKeys.contains(text.path) {
            guard !self.known.pluginEvents.contains(where: { $0 == text.text || Glob($0).matches(text.text) }),
                let meant = self.slip(in: text.text, among: self.known.events, "events")
            else { return }
            problems.addSuspect(text.text, what: "event", at: text.location, meant: meant)
        } else if Self.componentKeys.contains(text.path) {
            guard let meant = self.slip(in: text.text, among: self.known.components, "components") else { return }
            problems.addSuspect(text.text, what: "component of the log", at: text.location, meant: meant)
        } else if Self.deviceKeys.contains(text.path) {
            guard let meant = self.slip(in: text.text, among: self.known.devices, "devices") else { return }
            problems.addSuspect(text.text, what: "device", at: text.location, meant: meant)
        }
    }

    // MARK: Rules and grants

    /// Whether namespaces can be those of Cast itself, whose types of messages are known.
    private static func mayBeCast(_ namespaces: [ConfigValue]) -> Bool {
        let patterns = namespaces.compactMap(\.string)
        return patterns.isEmpty
            || patterns.contains { pattern in
                pattern == "*" || Namespace.wellKnown.contains { NamespacePattern(pattern)?.matches($0) ?? false }
            }
    }

    private mutating func checkTypes(_ types: [ConfigValue], _ problems: inout ConfigProblems) {
        for type in types {
            guard let text = type.string, let meant = self.slip(in: text, among: self.known.types, "types") else {
                continue
            }
            problems.addSuspect(text, what: "message type", at: type.location, meant: meant)
        }
    }

    private mutating func checkPlugins(_ sources: [ConfigValue], _ problems: inout ConfigProblems) {
        let prefix = "plugin:"
        for source in sources {
            guard let text = source.string, text.hasPrefix(prefix) else { continue }
            let name = String(text.dropFirst(prefix.count))
            guard let meant = self.slip(in: name, among: self.known.plugins, "plugins") else { continue }
            problems.addSuspect(text, what: "source", at: source.location, meant: prefix + meant)
        }
    }

    // MARK: Comparing

    /// The known word that was meant; nil when nothing is suspect.
    /// - Parameter list: tells the words from others that the same word is compared with.
    private mutating func slip(
        in word: String, among words: [String], _ list: String, ignoring prefix: String = "", numbersDiffer: Bool = true
    ) -> String? {
        if let known = self.found[list]?[word] { return known }
        let meant = EditDistance.slip(in: word, among: words, ignoring: prefix, numbersDiffer: numbersDiffer)
        self.found[list, default: [:]][word] = .some(meant)
        return meant
    }
}

extension ConfigSection {
    /// The values of a key that takes one or a list of them.
    fileprivate func values(of key: String) -> [ConfigValue] { self.value(key).map { $0.list ?? [$0] } ?? [] }
}
