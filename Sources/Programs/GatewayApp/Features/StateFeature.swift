package import CastIdentity
import ControlAPI
import FeatureContract
import GatewayOperations
import GatewaySettings
import Glibc
import Logging
import SystemPrimitives

/// What is kept in the state directory: its lock, and the database of identities, which other features keep theirs in too.
///
/// First of the list, so that everything else has ended when the database is closed.
final class StateFeature: GatewayFeature {
    let name = "state"
    /// Keys and certificates, and the database.
    let identities: IdentityStore
    private let lock: StateLock?
    private let logger: Logger

    /// Takes the state directory, and opens what is in it.
    /// - Throws: `IdentityError` when the directory or a PEM file cannot be used, or another gateway uses the directory;
    ///   `GatewayError` when another gateway answers at the admin socket.
    init(_ configuration: GatewayConfiguration, logger: Logger) throws {
        // Before anything is looked at that may be another gateway's.
        let directory = configuration.gateway.stateDirectory
        try ControlPlace.checkFree(configuration.admin, stateDirectory: directory)
        self.lock = try StateLock.acquire(directory: directory)
        self.identities = try configuration.openIdentities()
        self.logger = logger
    }

    /// Says that what is new is lost at the end, where that is so; known once identities have been made.
    func warnIfVolatile() {
        guard let reason = self.identities.volatility else { return }
        self.logger.warning(
            "The state cannot be written; what is there is used, and nothing new is kept beyond this run",
            metadata: ["reason": "\(reason)"])
    }

    var warnings: [GatewayWarning] {
        get async {
            if let reason = self.identities.volatility {
                return [
                    GatewayWarning(
                        .stateVolatile, "the state cannot be written, and what is new is lost at the end: \(reason)")
                ]
            }
            let identities = self.identities
            let reason = try? await BlockingWork.run { () throws(OperationProblem) in identities.writingObstacle() }
            guard let reason else { return [] }
            return [
                GatewayWarning(.stateUnwritable, "nothing more can be kept in the state directory: \(reason)")
            ]
        }
    }

    /// Everything that the start makes is there: from here on a copy of the one file is whole, and a loss of it would be noticed.
    /// - Throws: `IdentityError` when that cannot be written down.
    func remember() throws {
        try self.identities.remember()
        try? self.identities.checkpoint()
    }

    /// Leaves the state to the next gateway: all of it in one file, and unlocked.
    func close() {
        do {
            try self.identities.close()
        } catch {
            self.logger.warning(
                "The state database cannot be brought into one file", metadata: ["reason": "\(error)"])
        }
        self.lock?.release()
    }
}

extension GatewayConfiguration {
    /// Opens the store of identities in the state directory, with the root that `identity` names.
    /// - Throws: `IdentityError` when the state directory or a PEM file cannot be used.
    package func openIdentities() throws(IdentityError) -> IdentityStore {
        try IdentityStore.open(
            stateDirectory: self.gateway.stateDirectory, root: try self.rootSource(),
            isClockKept: { WallClock.isKept() == true })
    }

    /// What the state directory holds of identities; makes and changes nothing.
    /// - Throws: `IdentityError` when the state database or a PEM file cannot be read.
    package func identitySummary() throws(IdentityError) -> IdentitySummary {
        try IdentitySummary.read(stateDirectory: self.gateway.stateDirectory, root: try self.rootSource())
    }

    /// The root and the identities that the state directory holds; makes and changes nothing.
    /// - Parameter isThorough: whether every page of the database is compared with every other.
    /// - Throws: `IdentityError`, `databaseMissing` among them where nothing has been made yet.
    package func storedState(isThorough: Bool = false) throws(IdentityError) -> StoredState {
        let directory = self.gateway.stateDirectory
        let root = try self.rootSource()
        return isThorough
            ? try StoredState.check(stateDirectory: directory, root: root)
            : try StoredState.read(stateDirectory: directory, root: root)
    }

    /// Where the root comes from that `identity` names.
    /// - Throws: `IdentityError` when a PEM file cannot be read.
    package func rootSource() throws(IdentityError) -> RootSource {
        guard let certificate = self.identity.rootCertificateFile, let key = self.identity.rootPrivateKeyFile else {
            return .generatedRoot
        }
        return .pem(
            certificate: try PEMFile(path: certificate).contents, privateKey: try PEMFile(path: key).contents)
    }
}
