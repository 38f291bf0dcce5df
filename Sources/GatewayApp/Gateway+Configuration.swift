import BuiltInReceiver
public import CastIdentity
import DeviceSessions
import GatewayConfig
public import GatewayCore
import Logging
import NamespaceHandlers
import VirtualDevices

extension GatewayConfiguration {
    /// The handlers that the configuration calls for, filters first; they log nothing.
    public var builtInHandlers: [any MessageHandler] {
        self.builtInHandlers(
            launch: LaunchSettings(self.launch),
            castingLog: Logger(label: "CastingLog") { _ in SwiftLogNoOpLogHandler() })
    }

    /// The handlers that the configuration calls for, filters first.
    /// - Parameters:
    ///   - launch: what launches follow, which may change while the gateway runs.
    ///   - castingLog: where it is logged who cast what.
    func builtInHandlers(
        launch: LaunchSettings, castingLog: Logger = Logger(label: "CastingLog")
    ) -> [any MessageHandler] {
        var relayedApps: [String: Set<String>] = [:]
        for device in self.virtualDevices {
            guard case .device = device.target, let apps = device.apps else { continue }
            relayedApps[device.name] = Set(apps.map(\.id))
        }
        return BuiltInHandlers.make(
            routing: self.routing, launch: launch, channels: self.channels, relayedApps: relayedApps,
            castingLog: castingLog)
    }

    /// Renders payloads for the log when `log.payloads` asks for it.
    var payloadText: MessageRouter.PayloadText? {
        guard self.log.payloads else { return nil }
        let log = PayloadLog(self.log)
        return { log.text(of: $0) }
    }

    /// The devices of `discovery.static` by name, and those that virtual devices relay to wherever they are found.
    var deviceAddresses: [String: [DeviceAddress]] {
        let found = self.virtualDevices.compactMap(\.targetName).map { ($0, [DeviceAddress]()) }
        let known = self.discovery.staticDevices.map {
            ($0.name, [DeviceAddress(host: $0.address.host, port: $0.address.port)])
        }
        return Dictionary(known + found, uniquingKeysWith: { first, _ in first })
    }

    /// Opens the store of identities in the state directory, with the root that `identity` names.
    /// - Throws: `IdentityError` when the state directory or a PEM file cannot be used.
    public func openIdentities() throws(IdentityError) -> IdentityStore {
        try IdentityStore.open(stateDirectory: self.gateway.stateDirectory, root: try self.rootSource())
    }

    /// What the state directory holds of identities; makes and changes nothing.
    /// - Throws: `IdentityError` when the state database or a PEM file cannot be read.
    public func identitySummary() throws(IdentityError) -> IdentitySummary {
        try IdentitySummary.read(stateDirectory: self.gateway.stateDirectory, root: try self.rootSource())
    }

    /// The root and the identities that the state directory holds; makes and changes nothing.
    /// - Parameter isThorough: whether every page of the database is compared with every other.
    /// - Throws: `IdentityError`, `databaseMissing` among them where nothing has been made yet.
    public func storedState(isThorough: Bool = false) throws(IdentityError) -> StoredState {
        let directory = self.gateway.stateDirectory
        let root = try self.rootSource()
        return isThorough
            ? try StoredState.check(stateDirectory: directory, root: root)
            : try StoredState.read(stateDirectory: directory, root: root)
    }

    /// Where the root comes from that `identity` names.
    /// - Throws: `IdentityError` when a PEM file cannot be read.
    public func rootSource() throws(IdentityError) -> RootSource {
        guard let certificate = self.identity.rootCertificateFile, let key = self.identity.rootPrivateKeyFile else {
            return .generatedRoot
        }
        return .pem(
            certificate: try PEMFile(path: certificate).contents, privateKey: try PEMFile(path: key).contents)
    }
}
