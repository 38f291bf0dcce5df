import CastWire
import GatewayCore
import GatewayOperations
import Logging
import NIOPosix
import NamespaceHandlers
import Synchronization

/// What of `launch` is chosen while the gateway runs, until it ends or for good.
///
/// Of three that speak about a key the last one counts: the file, what is kept in the state database, what was chosen in this run.
final class LaunchChoicesFeature: GatewayFeature {
    let name = "launch choices"
    private let launch: LaunchSettings
    private let context: GatewayContext
    private let discovery: DiscoveryFeature
    private let devices: RealDevicesFeature
    private let store: LaunchChoiceStore
    /// Why what is kept would be lost at the end; nil when it would not.
    private let volatility: String?
    /// What is kept; held while it is written, so that one change comes after the other.
    private let kept: Mutex<LaunchChoices>
    /// Where writing happens.
    private let pool = NIOThreadPool.singleton

    /// - Parameters:
    ///   - kept: what was kept, and is in force.
    ///   - discovery: lists the devices that have the app which is used.
    ///   - devices: knows which app that is.
    init(
        _ context: GatewayContext, launch: LaunchSettings, store: LaunchChoiceStore, kept: LaunchChoices,
        volatility: String?, discovery: DiscoveryFeature, devices: RealDevicesFeature
    ) {
        self.context = context
        self.launch = launch
        self.store = store
        self.kept = Mutex(kept)
        self.volatility = volatility
        self.discovery = discovery
        self.devices = devices
    }

    var operations: [any GatewayOperation] {
        [GetLaunch(feature: self), SetLaunch(feature: self), ResetLaunch(feature: self)]
    }

    func services(among features: [any GatewayFeature]) -> [StagedService] {
        let keys = self.launch.choices.keys
        if !keys.isEmpty {
            self.context.makeLogger("Gateway").notice(
                "Launches follow choices that are kept, and not the file alone",
                metadata: [
                    "keys": "\(keys.map(\.rawValue).joined(separator: ", "))", "back": "castway call launch.reset",
                ])
        }
        return []
    }

    /// What launches follow now.
    var json: JSONObject {
        let launch = self.launch.configuration
        var json: JSONObject = [
            "relaunch_if_running": .bool(launch.relaunchesIfRunning),
            "android_receiver_compatible": .bool(launch.androidReceiverCompatible),
        ]
        json["receiver_app"] = self.devices.receiverApp.map { .string($0.rawValue) }
        json["language"] = launch.language.map { .string($0) }
        json["sender_name"] = .string(launch.senderName ?? self.context.configuration.current.gateway.name)
        json["set"] = .array(self.launch.choices.keys.map { .string($0.rawValue) })
        json["kept"] = .array(self.kept.withLock { $0 }.keys.map { .string($0.rawValue) })
        return json
    }

    /// Chooses.
    /// - Parameter isKept: whether it holds after a restart too.
    /// - Throws: `not_kept` (409) when that cannot be written, and `unavailable` while the gateway stops; nothing has changed then.
    func choose(_ choices: LaunchChoices, isKept: Bool) async throws(OperationProblem) {
        try await self.change { kept in
            if isKept {
                try self.store.keep(choices)
                kept = kept.with(choices)
            }
            self.launch.choose(self.launch.choices.with(choices))
        }
    }

    /// Goes back to the file, and keeps nothing.
    /// - Throws: as ``choose(_:isKept:)``.
    func reset(_ keys: [LaunchChoices.Key]) async throws(OperationProblem) {
        try await self.change { kept in
            if !kept.keys.isEmpty { try self.store.forget(keys) }
            kept = kept.without(keys)
            self.launch.choose(self.launch.choices.without(keys))
        }
    }

    private func change(
        _ body: @escaping @Sendable (inout LaunchChoices) throws -> Void
    ) async throws(OperationProblem) {
        do {
            try await self.pool.runIfActive { try self.kept.withLock { try body(&$0) } }
        } catch is NIOThreadPoolError.ThreadPoolInactive {
            throw OperationProblem(GatewayError(.unavailable, "the gateway is stopping"))
        } catch {
            throw OperationProblem(
                "not_kept", status: 409, "nothing has changed, since the state cannot be written: \(error)")
        }
        do {
            try await self.discovery.followChoices()
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
