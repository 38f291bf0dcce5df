internal import GatewayConfig

/// Variables of the environment that the dynamic loader and the C library act on before a program does anything itself.
///
/// None of them is a plugin's to set: what they would load is no part of what was checked.
enum LoaderVariables {
    /// The limit of an environment's size, in bytes; the rest of the launcher's 128 KiB is for what the gateway adds.
    static let maximumSize = 96 << 10

    private static let names: Set<String> = ["GLIBC_TUNABLES", "GCONV_PATH", "LOCPATH", "NLSPATH"]
    private static let prefixes = ["LD_", "MALLOC_"]

    /// True if a variable is one of them.
    static func contain(_ name: String) -> Bool {
        self.names.contains(name) || self.prefixes.contains { name.hasPrefix($0) }
    }

    /// Adds what is wrong with the key `env` of a manifest or an instance.
    static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        var size = 0
        for entry in section.map("env") {
            let value = entry.value.string ?? entry.value.secret?.reveal() ?? ""
            size += entry.key.utf8.count + value.utf8.count + 2
            guard self.contain(entry.key) else { continue }
            problems.add(
                .loaderVariable, at: section.location("env"),
                "'\(section.path("env"))' sets '\(entry.key)', which the dynamic loader or the C library acts on",
                hint: "link what the plugin needs by a path relative to it ($ORIGIN), or start it by a script")
        }
        if size > self.maximumSize {
            problems.add(
                .outOfRange, at: section.location("env"),
                "'\(section.path("env"))' has \(size) bytes of names and values; it may have \(self.maximumSize)")
        }
    }
}
