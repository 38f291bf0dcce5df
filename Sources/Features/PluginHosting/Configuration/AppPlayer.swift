internal import CastWire
package import GatewayConfig
internal import GatewayCore
internal import PluginKit

/// A plugin that is the player of an app: it owns the media namespace of that app on that virtual device.
package struct AppPlayer: Sendable, Hashable {
    package var device: String
    package var app: String
    package var plugin: String

    package init(device: String, app: String, plugin: String) {
        self.device = device
        self.app = app
        self.plugin = plugin
    }
}

extension PluginsConfiguration {
    /// Grants the media namespace of apps to the plugins that are their players, as far as their manifests ask for it.
    package mutating func grant(_ players: [AppPlayer]) {
        for index in self.instances.indices {
            let name = self.instances[index].name
            let own = players.filter { $0.plugin == name }
            let asked = self.instances[index].manifest.playerClaims
            for device in Set(own.map(\.device)).sorted() {
                for var claim in asked {
                    claim.devices = [device]
                    claim.apps = own.filter { $0.device == device }.map(\.app).sorted()
                    self.instances[index].namespaces.append(GrantedNamespace(claim))
                }
            }
        }
    }

    /// Adds what is wrong with players: plugins that are not listed, and those that do not ask to own the media namespace.
    /// - Parameters:
    ///   - players: each section that names a plugin.
    ///   - section: the checked section `plugins`.
    package static func check(
        players: [ConfigSection], _ section: ConfigSection, folders: PluginFolders, problems: inout ConfigProblems
    ) {
        for player in players where player.isValid("plugin") {
            guard let folder = self.folder(namedBy: player, section, folders, &problems), !folder.manifest.canPlay
            else { continue }
            problems.add(
                .notRequested, at: player.location("plugin"),
                "'\(player.string("plugin"))' is to be an app's player, but '\(folder.manifest.id)' does not ask to handle \(Namespace.media)",
                hint: "its claims are at \(folder.section.location("claims"))")
        }
    }

    /// Adds what is wrong with providers: plugins that are not listed, and those that do not provide what is wanted.
    /// - Parameters:
    ///   - providers: each section that names a plugin.
    ///   - kind: what the plugins are to provide.
    ///   - section: the checked section `plugins`.
    package static func check(
        providers: [ConfigSection], of kind: PluginProvision, _ section: ConfigSection, folders: PluginFolders,
        problems: inout ConfigProblems
    ) {
        for provider in providers where provider.isValid("plugin") {
            guard let folder = self.folder(namedBy: provider, section, folders, &problems),
                !folder.manifest.provides.contains(kind)
            else { continue }
            problems.add(
                .notRequested, at: provider.location("plugin"),
                "'\(provider.string("plugin"))' is to provide a \(kind.rawValue), but '\(folder.manifest.id)' does not have 'provides: [\(kind.rawValue)]'",
                hint: "see \(folder.path)/plugin.yaml")
        }
    }

    /// The folder of the plugin that a section names; nil when it is not known, which is a problem when it is not listed.
    private static func folder(
        namedBy user: ConfigSection, _ section: ConfigSection, _ folders: PluginFolders,
        _ problems: inout ConfigProblems
    ) -> PluginFolder? {
        let instances = section.sections("instances")
        let names = instances.compactMap { $0.isValid("name") ? $0.string("name") : nil }
        let name = user.string("plugin")
        if let instance = instances.first(where: { $0.isValid("name") && $0.string("name") == name }) {
            return folders[instance.string("plugin")]
        }
        // One that cannot be read may be the one that is meant.
        if names.count == instances.count, section.isValid("instances") {
            problems.addUndefined(
                name, what: "plugin", at: user.location("plugin"), known: names, place: "plugins.instances")
        }
        return nil
    }
}

extension PluginManifest {
    /// The claims that `grant: {as: manifest}` grants: all but those on apps' media, which only an app's `player` gives
    /// away.
    var grantableClaims: [PluginClaim] {
        self.claims.filter { $0.phase != .handle || $0.match != Namespace.media.rawValue }
    }

    /// True if it may be an app's player: it asks to handle what senders say in the media namespace.
    package var canPlay: Bool { !self.playerClaims.isEmpty }

    fileprivate var playerClaims: [PluginClaim] {
        self.claims.compactMap { claim in
            guard claim.phase == .handle, claim.ways.contains(.toReceiver),
                NamespacePattern(claim.match)?.matches(.media) ?? false
            else { return nil }
            return PluginClaim(match: Namespace.media.rawValue, phase: .handle, types: claim.types)
        }
    }
}
