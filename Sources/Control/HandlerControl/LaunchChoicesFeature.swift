package import CastWire
package import FeatureContract
import GatewayCore
import GatewayOperations
import GatewaySettings
import Logging
import NIOPosix
package import NamespaceHandlers
import PluginHosting
import StateStore
import Synchronization

/// What of `launch` is chosen while the gateway runs, until it ends or for good.
///
/// Of three that speak about a key the last one counts: the file, what is kept in the state database, what was chosen in this run.
package final class LaunchChoicesFeature: OperatingFeature {
    package let name = "launch choices"
    private let launch: LaunchSettings
    private let context: GatewayContext
    private let receiverApp: @Sendable () -> AppID?
    private let onChange: @Sendable () async throws -> Void
    private let store: LaunchChoiceStore
    /// Why what is kept would be lost at the end; nil when it would not.
    private let volatility: String?
    /// What is kept; held while it is written, so that one change comes after the other.
    private let kept: Mutex<CategoryLaunchChoices>
    /// Where writing happens.
    private let pool = NIOThreadPool.singleton

    /// - Parameters:
    ///   - kept: what was kept, and is in force.
    ///   - receiverApp: the app that is launched on devices.
    ///   - onChange: lists the devices that have that app.
    package init(
        _ context: GatewayContext, launch: LaunchSettings, store: LaunchChoiceStore, kept: CategoryLaunchChoices,
        volatility: String?, receiverApp: @escaping @Sendable () -> AppID?,
        onChange: @escaping @Sendable () async throws -> Void
    ) {
        self.context = context
        self.launch = launch
        self.store = store
        self.kept = Mutex(kept)
        self.volatility = volatility
        self.receiverApp = receiverApp
        self.onChange = onChange
    }

    package static let offered: [Offer<LaunchChoicesFeature>] = [
        Offer { GetLaunch(feature: $0) },
        Offer { SetLaunch(feature: $0) },
        Offer { ResetLaunch(feature: $0) },
    ]

    package func services(among features: [any GatewayFeature]) -> [StagedService] {
        let choices = self.launch.allChoices
        let keys =
            choices[nil].keys.map(\.rawValue)
            + choices.categories.flatMap { category in
                choices[category].keys.map { "\($0.rawValue) of \(category)" }
            }
        if !keys.isEmpty {
            self.context.makeLogger("Gateway").notice(
                "Launches follow choices that are kept, and not the file alone",
                metadata: [
                    "keys": "\(keys.joined(separator: ", "))", "back": "castway call launch.reset",
                ])
        }
        return []
    }

    /// The choices that launches follow now.
    var json: JSONObject {
        let kept = self.kept.withLock { $0 }
        let categories = self.categories.map { CategoryLaunchResult.Source($0, self.followed(by: $0, kept)) }
        return LaunchResult.json((self.receiverApp(), self.followed(by: nil, kept), categories))
    }

    /// The categories of which the file or an operation says something, by name.
    private var categories: [DeviceCategory] {
        let file = self.launch.configuration.categories.map { DeviceCategory(rawValue: $0.category) }
        return Set(file + self.launch.allChoices.categories).sorted { $0.rawValue < $1.rawValue }
    }

    /// The choices that launches follow on the devices of a category, or on all.
    private func followed(
        by category: DeviceCategory?, _ kept: CategoryLaunchChoices
    ) -> FollowedLaunchResult.Source {
        let launch = category.map(self.launch.configuration(for:)) ?? self.launch.configuration
        let name = launch.senderName ?? self.context.configuration.current.gateway.name
        return (launch, name, self.launch.allChoices[category], kept[category])
    }

    /// The category that a caller names.
    /// - Throws: `unknown_category` (404) for one that no device can have: the gateway has no plugin of that name.
    func category(_ name: String?) throws(OperationProblem) -> DeviceCategory? {
        guard let name else { return nil }
        let category = DeviceCategory(rawValue: name)
        let plugins = self.context.configuration.current.plugins.instances.map(\.name)
        guard category.isValid, category.plugin.map(plugins.contains) ?? true else {
            throw OperationProblem(
                "unknown_category", status: 404,
                "no devices have the category '\(name)'; there are cast, virtual, and plugin:NAME for each plugin")
        }
        return category
    }

    /// Chooses.
    /// - Parameters:
    ///   - category: for whose devices; nil for all.
    ///   - isKept: whether it holds after a restart too.
    /// - Throws: `not_kept` (409) when that cannot be written, and `unavailable` while the gateway stops; nothing has changed then.
    func choose(_ choices: LaunchChoices, for category: DeviceCategory?, isKept: Bool) async throws(OperationProblem) {
        try await self.change { kept in
            if isKept {
                try self.store.keep(choices, for: category)
                kept[category] = kept[category].with(choices)
            }
            self.launch.choose(self.launch.allChoices[category].with(choices), for: category)
        }
    }

    /// Goes back to the file, and keeps nothing.
    /// - Parameter category: for whose devices; nil for all, and those of categories too when every key is named.
    /// - Throws: as ``choose(_:for:isKept:)``.
    func reset(_ keys: [LaunchChoices.Key], for category: DeviceCategory?) async throws(OperationProblem) {
        let isWhole = category == nil && keys.count == LaunchChoices.Key.allCases.count
        try await self.change { kept in
            let others = isWhole ? Set(kept.categories + self.launch.allChoices.categories).map(Optional.some) : []
            for category in [category] + others {
                if !kept[category].keys.isEmpty { try self.store.forget(keys, for: category) }
                kept[category] = kept[category].without(keys)
                self.launch.choose(self.launch.allChoices[category].without(keys), for: category)
            }
        }
    }

    private func change(
        _ body: @escaping @Sendable (inout CategoryLaunchChoices) throws -> Void
    ) async throws(OperationProblem) {
        do {
            try await self.pool.runIfActive { try self.kept.withLock { try body(&$0) } }
        } catch is NIOThreadPoolError.ThreadPoolInactive {
            throw OperationProblem(GatewayError(.unavailable, "the gateway is stopping"))
        } catch {
            throw OperationProblem(
                "not_kept", status: 409,
                "nothing has changed, since the state cannot be written: \(DatabaseErrorText.words(error))")
        }
        do {
            try await self.onChange()
        } catch {
            throw OperationProblem(GatewayError(.unavailable, "the gateway is stopping"))
        }
    }

    /// Refuses to keep what would be lost.
    /// - Throws: `not_kept` (409).
    func requireKeeping() throws(OperationProblem) {
        guard let volatility else { return }
        throw OperationProblem(
            "not_kept", status: 409, "nothing has changed, since the state cannot be written: \(volatility)")
    }
}
