package import GatewayConfig
import GatewayOperations

extension MQTTConfiguration {
    /// Adds what is wrong between the values: an address that is none, TLS files without TLS, a password without a name, topics that
    /// cannot be published, and rights that no caller over MQTT can have.
    package static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        self.checkAddress(section, problems: &problems)
        section.requireTogether("certificate_file", "private_key_file", problems: &problems)
        if section.has("password"), !section.has("username") {
            problems.add(
                .inconsistent, at: section.location("password"),
                "'\(section.path("password"))' has no effect without '\(section.path("username"))'",
                hint: "add the name under which the broker knows the gateway: username: castway")
        }
        self.checkTopic("prefix", of: section, problems: &problems)
        if let inner = section.optionalSection("home_assistant") {
            self.checkTopic("prefix", of: inner, problems: &problems)
            if section.isValid("prefix"), inner.isValid("prefix"), inner.string("prefix") == section.string("prefix") {
                problems.add(
                    .inconsistent, at: inner.location("prefix"),
                    "'\(inner.path("prefix"))' and '\(section.path("prefix"))' are the same topic",
                    hint: "leave both out: homeassistant and castway")
            }
        }
        self.checkChannelTopic(section, problems: &problems)
        self.checkRights(section, problems: &problems)
        for element in section.list("response_topics") {
            guard let text = element.string, MQTTTopicFilter(text) == nil else { continue }
            problems.add(
                .malformedValue, at: element.location,
                "'\(section.path("response_topics"))' must be topics whose first level is written out, not '\(text.prefix(80))'",
                hint:
                    "panels/+/answers, panels/#; '\(section.string("prefix"))/GATEWAY/rpc-reply/…' is taken without it")
        }
        for element in section.list("events") {
            guard let text = element.string, let message = self.patternFault(text) else { continue }
            problems.add(.malformedValue, at: element.location, "'\(section.path("events"))' \(message)")
        }
        let length = section.map("principals").count
        if length > 256 {
            problems.add(
                .outOfRange, at: section.location("principals"),
                "'\(section.path("principals"))' has \(length) names, and may have 256")
        }
    }

    private static func checkAddress(_ section: ConfigSection, problems: inout ConfigProblems) {
        guard section.isValid("url") else { return }
        let text = section.string("url")
        guard let address = MQTTAddress(text) else {
            let hint =
                text.contains("@")
                ? "the name and the password are keys of their own: username, password_file"
                : "as in mqtt://broker.example.com, mqtts://broker.example.com:8883, mqtt://[fd00::1]"
            problems.add(
                .malformedValue, at: section.location("url"),
                "'\(section.path("url"))' must be mqtt://HOST[:PORT] or mqtts://HOST[:PORT]"
                    + (text.contains("@") ? "" : ", not '\(text.prefix(80))'"),
                hint: hint)
            return
        }
        guard !address.isEncrypted else { return }
        let key = ["ca_file", "certificate_file", "private_key_file"].first { section.isWritten($0) && section.has($0) }
        if let key {
            problems.add(
                .inconsistent, at: section.location(key),
                "'\(section.path(key))' has no effect, since '\(section.path("url"))' is without TLS",
                hint: "write mqtts:// for TLS")
        }
    }

    private static func checkTopic(_ key: String, of section: ConfigSection, problems: inout ConfigProblems) {
        guard section.isValid(key) else { return }
        let text = section.string(key)
        let levels = text.split(separator: "/", omittingEmptySubsequences: false)
        guard text.hasPrefix("$") || levels.contains(where: \.isEmpty) || text.contains(where: { "+#".contains($0) })
        else { return }
        problems.add(
            .malformedValue, at: section.location(key),
            "'\(section.path(key))' must be a topic, not '\(text.prefix(80))'",
            hint: "levels with / between them, without + and #, not beginning with $: castway, sites/berlin")
    }

    /// Adds a template that is none, and one by which messages of senders could come to topics that others take orders from.
    private static func checkChannelTopic(_ section: ConfigSection, problems: inout ConfigProblems) {
        let key = "channel_topic"
        guard section.isValid(key), let text = section.optionalString(key) else { return }
        self.checkTopic(key, of: section, problems: &problems)
        let place = section.location(key)
        do throws(AddressTemplate.Malformed) {
            _ = try AddressTemplate(text)
        } catch {
            problems.add(.malformedValue, at: place, "'\(section.path(key))' \(error)")
            return
        }
        func first(_ topic: String) -> Substring { topic.prefix { $0 != "/" } }
        let level = first(text)
        let own = [section.string("prefix"), section.optionalSection("home_assistant")?.string("prefix") ?? ""]
        if level.contains("{") || own.contains(where: { first($0) == level }) {
            problems.add(
                .notAllowed, at: place,
                "'\(section.path(key))' must begin with a level of its own, without a placeholder",
                hint: "apps/{device}/{channel}; below '\(first(section.string("prefix")))' are commands")
        }
    }

    /// Adds scopes that callers over MQTT cannot have, and devices that cannot be meant.
    static func checkRights(_ section: ConfigSection, problems: inout ConfigProblems) {
        let refused: Set<String> = [OperationScope.admin.rawValue, OperationScope.credentials.rawValue]
        for element in section.list("scopes") {
            guard let text = element.string, refused.contains(text) else { continue }
            problems.add(
                .notAllowed, at: element.location, "'\(section.path("scopes"))' may not have '\(text)'",
                hint: "MQTT does not tell who published a command; use the API for what takes '\(text)'")
        }
        for element in section.list("devices") {
            guard let text = element.string, let message = self.patternFault(text) else { continue }
            problems.add(.malformedValue, at: element.location, "'\(section.path("devices"))' \(message)")
        }
    }

    private static func patternFault(_ text: String) -> String? {
        if text.isEmpty { return "must not be empty" }
        if text.contains("**") { return "has two stars in a row: '\(text)'" }
        return text.first { "?[]{}\\".contains($0) }
            .map { "has '\($0)', but only * stands for other characters: '\(text)'" }
    }
}
