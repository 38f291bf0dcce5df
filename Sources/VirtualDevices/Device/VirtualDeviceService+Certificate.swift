import CastIdentity
import CastTransport
import Logging

// The certificate of the TLS layer, which lives two days.
extension VirtualDeviceService {
    /// Senders refuse a certificate that has ended; one that ends this soon is not worth keeping. In seconds.
    private static let lastUse: Int64 = 2 * 3600

    /// What the device serves when it begins: a certificate that the store keeps, or else one that is kept nowhere.
    func firstCertificate(_ identity: DeviceIdentity) throws -> TLSServerContext {
        try self.certificate(
            of: identity, key: self.configuration.tlsKey, from: self.settings.environment.identities)
    }

    /// Looks every hour whether the certificate ends soon; the store makes a new one then.
    ///
    /// What cannot be stored leaves the old certificate in place until its end is near.
    func renewCertificate(_ box: CertificateBox, of identity: DeviceIdentity) async {
        while !Task.isCancelled {
            do { try await self.clock.sleep(for: .seconds(3600)) } catch { return }
            do {
                let leaf = try self.settings.environment.identities.currentLeaf(
                    for: identity, key: self.configuration.tlsKey, now: self.wallClock())
                if leaf.certificate != box.certificate.leaf {
                    box.certificate = try Self.context(leaf)
                    self.logger.info("TLS certificate renewed")
                }
            } catch {
                self.logger.error(
                    "TLS certificate not renewed; it is tried again in an hour", metadata: ["reason": "\(error)"])
                self.replaceIfEnding(box, of: identity)
            }
        }
    }

    private func replaceIfEnding(_ box: CertificateBox, of identity: DeviceIdentity) {
        guard box.certificate.notAfter - self.wallClock() < Self.lastUse else { return }
        do {
            box.certificate = try self.transientCertificate(identity)
            self.logger.warning("TLS certificate renewed, but not stored")
        } catch {
            self.logger.error("No TLS certificate can be made", metadata: ["reason": "\(error)"])
        }
    }

    private func transientCertificate(_ identity: DeviceIdentity) throws -> TLSServerContext {
        try Self.context(
            try self.settings.environment.identities.transientLeaf(
                for: identity, key: self.configuration.tlsKey, now: self.wallClock()))
    }

    /// What new connections get when the configuration asks for a key of another kind. Blocks while the key is made.
    func certificate(
        of identity: DeviceIdentity, key: TLSKeyKind, from identities: IdentityStore
    ) throws -> TLSServerContext {
        do {
            return try Self.context(try identities.currentLeaf(for: identity, key: key, now: self.wallClock()))
        } catch {
            self.logger.warning("The TLS certificate is not stored", metadata: ["reason": "\(error)"])
            return try Self.context(try identities.transientLeaf(for: identity, key: key, now: self.wallClock()))
        }
    }

    private static func context(_ leaf: TLSLeaf) throws -> TLSServerContext {
        try TLSServerContext(certificate: leaf.certificate, privateKey: leaf.privateKey, notAfter: leaf.notAfter)
    }
}
