import GatewayConfig
import GatewayCore
import GatewayOperations

/// Judges what a plugin is granted of provisions and operations: its own, which callers may use, and those of the gateway that it may use.
struct OperationGrantCheck {
    let instance: ConfigSection
    let folder: PluginFolder
    /// The families of the gateway's own operations.
    let families: Set<String>

    func check(_ problems: inout ConfigProblems) {
        let grant = self.instance.section("grant")
        self.checkOffers(grant, &problems)
        for provision in grant.strings("provides").compactMap(PluginProvision.init(rawValue:))
        where !self.folder.manifest.provides.contains(provision) {
            problems.add(
                .notRequested, at: grant.location("provides"),
                "'\(grant.path("provides"))' grants '\(provision.rawValue)', which '\(self.folder.manifest.id)' does not provide",
                hint: "see \(self.folder.path)/plugin.yaml")
        }
        for element in grant.list("devices") {
            guard let text = element.string, let message = DevicePattern.obstacle(in: text) else { continue }
            problems.add(.malformedValue, at: element.location, "'\(grant.path("devices"))' \(message)")
        }
        self.checkCalls(grant, &problems)
    }

    private func checkOffers(_ grant: ConfigSection, _ problems: inout ConfigProblems) {
        let own = self.folder.manifest.operations
        let isAll = grant.optionalString("as") == "manifest" && !grant.isWritten("offers")
        let globs = grant.strings("offers")
        for glob in globs where !own.contains(where: { Glob(glob).matches($0.name) }) {
            problems.add(
                .notRequested, at: grant.location("offers"),
                "'\(grant.path("offers"))' has '\(glob)', and '\(self.folder.manifest.id)' declares no such operation",
                hint: own.isEmpty
                    ? "its manifest has no 'operations'"
                    : "it declares \(own.map(\.name).joined(separator: ", "))")
        }
        let offered = isAll ? own : own.filter { operation in globs.contains { Glob($0).matches(operation.name) } }
        guard let first = offered.first, self.instance.isValid("name") else { return }
        let name = self.instance.string("name")
        let place = self.instance.location("name")
        guard let longest = offered.map(\.name).max(by: { $0.utf8.count < $1.utf8.count }),
            let known = OperationName("\(name).\(longest)")
        else {
            problems.add(
                .malformedValue, at: place,
                "'\(name)' cannot stand before the name of an operation, as in '\(name).\(first.name)'",
                hint: "such names are lower case, begin with a letter, and have 64 bytes at most with the operation's")
            return
        }
        if self.families.contains(known.family) {
            problems.add(
                .notAllowed, at: place,
                "'\(name).\(first.name)' would be one of the gateway's own operations, whose names begin with '\(known.family).'",
                hint: "give the instance another name")
        }
    }

    private func checkCalls(_ grant: ConfigSection, _ problems: inout ConfigProblems) {
        let needs = self.folder.manifest.needs
        let place = self.folder.section.section("needs")
        for glob in grant.strings("operations")
        where !needs.operations.contains(where: { $0 == glob || Glob($0).matches(glob) }) {
            problems.add(
                .notRequested, at: grant.location("operations"),
                "'\(grant.path("operations"))' grants '\(glob)', and '\(self.folder.manifest.id)' asks for "
                    + (needs.operations.isEmpty ? "no operations" : needs.operations.joined(separator: ", ")),
                hint: "see \(place.location("operations"))")
        }
        guard grant.isWritten("scopes") else { return }
        for scope in grant.strings("scopes").compactMap(OperationScope.init(rawValue:))
        where !needs.scopes.contains(scope) {
            problems.add(
                .notRequested, at: grant.location("scopes"),
                "'\(grant.path("scopes"))' grants '\(scope.rawValue)', and '\(self.folder.manifest.id)' asks for "
                    + needs.scopes.map(\.rawValue).joined(separator: ", "),
                hint: "see \(place.location("scopes"))")
        }
    }
}
