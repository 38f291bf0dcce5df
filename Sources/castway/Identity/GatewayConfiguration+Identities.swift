import CastIdentity
import GatewayApp

extension GatewayConfiguration {
    /// The identities that the gateway would use with this configuration.
    /// - Throws: `IdentityError` when the state directory or a PEM file cannot be used.
    func identityStore() throws(IdentityError) -> IdentityStore {
        var root = RootSource.generatedRoot
        if let certificate = self.identity.rootCertificateFile, let key = self.identity.rootPrivateKeyFile {
            root = .pem(
                certificate: try PEMFile(path: certificate).contents, privateKey: try PEMFile(path: key).contents)
        }
        return try IdentityStore.open(stateDirectory: self.gateway.stateDirectory, root: root)
    }
}
