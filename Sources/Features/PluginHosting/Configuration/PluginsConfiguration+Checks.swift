package import GatewayConfig
internal import GatewayCore
internal import PluginKit

extension PluginsConfiguration {
    /// Adds problems between the values: grants that no manifest asks for, claims of two owners, configurations that do
    /// not fit their schema.
    ///
    /// - Parameters:
    ///   - section: The checked section `plugins`.
    ///   - folders: The folders that were read for it.
    ///   - virtualDevices: The names of all virtual devices; nil when they are not known for sure.
    ///   - groups: The names of their groups, whose members stand in their place by now.
    ///   - realDevices: The names of all real devices; nil when discovery may find others.
    ///   - families: The families of operations that the gateway has itself, which no plugin's may be called by.
    ///   - owned: Namespaces that have an owner already, with who it is, for people: built-in handlers and `channels`.
    package static func check(
        _ section: ConfigSection, folders: PluginFolders, virtualDevices: [String]?, groups: [String] = [],
        realDevices: [String]? = nil, families: Set<String> = [], owned: [String: String],
        problems: inout ConfigProblems
    ) {
        var owners: [(claim: PluginClaim, name: String, location: ConfigLocation)] = []
        var replacements = ReplacementCheck(section, virtualDevices: virtualDevices, groups: groups, owned: owned)
        section.section("defaults").section("restart").requireDuration(
            "max", exceeds: "initial", orEqual: true, problems: &problems)
        for instance in section.sections("instances") {
            let restart = instance.section("restart")
            if restart.isWritten("max"), restart.isWritten("initial") {
                restart.requireDuration("max", exceeds: "initial", orEqual: true, problems: &problems)
            }
            if instance.isWritten("enabled"), !instance.boolean("enabled"), instance.boolean("required") {
                problems.add(
                    .inconsistent, at: instance.location("enabled"),
                    "'\(instance.path("enabled"))' is false, and 'required' is true: the gateway would never be ready")
            }
            // The name is the plugin's folder below the state directory.
            if [".", ".."].contains(instance.string("name")) {
                problems.add(.malformedValue, at: instance.location("name"), "'.' and '..' name other folders")
            }
            for path in instance.strings("readable") where !path.hasPrefix("/") {
                problems.add(
                    .malformedValue, at: instance.location("readable"),
                    "'\(instance.path("readable"))' must be absolute paths, not '\(path)'")
            }
            LoaderVariables.check(instance, problems: &problems)
            guard let folder = folders[instance.string("plugin")] else { continue }
            Self.checkKind(instance, folder, allowsInProcess: section.boolean("allow_in_process"), &problems)
            Self.checkGrant(instance, folder, virtualDevices, groups, realDevices, &problems)
            OperationGrantCheck(instance: instance, folder: folder, families: families).check(&problems)
            replacements.check(instance, folder, problems: &problems)
            let sandbox = (instance.isWritten("sandbox") ? instance : section.section("defaults"))
                .word("sandbox", as: PluginSandbox.self, otherwise: .basic)
            if sandbox == .strict {
                PluginFolderLinks.check(
                    folder.path, readable: instance.strings("readable"), at: instance.location("plugin"),
                    problems: &problems)
            }
            let grant = instance.section("grant")
            for granted in grant.sections("namespaces") where granted.isValid("match") {
                Self.checkOwner(
                    GrantedNamespace(reading: granted).claim, at: granted.location("match"),
                    of: instance, owned, &owners, &problems)
            }
            if grant.asManifest, !grant.isWritten("namespaces") {
                let place = grant.location("as")
                for claim in folder.manifest.grantableClaims {
                    Self.checkPattern(claim, at: place, &problems)
                    Self.checkOwner(claim, at: place, of: instance, owned, &owners, &problems)
                }
            }
            if let schema = folder.schema, let value = instance.value("config"), value.isValid {
                _ = schema.complete(value, path: instance.path("config"), problems: &problems)
            }
        }
    }

    private static func checkKind(
        _ instance: ConfigSection, _ folder: PluginFolder, allowsInProcess: Bool, _ problems: inout ConfigProblems
    ) {
        let manifest = folder.manifest
        let kind = instance.optionalString("kind").flatMap(PluginKind.init(rawValue:)) ?? manifest.kind
        let place = instance.has("kind") ? instance.location("kind") : instance.location("plugin")
        switch kind {
        case .process where manifest.command == nil:
            problems.add(
                .unusableManifest, at: place, "the plugin '\(manifest.id)' has no 'exec' in its manifest",
                hint: "see \(folder.path)/plugin.yaml")
        case .module where manifest.module == nil:
            problems.add(
                .unusableManifest, at: place, "the plugin '\(manifest.id)' has no 'module' in its manifest",
                hint: "see \(folder.path)/plugin.yaml")
        case .module where !allowsInProcess:
            problems.add(
                .inconsistent, at: place,
                "a module is loaded into the gateway, which 'plugins.allow_in_process' forbids",
                hint: "a module's crash is the gateway's; set it to true, or run the plugin as a process")
        default: break
        }
    }

    private static func checkGrant(
        _ instance: ConfigSection, _ folder: PluginFolder, _ virtualDevices: [String]?,
        _ groups: [String], _ realDevices: [String]?, _ problems: inout ConfigProblems
    ) {
        let manifest = folder.manifest
        let grant = instance.section("grant")
        let claims = folder.section.location("claims")
        for granted in grant.sections("namespaces") where granted.isValid("match") && granted.isValid("phase") {
            let claim = GrantedNamespace(reading: granted).claim
            let place = granted.location("match")
            Self.checkPattern(claim, at: place, &problems)
            if !manifest.claims.contains(where: { claim.isCovered(by: $0) }) {
                problems.add(
                    .notRequested, at: place,
                    "'\(claim.match)' in the phase \(claim.phase.rawValue)\(claim.leg == .own ? " on the leg 'own'" : "") is granted, but '\(manifest.id)' does not ask for it",
                    hint: "its claims are at \(claims)")
            }
            for device in claim.devices ?? [] {
                let place = granted.location("devices")
                if claim.isOwn {
                    problems.addUngranted(device, at: place, realDevices: realDevices)
                } else {
                    problems.addUngranted(device, at: place, virtualDevices: virtualDevices, groups: groups)
                }
            }
        }
        let needs = folder.section.section("needs")
        func refuse(_ key: String, _ isTooMuch: Bool, _ asked: String) {
            guard isTooMuch else { return }
            problems.add(
                .notRequested, at: grant.location(key),
                "'\(grant.path(key))' grants more than '\(manifest.id)' asks for, which is \(asked)",
                hint: "see \(needs.location(key))")
        }
        let send = grant.word("send", as: PluginGrant.SendScope.self, otherwise: .none)
        refuse("send", send.rank > manifest.needs.send.rank, manifest.needs.send.rawValue)
        let network = grant.word("network", as: PluginGrant.Network.self, otherwise: .none)
        refuse("network", network.rank > manifest.needs.network.rank, manifest.needs.network.rawValue)
        refuse("storage", grant.size("storage") > manifest.needs.storage, "\(manifest.needs.storage) bytes")
        for event in grant.strings("events") {
            let isAsked = manifest.needs.events.contains { $0 == event || Glob($0).matches(event) }
            refuse(
                "events", !isAsked,
                manifest.needs.events.isEmpty ? "none" : manifest.needs.events.joined(separator: ", "))
        }
    }

    private static func checkPattern(
        _ claim: PluginClaim, at place: ConfigLocation, _ problems: inout ConfigProblems
    ) {
        problems.addIfReserved(claim.match, at: place)
        if claim.match == "*", claim.phase == .handle {
            problems.add(
                .notAllowed, at: place, "'*' cannot be granted to handle; only filters and observers see everything"
            )
        }
    }

    private static func checkOwner(
        _ claim: PluginClaim, at place: ConfigLocation, of instance: ConfigSection, _ owned: [String: String],
        _ owners: inout [(claim: PluginClaim, name: String, location: ConfigLocation)],
        _ problems: inout ConfigProblems
    ) {
        guard claim.phase == .handle else { return }
        let name = instance.string("name")
        if !claim.isOwn, let owner = owned[claim.match] {
            problems.add(
                .claimConflict, at: place,
                "'\(claim.match)' is granted to '\(name)' to handle, but \(owner) handles it",
                hint: ReplacementCheck.hint(for: claim, in: instance.section("grant")))
        }
        if let other = owners.first(where: { $0.claim.shares(with: claim) }), other.name != name {
            problems.add(
                .claimConflict, at: place, "'\(claim.match)' is granted to '\(name)' and to '\(other.name)' to handle",
                hint: "the other grant is at \(other.location)")
        }
        owners.append((claim, name, place))
    }
}

extension ConfigSection {
    /// True if this section `grant` takes over what the manifest asks for.
    fileprivate var asManifest: Bool { self.optionalString("as") == "manifest" }
}

extension PluginGrant.SendScope {
    /// The order of scopes, the narrowest first.
    var rank: Int {
        switch self {
        case .none: 0
        case .sameSession: 1
        case .device: 2
        case .any: 3
        }
    }
}

extension PluginGrant.Network {
    /// The order of scopes, the narrowest first.
    var rank: Int {
        switch self {
        case .none: 0
        case .loopback: 1
        case .any: 2
        }
    }
}
